"""Writing a site's files: a file whose bytes are those of the published site stays that file.

`FolderWriter` fills the unfinished folder. What the published site has just so is linked from
there and keeps its time; what differs is written over, but never through a link. The folder may
have been a site before, and somebody may have put anything into it: whatever stands in the way of
a file goes.
"""

from __future__ import annotations

import errno
import filecmp
import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vramsite.site.manifest import ManifestError, read_manifest

MARKER = ".vramsite"
"""File at the site's root that says: this folder was written by a build and may be replaced."""

MARKER_TEXT = b"Written by vramsite; replaced whole by the next build.\n"

PARTS = ".parts"
"""Beginning of the names of what is no file of the site, but put together at the end."""

_FOLDERS_KEPT = 1000


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

    def write_parts(self, name: str, parts: Iterable[bytes]) -> None:
        """Write one file part by part, whatever its length."""
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
        self._listed: dict[str, dict[str, bytes]] = {}
        self._folders: set[str] = set()
        self._files: dict[str, FileFacts] = {}
        self._parts: dict[str, bytes] = {}
        self._links = True

    def write(self, name: str, content: bytes) -> None:
        """Write one file, making its folders when they are missing."""
        if name.startswith(PARTS):
            self._parts[name] = content
            return
        path = f"{self._folder}/{name}"
        self._clear_way(name.rpartition("/")[0])
        status = self._as_published(name, path, content)
        if status is None:
            status = put_file(path, content)
        self._note(name, content, status)

    def write_parts(self, name: str, parts: Iterable[bytes]) -> None:
        """Write one file part by part; the published one is kept if its content is the same."""
        self._clear_way(name.rpartition("/")[0])
        path = f"{self._folder}/{name}"
        with suppress(FileNotFoundError):
            remove_entry(path)
        hasher = hashlib.sha256()
        with Path(path).open("wb") as file:
            for part in parts:
                hasher.update(part)
                file.write(part)
        status = Path(path).stat()
        live = Path(self._live or self._folder, name)
        if self._live and live.is_file() and filecmp.cmp(live, path, shallow=False):
            status = live.stat()
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        self._files[name] = FileFacts(hasher.digest(), status.st_size, status.st_mtime_ns)

    def write_once(self, name: str, make: Callable[[], bytes]) -> None:
        """Write a file whose name tells its content, unless an earlier build left it there."""
        content = self._published(name)
        self.write(name, make() if content is None else content)

    def _published(self, name: str) -> bytes | None:
        """The published file, if it is still what its build wrote."""
        if self._live is None:
            return None
        below = name.partition("/")[0] + "/"
        listed = self._listed.get(below)
        if listed is None:
            try:
                listed = read_manifest(Path(self._live), below)
            except (ManifestError, OSError):
                listed = {}
            self._listed[below] = listed
        try:
            content = Path(self._live, name).read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).digest() == listed.get(name) else None

    def _clear_way(self, below: str) -> None:
        """Have a folder of the site be one: made, and no link to anywhere else."""
        if below in self._folders:
            return
        if len(self._folders) > _FOLDERS_KEPT:
            self._folders.clear()
        path = f"{self._folder}/{below}" if below else self._folder
        if not below:
            os.makedirs(path, exist_ok=True)  # noqa: PTH103
        else:
            self._clear_way(below.rpartition("/")[0])
            try:
                os.mkdir(path)  # noqa: PTH102 (tens of thousands of times)
            except FileExistsError:
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    Path(path).unlink()
                    Path(path).mkdir(exist_ok=True)
        self._folders.add(below)

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
            descriptor = os.open(live, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:  # none, or one that cannot be read: then it is made like any other
            return None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size != len(content):
            os.close(descriptor)
            return None
        with os.fdopen(descriptor, "rb", buffering=0) as handle:
            if handle.read(len(content)) != content:
                return None
        try:
            here = os.lstat(path)
        except FileNotFoundError:
            pass
        else:
            if (here.st_ino, here.st_dev) == (status.st_ino, status.st_dev):
                return status
            # The marker stays where it is: without it the folder would be nobody's for a moment.
            if name == MARKER or (not self._links and here.st_size == len(content)):
                if stat.S_ISREG(here.st_mode) and Path(path).read_bytes() == content:
                    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
                    return status
            remove_entry(path)
        self._adopt(live, path, content, status)
        return status

    def _adopt(self, live: str, path: str, content: bytes, status: os.stat_result) -> None:
        """Link the published file; where there are no links, copy it with its time."""
        if self._links:
            try:
                os.link(live, path)
            except OSError:
                self._links = False
            else:
                return
        put_file(path, content)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


_OPEN = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL  # nothing lies there: nothing to look at
_IN_THE_WAY = (errno.ELOOP, errno.EISDIR, errno.EACCES, errno.EPERM, errno.ENXIO)


def remove_entry(path: str) -> None:
    """Remove whatever lies there: a file, a link, or a folder with all it holds."""
    try:
        Path(path).unlink()
    except (IsADirectoryError, PermissionError):
        if not stat.S_ISDIR(os.lstat(path).st_mode):
            raise
        shutil.rmtree(path)


def _open(path: str) -> int:
    """A file to write into that is nobody else's: no link, and none that may not be written."""
    try:
        descriptor = os.open(path, _OPEN, 0o644)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
    else:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            return descriptor
        os.close(descriptor)
    remove_entry(path)
    return os.open(path, _OPEN, 0o644)


def put_file(path: str, content: bytes) -> os.stat_result:
    """The content as the file's; one that is linked from elsewhere is replaced."""
    try:
        descriptor, there = os.open(path, _NEW, 0o644), False
    except OSError:
        descriptor, there = _open(path), True
    try:
        if there and os.fstat(descriptor).st_size > len(content):
            os.ftruncate(descriptor, 0)
        written = os.write(descriptor, content)
        while written < len(content):  # a disk that fills up takes a part and says so only then
            written += os.write(descriptor, memoryview(content)[written:])
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)
