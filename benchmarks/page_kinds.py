"""What a page of each kind costs: CPU of the maker that a build's worker is, in one process.

Run from the project's folder: ``python benchmarks/page_kinds.py [MODEL | KIND …]``; nothing named:
everything. ``--profile`` prints where the time goes instead (a profiled run takes three times as
long). A unit is a page in all its languages with the files beside it.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from vramsite.site.making import Maker, unit_of  # noqa: E402
from vramsite.site.quick_records import quicken_records  # noqa: E402
from vramsite.site.spec import project_spec  # noqa: E402
from vramsite.site.worker import Tidier  # noqa: E402
from vramsite.site.writing import FolderWriter  # noqa: E402

BATCH = 32
SHOWN = 60


def main() -> None:
    """Print the table, or the profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="model ids and kinds of pages")
    parser.add_argument("--profile", action="store_true")
    arguments = parser.parse_args()
    begun = time.process_time()
    maker = Maker(project_spec(ROOT))
    tidy_up = Tidier()
    gc.disable()  # as a worker does
    quicken_records()
    tidy_up()
    print(f"start of a worker: {time.process_time() - begun:.2f} s")
    folder = Path(tempfile.mkdtemp(prefix="vramsite-page-kinds-"))
    writer = FolderWriter(folder)
    spent: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    units: Counter[str] = Counter()
    profile = cProfile.Profile() if arguments.profile else None
    if profile:
        profile.enable()
    for chunk in maker.chunks.values():
        for position, key in enumerate(chunk.page_keys()):
            unit = unit_of(key)
            if arguments.only and not set(unit[:2]) & set(arguments.only):
                continue
            before = time.process_time()
            maker.make(chunk, writer, [position]).packed()
            if position % BATCH == 0:
                tidy_up()
            spent[key.kind] += time.process_time() - before  # type: ignore[assignment]
            pages[key.kind] += len(maker.site.locales_of(key))
            units[key.kind] += 1
    shutil.rmtree(folder)
    if profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(SHOWN)
        return
    print(f"{'kind':<14}{'units':>7}{'pages':>7}{'CPU s':>9}{'ms a unit':>11}{'ms a page':>11}")
    for kind, seconds in spent.most_common():
        print(
            f"{kind:<14}{units[kind]:>7}{pages[kind]:>7}{seconds:>9.2f}"
            f"{1000.0 * seconds / units[kind]:>11.2f}{1000.0 * seconds / pages[kind]:>11.2f}"
        )
    print(f"{'together':<14}{units.total():>7}{pages.total():>7}{spent.total():>9.2f}")


if __name__ == "__main__":
    main()
