"""A catalog of two models and three devices cut out of the real one, small enough to be read a
thousand times, complete enough to build every page of its site.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml

from vramsite.catalog.yaml_source import read_document

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
MODELS = {"qwen3-8b": "qwen", "gpt-oss-20b": "openai"}
DEVICES = {"rtx-4090": "nvidia", "h100-80gb-sxm": "nvidia", "mac-studio-m3-ultra-512gb": "apple"}
PROVIDERS = ("nebius", "lambda")
ROWS_KEPT = 3
ALL_ROWS = frozenset({"electricity"})  # a page looks for the countries of its languages


def plain(path: Path) -> Any:
    """The values of a YAML file as the catalog reads it: dates are texts, `NO` is a country."""
    document = read_document(path, path.parent, [])
    assert document is not None, path
    return document.data


def dump(path: Path, value: object) -> None:
    """Write values as YAML, whatever they are."""
    text = yaml.dump(value, Dumper=yaml.SafeDumper, allow_unicode=True, sort_keys=False, width=120)
    path.write_text(text, encoding="utf-8")


def write_small(folder: Path) -> Path:
    """Write the catalog below `folder`/data and give that folder back."""
    data = folder / "data"
    data.mkdir(parents=True)
    for path in DATA.glob("*.yaml"):
        shutil.copy(path, data / path.name)
    for kind, entries in (("models", MODELS), ("gpus", DEVICES)):
        for name, vendor in entries.items():
            (data / kind / vendor).mkdir(parents=True, exist_ok=True)
            shutil.copy(DATA / kind / vendor / f"{name}.yaml", data / kind / vendor)
    for name in ("cloud", "side", "measurements", "evidence"):
        (data / name).mkdir()
    for name in PROVIDERS:
        file = plain(DATA / "cloud" / f"{name}.yaml")
        file["offers"] = [offer for offer in file["offers"] if offer["gpu"] in DEVICES][:4]
        dump(data / "cloud" / f"{name}.yaml", file)
    for path in (DATA / "side").glob("*.yaml"):
        dump(data / "side" / path.name, _cut(plain(path), path.stem in ALL_ROWS))
    for path in (DATA / "measurements").glob("*.csv"):
        _copy_head(path, data / "measurements" / path.name)
    dump(data / "measurements/finetune.yaml", _cut(plain(DATA / "measurements/finetune.yaml")))
    for path in (DATA / "evidence").iterdir():
        shutil.copy(path, data / "evidence" / path.name)
    return data


def _cut(file: Any, whole: bool = False) -> Any:
    """A file of rows with the first few of each list that speak of what the catalog holds."""
    return {
        key: rows[: None if whole else ROWS_KEPT] if isinstance(rows, list) else rows
        for key, rows in ((key, _ours(value)) for key, value in file.items())
    }


def _ours(rows: Any) -> Any:
    if not isinstance(rows, list):
        return rows
    return [
        row
        for row in rows
        if not isinstance(row, dict)
        or (row.get("gpu") in (None, *DEVICES) and row.get("model_id") in (None, *MODELS))
    ]


def _copy_head(source: Path, target: Path) -> None:
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    named = tuple(f",{name}," for name in MODELS)
    rows = [line for line in lines[1:] if any(name in line for name in named)]
    rows = [line for line in rows if any(f",{name}," in line for name in DEVICES)]
    target.write_text(lines[0] + "".join(rows[:6]), encoding="utf-8")
