"""The project's own site over a few entries of its catalog, small enough to be built twenty times.

What pages show is not the point here but what they are made from, so the entries may change.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import yaml

from vramsite.site.real_site import make as make_real
from vramsite.site.setup import Site
from vramsite.site.spec import BuildSpec

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("qwen/qwen3-8b", "qwen/qwen3-4b-instruct-2507", "openai/gpt-oss-20b")
NEW_MODEL = "meta/llama-3.1-8b-instruct"
DEVICES = ("nvidia/rtx-4090", "nvidia/rtx-3090", "apple/mac-studio-m3-ultra-512gb")
PROVIDERS = ("runpod", "vast-ai")
LEFT_OUT = ("accuracy",)
"""Minutes of evidence for one page."""


def make(spec: BuildSpec) -> Site:
    """The factory of the specs below: the real site, without the pages that take long."""
    site = make_real(spec)
    for name in LEFT_OUT:
        del site.kinds[name]
    return site


def entry(kind: str, name: str) -> Path:
    """The file of a model or device in the project's own catalog."""
    return ROOT / "data" / kind / f"{name}.yaml"


def add_entry(root: Path, kind: str, name: str) -> Path:
    """Copy one entry into a small project."""
    path = root / "data" / kind / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(entry(kind, name), path)
    return path


def write_small_project(root: Path) -> BuildSpec:
    """A project of a few entries below ``root``, and the spec that builds its site."""
    data = root / "data"
    data.mkdir(parents=True)
    for path in (ROOT / "data").glob("*.yaml"):
        shutil.copy(path, data / path.name)
    for name in MODELS:
        add_entry(root, "models", name)
    for name in DEVICES:
        add_entry(root, "gpus", name)
    for folder in ("cloud", "measurements", "evidence"):
        (data / folder).mkdir()
    devices = {name.rpartition("/")[2] for name in DEVICES}
    for name in PROVIDERS:
        file = yaml.safe_load((ROOT / f"data/cloud/{name}.yaml").read_text(encoding="utf-8"))
        file["offers"] = [offer for offer in file["offers"] if offer["gpu"] in devices]
        text = yaml.safe_dump(file, allow_unicode=True, sort_keys=False)
        (data / "cloud" / f"{name}.yaml").write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "data/side", data / "side")
    for path in (ROOT / "data/measurements").glob("*.csv"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (data / "measurements" / path.name).write_text("".join(lines[:40]), encoding="utf-8")
    shutil.copytree(ROOT / "templates", root / "templates")
    shutil.copytree(ROOT / "locales", root / "locales")
    return BuildSpec(
        data_dir=str(data),
        templates_dir=str(root / "templates"),
        locales_dir=str(root / "locales"),
        base_url="https://example.org/repo/",
        factory="small_project:make",
        search_path=(str(Path(__file__).parent),),
    )
