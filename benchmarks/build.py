"""How fast is a full build, beside a floor that writes the same bytes ready-made?

Run from the project's folder: ``python benchmarks/build.py [--jobs 2] [--output DIR]``.
The first line is a build without any site there, if there is none: the first write into a new
folder on disk can cost more than the pages. The others are measured on the warm folder; the floor
writes into a new folder in turn.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from vramsite.site.build import build_site  # noqa: E402
from vramsite.site.memory import peak_bytes  # noqa: E402
from vramsite.site.spec import narrowed, project_spec  # noqa: E402
from vramsite.site.writing import put_file  # noqa: E402


@dataclass(frozen=True)
class Line:
    what: str
    pages: int
    seconds: float
    cpu_s: float
    peak_mib: float

    def text(self) -> str:
        rate = self.pages / self.seconds
        figures = f"{self.pages:7} {self.seconds:7.2f} {rate:8.0f} {self.cpu_s:7.1f}"
        return f"{self.what:<34} {figures} {self.peak_mib:9.0f}"


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    put_file(str(path), content)


def floor(site: Path, scratch: Path, jobs: int) -> Line:
    """Write every page of the built site again from memory, with as many threads as workers."""
    pages = [(path.relative_to(site), path.read_bytes()) for path in site.rglob("*.html")]
    shutil.rmtree(scratch, ignore_errors=True)
    cpu_started, started = time.process_time(), time.monotonic()
    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(lambda page: _put(scratch / page[0], page[1]), pages):
            pass
    seconds, cpu_s = time.monotonic() - started, time.process_time() - cpu_started
    shutil.rmtree(scratch)
    return Line("floor: ready bytes to disk", len(pages), seconds, cpu_s, peak_bytes() / 2**20)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--output", type=Path, default=ROOT / "out")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    spec = narrowed(project_spec(ROOT), options.only)
    output = options.output.absolute()

    lines = []
    for run in range(options.runs + 1):
        summary = build_site(spec, output, options.jobs, force=True)
        what = f"build {run + 1}"
        peak_mib = summary.peak_bytes / 2**20
        lines.append(Line(what, summary.pages, summary.seconds, summary.cpu_s, peak_mib))
    lines.append(floor(output, output.with_name(f"{output.name}.tmp-floor"), options.jobs))

    print(f"{options.jobs} workers on {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(f"{'':<34} {'pages':>7} {'s':>7} {'pages/s':>8} {'CPU s':>7} {'peak MiB':>9}")
    for line in lines:
        print(line.text())


if __name__ == "__main__":
    main()
