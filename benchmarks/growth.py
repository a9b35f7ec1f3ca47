"""Does a page cost the same in a catalog ten and a hundred times the size?

    python benchmarks/scaled_catalog.py 10 --into big/10
    python benchmarks/scaled_catalog.py 100 --into big/100
    python benchmarks/growth.py . big/10 big/100

Each folder holds a ``data/``; templates and locales are those of the project. A whole build of the
largest takes hours, so this is a sample: every page of the same few real models in all catalogs,
each on every device there is, and of a few devices, each with every model. One process a catalog,
one after the other. ``plan`` is what loading and planning take in each worker, ``pages`` how many
were made of how many the site has.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from vramsite.site.making import Made, Maker  # noqa: E402
from vramsite.site.memory import peak_bytes  # noqa: E402
from vramsite.site.plan import Chunk  # noqa: E402
from vramsite.site.spec import project_spec  # noqa: E402
from vramsite.site.worker import Tidier  # noqa: E402
from vramsite.site.writing import FolderWriter  # noqa: E402

MODELS = "qwen3-8b,gemma-4-31b-it,glm-4.5"
DEVICES = "rtx-4090,h200-141gb-sxm"
_MIB = 2.0**20
_SOME_KEYS = 32  # like a worker


def measure(folder: Path, models: list[str], devices: list[str]) -> dict[str, float]:
    """Make the sample of one catalog; CPU and memory of this process."""
    spec = replace(project_spec(ROOT), data_dir=str(folder.absolute() / "data"))
    started = time.process_time()
    maker = Maker(spec)
    tidy_up = Tidier()
    gc.disable()
    tidy_up()
    plan_cpu_s, plan_bytes = time.process_time() - started, peak_bytes()
    chunks = list(maker.chunks.values())
    sampled = {(model_id,) for model_id in models}
    with tempfile.TemporaryDirectory() as scratch:
        writer = FolderWriter(Path(scratch))

        def make(chunk: Chunk, positions: list[int]) -> int:
            pages = 0
            for start in range(0, len(positions), _SOME_KEYS):
                made: Made = maker.make(chunk, writer, positions[start : start + _SOME_KEYS])
                pages += made.pages
                tidy_up()
            return pages

        started, wall_started = time.process_time(), time.monotonic()
        pages = sum(
            make(chunk, list(range(len(chunk)))) for chunk in chunks if chunk.model in sampled
        )
        cpu_s, wall_s = time.process_time() - started, time.monotonic() - wall_started
        started = time.process_time()
        device_pages = 0
        for chunk in chunks:
            keys = enumerate(chunk.rest) if not chunk.model else ()
            wanted = [at for at, key in keys if key.kind == "device" and key.ids[0] in devices]
            device_pages += make(chunk, wanted)
        device_cpu_s = time.process_time() - started
    catalog = maker.site.context.catalog
    return {
        "models": len(catalog.models),
        "devices": len(catalog.gpus),
        "site": sum(chunk.pages for chunk in chunks),
        "pages": pages + device_pages,
        "pages_per_s": pages / wall_s,
        "cpu_ms": 1000 * cpu_s / pages,
        "device_cpu_ms": 1000 * device_cpu_s / (device_pages * len(catalog.models)),
        "plan_cpu_s": plan_cpu_s,
        "plan_mib": plan_bytes / _MIB,
        "peak_mib": peak_bytes() / _MIB,
    }


HEAD = (
    "| catalog | pages of the site | made | pages/s a worker | CPU ms/page "
    "| CPU ms a line of a device's table | plan: CPU s, MiB | peak MiB |\n|" + "---|" * 8
)


def line(found: dict[str, float]) -> str:
    """One row of the table."""
    return (
        f"| {found['models']:.0f} × {found['devices']:.0f} | {found['site']:,.0f} "
        f"| {found['pages']:,.0f} | {found['pages_per_s']:.0f} | {found['cpu_ms']:.1f} "
        f"| {found['device_cpu_ms']:.1f} | {found['plan_cpu_s']:.1f}, {found['plan_mib']:.0f} "
        f"| {found['peak_mib']:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--devices", default=DEVICES)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    models, devices = asked.models.split(","), asked.devices.split(",")
    if asked.one:
        print(json.dumps(measure(asked.folders[0], models, devices)))
        return
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; {len(models)} models sampled")
    print(HEAD)
    for folder in asked.folders:
        command = [sys.executable, __file__, str(folder), "--one", "--models", asked.models]
        command += ["--devices", asked.devices]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        print(line(json.loads(done.stdout.splitlines()[-1])), flush=True)


if __name__ == "__main__":
    main()
