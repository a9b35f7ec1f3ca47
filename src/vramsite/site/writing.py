"""Writing a site's files: a file whose bytes are those of the published site stays that file.

`FolderWriter` fills the unfinished folder. What the published site has just so is linked from
there and keeps its time; what differs is written over, but never through a link.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

MARKER = ".vramsite"
"""File at the site's root that says: this folder was written by a build and may be replaced."""

MARKER_TEXT = b"Written by vramsite; replaced whole by the next build.\n"

PARTS = ".parts"
"""Beginning of the names of what is no file of the site, but put together at the end."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that was written: SHA-256, bytes, time of its last change."""

    digest: bytes
    size: int
    mtime_ns: int


class Writer(Protocol):
    """Where a site's files go; names are relative to the site's root."""

    def write(self, name: str, content: bytes) -> None:
        """Write one file."""
        ...

    def write_once(self, name: str, make: Callable[[], bytes]) -> None:
        """Write a file whose name tells its content, unless an earlier build left it there."""
        ...

    def take(self) -> tuple[dict[str, FileFacts], dict[str, bytes]]:
        """What was written since the last call: files, and parts to put together at the end."""
        ...


class FolderWriter:
    """Writes below ``folder``; ``live`` is the published site, if there is one."""

    def __init__(self, folder: Path, live: Path | None = None) -> None:
        self._folder = str(folder)
        self._live = str(live) if live is not None and live.is_dir() else None
        self._files: dict[str, FileFacts] = {}
        self._parts: dict[str, bytes] = {}
        self._links = True

    def write(self, name: str, content: bytes) -> None:
        """Write one file, making its folders when they are missing."""
        if name.startswith(PARTS):
            self._parts[name] = content
            return
        path = f"{self._folder}/{name}"
        status = self._as_published(name, path, content)
        if status is None:
            status = put_file(path, content)
        self._note(name, content, status)

    def write_once(self, name: str, make: Callable[[], bytes]) -> None:
        """Write a file whose name tells its content, unless an earlier build left it there."""
        if self._live is not None:
            try:
                content = Path(self._live, name).read_bytes()
            except FileNotFoundError:
                pass
            else:
                return self.write(name, content)
        return self.write(name, make())

    def take(self) -> tuple[dict[str, FileFacts], dict[str, bytes]]:
        """What was written since the last call."""
        found = self._files, self._parts
        self._files, self._parts = {}, {}
        return found

    def _note(self, name: str, content: bytes, status: os.stat_result) -> None:
        digest = hashlib.sha256(content).digest()
        self._files[name] = FileFacts(digest, len(content), status.st_mtime_ns)

    def _as_published(self, name: str, path: str, content: bytes) -> os.stat_result | None:
        """Have the published file in its place, if it is the same; None if it is not."""
        if self._live is None:
            return None
        live = f"{self._live}/{name}"
        try:
            descriptor = os.open(live, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, "rb", buffering=0) as handle:
            status = os.fstat(descriptor)
            if status.st_size != len(content) or handle.read(len(content)) != content:
                return None
        try:
            here = os.lstat(path)
        except FileNotFoundError:
            pass
        else:
            if (here.st_ino, here.st_dev) == (status.st_ino, status.st_dev):
                return status
            if not self._links and here.st_size == len(content):
                if Path(path).read_bytes() == content:
                    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
                    return status
            Path(path).unlink()
        self._adopt(live, path, content, status)
        return status

    def _adopt(self, live: str, path: str, content: bytes, status: os.stat_result) -> None:
        """Link the published file; where there are no links, copy it with its time."""
        if self._links:
            try:
                _in_folder(path, lambda: os.link(live, path))
            except OSError:
                self._links = False
            else:
                return
        put_file(path, content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _in_folder(path: str, act: Callable[[], None]) -> None:
    try:
        act()
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        act()


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except FileNotFoundError:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)


def put_file(path: str, content: bytes) -> os.stat_result:
    """The content as the file's; one that is linked from elsewhere is replaced."""
    descriptor = _open(path)
    status = os.fstat(descriptor)
    if status.st_nlink > 1:
        os.close(descriptor)
        Path(path).unlink()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    elif status.st_size > len(content):
        os.ftruncate(descriptor, 0)
    with os.fdopen(descriptor, "wb", buffering=0) as handle:
        handle.write(content)
        return os.fstat(descriptor)
