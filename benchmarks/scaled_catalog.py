"""A catalog many times the size of ours, for measuring how a build grows.

Run from the project's folder: ``python benchmarks/scaled_catalog.py 10 --into FOLDER``.
The folder then holds a whole ``data/``: every real entry, and beside each some made-up siblings.
A sibling of a model has another number of layers where its config allows that, another vocabulary
and no published files, so that its sizes are worked out from its tensors; a sibling of a device
has another memory, bandwidth, power and price. The same seed gives the same files.

"N times" means N times the pairs: the square root of N times the models and as many times the
devices. Nothing here is a fact about anything: such a catalog is for benchmarks alone.
"""

from __future__ import annotations

import argparse
import math
import random
import shutil
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from vramsite.catalog import CatalogError, load_catalog  # noqa: E402
from vramsite.contribute.parameters import parameter_count  # noqa: E402

MADE_UP = "made up by benchmarks/scaled_catalog.py"
_DROPPED = ("files", "vision_files", "draft_files", "cache_reference", "cache_note", "notes")


def scaled_catalog(times: float, into: Path, seed: int = 0) -> Path:
    """Write the catalog and return its ``data`` folder.

    Raises:
        ValueError: ``times`` below 1. CatalogError: the made-up entries are not valid, which
        would be a fault of this script.
    """
    if not times >= 1:
        raise ValueError(f"times {times:g} must be at least 1")
    data = into / "data"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(ROOT / "data", data)
    chance = random.Random(seed)
    factor = math.sqrt(times)
    for kind, sibling in (("models", _sibling_of_model), ("gpus", _sibling_of_device)):
        files = sorted((data / kind).glob("*/*.yaml"))
        wanted = round(len(files) * factor) - len(files)
        for number in range(wanted):
            path = files[number % len(files)]
            record = sibling(_read(path), number // len(files) + 1, chance)
            name = f"{path.stem}-v{number // len(files) + 1}.yaml"
            _write(path.with_name(name), record)
    _count_parameters(data)
    return data


def _read(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return record


def _write(path: Path, record: dict[str, Any]) -> None:
    text = yaml.dump(record, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")


def _sibling_of_model(record: dict[str, Any], number: int, chance: random.Random) -> dict[str, Any]:
    for key in _DROPPED:
        record.pop(key, None)
    record["name"] = f"{record['name']} v{number}"
    record["confidence"] = "derived"
    record["sources"] = {"config": MADE_UP}
    config = record["config"]
    text = config.get("text_config", config)
    if "vocab_size" in text:
        text["vocab_size"] = 256 * round(text["vocab_size"] * chance.uniform(0.5, 1.5) / 256)
    if not any(isinstance(value, list) and len(value) > 4 for value in text.values()):
        layers = text.get("num_hidden_layers")
        if isinstance(layers, int):
            text["num_hidden_layers"] = max(8, 8 * round(layers * chance.uniform(0.8, 1.2) / 8))
    record.pop("params_total", None)
    record.pop("checkpoint", None)
    return record


def _sibling_of_device(
    record: dict[str, Any], number: int, chance: random.Random
) -> dict[str, Any]:
    record["name"] = f"{record['name']} v{number}"
    factor = chance.choice((0.5, 0.75, 1.25, 1.5, 2.0))
    record["memory_gb"] = max(4, round(record["memory_gb"] * factor))
    record.pop("memory_mib_reported", None)
    if "usable_default" in record:
        usable = record["usable_default"]["gib"] * factor
        record["usable_default"] = {"gib": round(usable, 1), "source": MADE_UP}
    for key in ("bandwidth_gb_s", "tdp_w", "msrp_usd"):
        if record.get(key):
            record[key] = round(record[key] * chance.uniform(0.7, 1.4))
    record["sources"] = {key: MADE_UP for key in record["sources"] if key != "memory_mib_reported"}
    return record


def _count_parameters(data: Path) -> None:
    """Give each made-up model the number of parameters that its tensors have.

    A sibling whose number of layers its reader refuses is left out.
    """
    catalog = load_catalog(data)
    for path in sorted((data / "models").glob("*/*-v*.yaml")):
        record = _read(path)
        if record["sources"] != {"config": MADE_UP}:
            continue
        try:
            total = parameter_count(catalog.architecture(path.stem))
        except (CatalogError, ValueError):
            path.unlink()
            continue
        share = record["params_active_b"] / record["params_headline_b"]
        record["params_headline_b"] = round(total / 1e9, 3)
        record["params_active_b"] = round(total / 1e9 * share, 3)
        record["params_total"] = total
        record["sources"]["params_total"] = MADE_UP
        _write(path, record)
    load_catalog(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=float)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = scaled_catalog(options.times, options.into, options.seed)
    catalog = load_catalog(data)
    print(f"{len(catalog.models)} models × {len(catalog.gpus)} devices in {data}")


if __name__ == "__main__":
    main()
