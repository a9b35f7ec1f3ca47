"""One worker process: loads the catalog, then makes what it is told and writes the pages.

Run as ``python -m vramsite.site.worker``. On standard input it reads the ``Order`` and then one
command a line; on standard output it answers with one JSON object a line. The end of its input is
the end of its life, so that it never outlives the build. The other side is ``executor``.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import queue
import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from vramsite.site.making import ASSETS, SHARED, Maker
from vramsite.site.memory import peak_bytes
from vramsite.site.order import Order
from vramsite.site.plan import Chunk
from vramsite.site.quick_records import quicken_records
from vramsite.site.store import Store, StoreError
from vramsite.site.writing import PARTS, FolderWriter

_REPORT_EVERY_KEYS = 32
_FEW_OBJECTS = 100  # in cycles of a batch
_UNSEEN_BATCHES = 7

Send = Callable[[dict[str, object]], None]


class Work:
    """The state of one worker."""

    def __init__(self, order: Order, send: Send) -> None:
        self._send = send
        self._folder = Path(order.folder)
        self._writer = FolderWriter(self._folder, Path(order.live) if order.live else None)
        self._store = _open_store(order.store)
        self._maker = Maker(order.spec, self._store)
        self._parts = 0
        self._clean_up = Tidier()

    def ready(self) -> None:
        """Tell what there is to make: all chunks, and what of them is stale."""
        maker = self._maker
        sizes = {index: chunk.pages for index, chunk in maker.chunks.items()}
        message: dict[str, object] = {
            "event": "ready",
            "chunks": sizes,
            "locales": list(maker.site.context.locales),
            "shared": maker.with_shared,
        }
        self._send(message)

    def stale(self) -> None:
        """Tell what the last site cannot lend: positions by chunk, names of other units."""
        assert self._store is not None
        found, first = self._maker.stale(self._store)
        pages = {
            index: self._maker.pages_of(self._maker.chunks[index], positions)
            for index, positions in found.items()
        }
        first_names = [name for _, name in first]
        self._send({"event": "stale", "positions": found, "pages": pages, "first": first_names})

    def make(self, index: int, positions: list[int] | None) -> None:
        """Make a chunk, or the keys of it at some positions."""
        chunk = self._maker.chunks[index]
        todo = list(range(len(chunk))) if positions is None else positions
        for start in range(0, len(todo), _REPORT_EVERY_KEYS):
            self._make_some(chunk, todo[start : start + _REPORT_EVERY_KEYS])
        self._send({"event": "done", "chunk": index})

    def _make_some(self, chunk: Chunk, positions: list[int]) -> None:
        made = self._maker.make(chunk, self._writer, positions)
        self._leave(made.packed())
        self._clean_up()
        self._send({"event": "pages", "pages": made.pages, "bytes": made.page_bytes})

    def make_first(self, names: list[str]) -> None:
        """Make what belongs to no page."""
        units = [unit for unit in (ASSETS, SHARED) if unit[1] in names]
        self._leave(self._maker.make_first(units, self._writer).packed())

    def _leave(self, packed: bytes) -> None:
        parts = self._folder / PARTS
        parts.mkdir(exist_ok=True)
        self._parts += 1
        (parts / f"{os.getpid()}-{self._parts:06}").write_bytes(packed)

    def finish(self, target: str, inputs: str) -> None:
        """Put the store of the new site together, and what is made from all pages."""
        from vramsite.site.ending import end_build

        whole = end_build(
            self._maker, self._store, self._folder, self._writer, Path(target), inputs
        )
        self._send({"event": "finished", "urls": whole.sitemap_urls})

    def obey(self, command: dict[str, Any]) -> bool:
        """Do what a command says; False for the one that ends the work."""
        if "first" in command:
            self.make_first(command["first"])
        if "chunk" in command:
            self.make(command["chunk"], command["positions"])
        if "stale" in command:
            self.stale()
        if "finish" in command:
            self.finish(command["finish"], command["inputs"])
        return "end" not in command


class Tidier:
    """Frees what only cycles hold, then looks at what is left never again.

    Nearly everything that outlives a page is kept for good, and there is much of it: going through
    it again and again, as Python does by itself, is a seventh of a build. Pages hardly ever leave
    cycles: as long as none are found, some batches are taken for kept unseen.
    """

    def __init__(self) -> None:
        self._unseen = 0

    def __call__(self) -> None:
        """Tidy up after a batch."""
        if self._unseen:
            self._unseen -= 1
        elif gc.collect() <= _FEW_OBJECTS:
            self._unseen = _UNSEEN_BATCHES
        gc.freeze()


def _open_store(path: str) -> Store | None:
    if not path:
        return None
    try:
        return Store(Path(path))
    except StoreError:
        return None


def work(commands: queue.SimpleQueue[str], send: Send) -> None:
    """The worker's whole life; see the module's text."""
    worker = Work(Order.from_json(commands.get()), send)
    gc.disable()
    quicken_records()
    gc.collect()
    gc.freeze()
    worker.ready()
    while worker.obey(json.loads(commands.get())):
        pass
    send({"event": "end", "peak_bytes": peak_bytes(), "cpu_s": time.process_time()})


def _listen(stream: IO[str], commands: queue.SimpleQueue[str]) -> None:
    """Pass commands on. A stream that ends means that the build is gone: so is its worker, at
    once, before it writes another page into a folder that somebody may be cleaning up.
    """
    for line in stream:
        commands.put(line)
    os._exit(1)


def _refusal(error: OSError | sqlite3.OperationalError) -> dict[str, object]:
    """What the file system said, for the parent to raise again."""
    if isinstance(error, OSError):
        name = str(error.filename or "")
        return {
            "errno": error.errno or errno.EIO,
            "text": error.strerror or str(error),
            "name": name,
        }
    full = getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL
    return {"errno": errno.ENOSPC if full else errno.EIO, "text": f"SQLite: {error}", "name": ""}


def main() -> None:
    """Keep standard output for the answers alone, then work; a failure is one last answer."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def send(message: dict[str, object]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    commands: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, commands), daemon=True).start()
    try:
        work(commands, send)
    except BrokenPipeError:
        os._exit(1)
    except (OSError, sqlite3.OperationalError) as error:
        send({"event": "refused", **_refusal(error)})
        sys.exit(1)
    except Exception as error:
        expected = isinstance(error, ValueError) and error.__class__ is not ValueError
        detail = "" if expected else traceback.format_exc()
        send({"event": "failed", "text": str(error), "detail": detail})
        sys.exit(1)


if __name__ == "__main__":
    main()
