"""From an unfinished folder to the published site: one lock, one rename, nothing half-written.

Beside ``out`` a build uses ``out.tmp-<pid>`` (unfinished) and, for the moment of the swap where
the system cannot exchange two folders at once, ``out.old-<pid>``. The site that was replaced stays
as ``out.spare``: the next build writes over its files, which costs a fraction of creating them
anew, and nobody waits for the removal of the old ones, which costs more than the pages. What a
killed build leaves of all this is put right by the next one.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vramsite.site.manifest import MANIFEST, walk
from vramsite.site.writing import MARKER, MARKER_TEXT, PARTS, remove_entry

_LOCK_POLL_S = 0.05
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # Linux renameat2
_RENAME_SWAP = 2  # macOS renamex_np


class PublishError(RuntimeError):
    """An output folder that cannot be used; the message says why and what to do."""


def _sibling(output: Path, what: str) -> Path:
    return output.with_name(f"{output.name}.{what}-{os.getpid()}")


def spare_folder(output: Path) -> Path:
    """Where the site that was replaced stays."""
    return output.with_name(f"{output.name}.spare")


def store_file(output: Path) -> Path:
    """Where a build leaves what the next one needs to know."""
    return output.with_name(f"{output.name}.store")


def _leftovers(output: Path, what: str) -> list[Path]:
    """Our own folders of dead builds; somebody else's of like name lack the marker.

    An empty one is a build's that was killed before it put the marker there.
    """
    pattern = re.compile(rf"{re.escape(output.name)}\.{what}-\d+")
    folders = (path for path in output.parent.iterdir() if pattern.fullmatch(path.name))
    folders = (path for path in folders if path.is_dir() and not path.is_symlink())
    return sorted(path for path in folders if (path / MARKER).is_file() or not any(path.iterdir()))


def check_replaceable(output: Path) -> None:
    """Refuse to replace anything that a build did not make.

    Raises:
        PublishError: a file, or a folder with content but without the marker.
    """
    if output.is_symlink():
        raise PublishError(
            f"{output} is a symbolic link, and a build puts another folder in the place of the old "
            f"one: name the folder itself ({output.resolve()})"
        )
    if output.exists() and not output.is_dir():
        raise PublishError(f"{output} is a file: name another output folder or remove it")
    if output.is_dir() and any(output.iterdir()) and not (output / MARKER).is_file():
        raise PublishError(
            f"{output} holds files that no build of this site made (no {MARKER} in it): "
            "name another output folder or empty this one"
        )


@contextmanager
def build_lock(output: Path, patience_s: float = 1.0) -> Iterator[int]:
    """Hold ``out.lock`` while building; the system lets go of it even if the build is killed.

    Gives the lock's file descriptor: workers inherit it, so that the lock outlives a killed build
    until its last worker has noticed and can no longer write.

    Raises:
        PublishError: another build of the same folder is running, for ``patience_s`` or longer.
    """
    deadline = time.monotonic() + patience_s
    path = output.with_name(f"{output.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            if time.monotonic() < deadline:
                time.sleep(_LOCK_POLL_S)
                continue
            raise PublishError(
                f"another build is writing {output}: wait for it to end, or end it ({path} is held)"
            ) from error
        # The holder before us removes the file as it leaves: then ours is a ghost, try again.
        if path.exists() and os.fstat(descriptor).st_ino == path.stat().st_ino:
            break
        os.close(descriptor)
    try:
        yield descriptor
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def clean_leftovers(output: Path) -> None:
    """Under the lock: undo what a killed build left, keeping the last good site.

    A build killed between two renames leaves the good site as ``out.old-…`` and no ``out``.
    """
    old = _leftovers(output, "old")
    if old and not output.exists():
        old.pop().rename(output)
    for folder in old + _leftovers(output, "tmp"):
        _keep_unknown_as_spare(folder, output)
    for name in (f"{store_file(output).name}.tmp", f"{output.name}.inputs.tmp"):
        output.with_name(name).unlink(missing_ok=True)


def _keep_as_spare(folder: Path, output: Path) -> None:
    if spare_folder(output).exists() or not (folder / MARKER).is_file():
        _remove_folder(folder)
    else:
        folder.rename(spare_folder(output))


def _keep_unknown_as_spare(folder: Path, output: Path) -> None:
    """Keep an unfinished folder; what its list says, if it has one, may not be all there is."""
    (folder / MANIFEST).unlink(missing_ok=True)
    _keep_as_spare(folder, output)


def _remove_folder(folder: Path) -> None:
    """Remove a folder of ours; the marker goes last, so that a half-removed one is still ours."""
    for path in folder.iterdir():
        if path.name != MARKER:
            remove_entry(str(path))
    shutil.rmtree(folder)


@contextmanager
def unfinished(output: Path) -> Iterator[Path]:
    """The folder beside ``output`` to write into: the spare one, or a new one.

    Gone afterwards if it was published; what a failed build leaves becomes the spare, unless there
    is no site yet. Its manifest is gone from the beginning: nobody knows what is in there.
    """
    folder, spare = _sibling(output, "tmp"), spare_folder(output)
    if (spare / MARKER).is_file():
        (spare / MANIFEST).unlink(missing_ok=True)
        if (spare / PARTS).exists():  # of a build that was killed: no part of this one
            remove_entry(str(spare / PARTS))
        spare.rename(folder)
    else:
        folder.mkdir(parents=True)
        (folder / MARKER).write_bytes(MARKER_TEXT)
    try:
        yield folder
    finally:
        if folder.exists():
            if output.exists():
                _keep_unknown_as_spare(folder, output)
            else:
                _remove_folder(folder)


def sweep(folder: Path, names: Iterable[str]) -> None:
    """Remove from a finished folder all but ``names``, a sorted list, and empty folders."""
    remove(folder, only_first((name for name, _ in walk(folder)), names))


def only_first(first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
    """What the first of two sorted lists has and the second lacks, one by one."""
    others = iter(second)
    other = next(others, None)
    for name in first:
        while other is not None and other < name:
            other = next(others, None)
        if name != other:
            yield name


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files that the site no longer has, and the folders that they leave empty."""
    for name in names:
        path = folder / name
        path.unlink(missing_ok=True)
        for parent in path.parents:
            if parent == folder:
                break
            try:
                parent.rmdir()
            except OSError:
                break


def publish(folder: Path, output: Path) -> None:
    """Put a finished folder in the place of ``output``; what was there becomes the spare."""
    if not output.exists():
        folder.rename(output)
        return
    if _exchange(folder, output):
        _keep_as_spare(folder, output)
        return
    old = _sibling(output, "old")
    output.rename(old)
    try:
        folder.rename(output)
    except OSError:
        old.rename(output)
        raise
    _keep_as_spare(old, output)


def _exchange(first: Path, second: Path) -> bool:
    """Swap two folders in one step; False where the system or the file system cannot."""
    libc = ctypes.CDLL(None, use_errno=True)
    one, two = os.fsencode(first), os.fsencode(second)
    if sys.platform == "darwin":
        swap = getattr(libc, "renamex_np", None)
        return swap is not None and swap(one, two, _RENAME_SWAP) == 0
    exchange = getattr(libc, "renameat2", None)
    if exchange is None:
        return False
    return bool(exchange(_AT_FDCWD, one, _AT_FDCWD, two, _RENAME_EXCHANGE) == 0)
