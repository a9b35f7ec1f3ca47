"""The same plan on many machines: chunks go to a Dask cluster, files to wherever fsspec writes.

Needs the extra ``vramsite[dask]``. Every machine must reach the project's folders under the same
paths, and the output. A worker that dies costs its chunks a second try elsewhere. The site is not
exchanged as a whole as on one machine: pages are written over one by one, the manifest last.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from vramsite.site.finish import Whole, complete, keep, meta_of
from vramsite.site.inputs import Inputs
from vramsite.site.making import ASSETS, SHARED, Made, Maker, unpacked
from vramsite.site.progress import Progress, SilentProgress
from vramsite.site.spec import BuildSpec
from vramsite.site.store import Store, StoreWriter
from vramsite.site.writing import MARKER, PARTS, FileFacts

TRIES = 3
_SOURCE_FIRST = -1


class ClusterError(RuntimeError):
    """A build on a cluster that came to nothing; the message is for the person who started it."""


class UrlWriter:
    """Writes below an fsspec URL (``file://``, ``s3://``, ``memory://``, or a folder's path)."""

    def __init__(self, url: str) -> None:
        import fsspec

        self._fs, root = fsspec.core.url_to_fs(url)
        self._root = root.rstrip("/")
        self._files: dict[str, FileFacts] = {}
        self._parts: dict[str, bytes] = {}
        self._folders: set[str] = set()

    def check(self) -> None:
        """Refuse to write among files that no build made. Raises ClusterError."""
        if self._fs.exists(self._root) and self._fs.ls(self._root, detail=False):
            if not self._fs.exists(f"{self._root}/{MARKER}"):
                raise ClusterError(f"{self._root} holds files that no build of this site made")

    def write(self, name: str, content: bytes) -> None:
        """Write one file."""
        if name.startswith(PARTS):
            self._parts[name] = content
            return
        path = f"{self._root}/{name}"
        folder = path.rpartition("/")[0]
        if folder not in self._folders:
            self._fs.makedirs(folder, exist_ok=True)
            self._folders.add(folder)
        self._fs.pipe_file(path, content)
        self._files[name] = FileFacts(hashlib.sha256(content).digest(), len(content), 0)

    def write_parts(self, name: str, parts: Iterable[bytes]) -> None:
        """Write one file part by part."""
        path = f"{self._root}/{name}"
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        hasher, size = hashlib.sha256(), 0
        with self._fs.open(path, "wb") as file:
            for part in parts:
                hasher.update(part)
                size += len(part)
                file.write(part)
        self._files[name] = FileFacts(hasher.digest(), size, 0)

    def write_once(self, name: str, make: Callable[[], bytes]) -> None:
        """Write a file whose name tells its content; what lies there may be half of it."""
        self.write(name, make())

    def take(self) -> tuple[dict[str, FileFacts], dict[str, bytes]]:
        """What was written since the last call."""
        found = self._files, self._parts
        self._files, self._parts = {}, {}
        return found

    def sweep(self, store: Store) -> None:
        """Remove what an earlier build wrote and the one of the store did not."""
        for path in self._fs.find(self._root):
            if not store.has_file(path.removeprefix(f"{self._root}/")):
                self._fs.rm_file(path)


_makers: dict[str, Maker] = {}
_lock = threading.Lock()


def make_part(spec: str, index: int, url: str) -> bytes:
    """On a worker: make one chunk (or what belongs to no page) and write it; gives `Made`, packed.

    A worker makes one chunk after the other, whatever its number of threads.
    """
    with _lock:
        maker = _makers.get(spec)
        if maker is None:
            _makers.clear()
            maker = _makers[spec] = Maker(BuildSpec.from_json(spec))
        writer = UrlWriter(url)
        if index == _SOURCE_FIRST:
            return maker.make_first([ASSETS, SHARED], writer).packed()
        return maker.make(maker.chunks[index], writer).packed()


def build_on_cluster(
    spec: BuildSpec, address: str, url: str, progress: Progress | None = None
) -> Whole:
    """Build the whole site of ``spec`` below ``url`` with the workers of a Dask scheduler.

    Raises:
        ClusterError: no such scheduler, or a chunk that failed ``TRIES`` times.
    """
    from distributed import Client

    shown = progress or SilentProgress()
    output = UrlWriter(url)
    output.check()
    inputs = Inputs.read(spec)
    maker = Maker(spec)
    context = maker.site.context
    try:
        connect: Any = Client  # untyped
        client = connect(address, timeout="10s", set_as_default=False)
    except OSError as error:
        raise ClusterError(f"no Dask scheduler at {address}: {error}") from error
    with client, tempfile.TemporaryDirectory() as scratch:
        shown.start(sum(chunk.pages for chunk in maker.chunks.values()))
        target = Path(scratch, "store")
        store = StoreWriter.begin(target)
        made = _made(client, spec, [_SOURCE_FIRST, *maker.chunks], url, shown)
        deque(keep(store, made), maxlen=0)
        store.finish().close()
        meta = meta_of(inputs, context.locales, context.assets.to_keep(), traced=False)
        whole = complete(target, output, context.urls, context.locales[0], meta)
        with closing(Store(target)) as done:
            output.sweep(done)
        shown.stop()
    return whole


def _made(
    client: Any, spec: BuildSpec, indexes: list[int], url: str, progress: Progress
) -> Iterator[Made]:
    """What the workers send home, as it comes."""
    from concurrent.futures import as_completed

    executor = client.get_executor(pure=False, retries=TRIES)
    text = spec.to_json()
    waiting = [executor.submit(make_part, text, index, url) for index in indexes]
    for future in as_completed(waiting):
        try:
            made = unpacked(future.result())
        except Exception as error:
            raise ClusterError(f"a part of the site failed: {error}") from error
        progress.advance(made.pages)
        yield made
