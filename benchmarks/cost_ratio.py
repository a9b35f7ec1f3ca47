"""What pair pages cost beside a floor: the same files written ready-made, in the same process.

Run from the project's folder: ``python benchmarks/cost_ratio.py``; exit status 1 beyond `MOST`, so
that CI notices what makes pages dearer. CPU seconds differ from machine to machine, what they are
a multiple of does so less. Batches of a few pairs are measured one by one, each followed by its
floor, and a quarter of the way up from the cheapest counts: a busy neighbour harms few of them.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from vramsite.site.making import Maker  # noqa: E402
from vramsite.site.quick_records import quicken_records  # noqa: E402
from vramsite.site.spec import project_spec  # noqa: E402
from vramsite.site.writing import FileFacts, FolderWriter  # noqa: E402

MODELS = ("qwen3-8b", "glm-4.5", "gemma-4-31b-it", "qwen3.8-27b")
WARM_PAIRS = 14  # make what a model's pages have in common, as they do in any build
BATCH_PAIRS = 8
BATCHES = 8
FLOOR_RUNS = 4
MOST = 53.0  # a quarter more than the 42 of 2026-12-01


class _Keeping:
    """Writes, and keeps what it wrote to be written again."""

    def __init__(self, folder: Path) -> None:
        self.files: dict[str, bytes] = {}
        self._writer = FolderWriter(folder)

    def write(self, name: str, content: bytes) -> None:
        self.files[name] = content
        self._writer.write(name, content)

    def write_parts(self, name: str, parts: Iterable[bytes]) -> None:
        self._writer.write_parts(name, parts)

    def write_once(self, name: str, make: Callable[[], bytes]) -> None:
        self._writer.write_once(name, make)

    def take(self) -> tuple[dict[str, FileFacts], dict[str, bytes]]:
        return self._writer.take()


def ratios(maker: Maker, model: str, folder: Path) -> list[float]:
    """CPU of each batch of a model's pairs over that of writing its files."""
    chunk = next(one for one in maker.chunks.values() if one.model == (model,))
    pairs = [place for place, key in enumerate(chunk.page_keys()) if key.kind == "pair"]
    writer = _Keeping(folder / "made")
    maker.make(chunk, writer, pairs[:WARM_PAIRS])
    found = []
    for batch in range(BATCHES):
        start = WARM_PAIRS + batch * BATCH_PAIRS
        writer.files.clear()
        started = time.process_time()
        maker.make(chunk, writer, pairs[start : start + BATCH_PAIRS]).packed()
        made = time.process_time() - started
        floors = []
        for run in range(FLOOR_RUNS):
            ready = FolderWriter(folder / f"ready-{run}")
            started = time.process_time()
            for name, content in writer.files.items():
                ready.write(name, content)
            floors.append(time.process_time() - started)
        found.append(made / min(floors))
    return found


def main() -> None:
    """Print the ratio; exit status 1 where it is more than is allowed."""
    maker = Maker(project_spec(ROOT))
    gc.disable()  # as a worker does
    quicken_records()
    found: list[float] = []
    in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a disk's own work is no page's
    with tempfile.TemporaryDirectory(dir=in_memory) as folder:
        for model in MODELS:
            gc.collect()
            gc.freeze()
            found += ratios(maker, model, Path(folder, model))
    found.sort()
    ratio = found[len(found) // 4]
    print(f"a pair costs {ratio:.1f} times its floor ({MOST:g} allowed)")
    print("batches:", *(f"{one:.1f}" for one in found))
    sys.exit(ratio > MOST)


if __name__ == "__main__":
    main()
