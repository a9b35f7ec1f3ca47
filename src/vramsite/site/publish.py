"""From an unfinished folder to the published site: one lock, one rename, nothing half-written.

Beside ``out`` a build uses ``out.tmp-<pid>`` (unfinished) and, for the moment of the swap where
the system cannot exchange two folders at once, ``out.old-<pid>``. What a killed build leaves of
these is put right by the next build.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARKER = ".vramsite"
"""File at the site's root that says: this folder was written by a build and may be replaced."""

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2  # Linux renameat2
_RENAME_SWAP = 2  # macOS renamex_np


class PublishError(RuntimeError):
    """An output folder that cannot be used; the message says why and what to do."""


def _sibling(output: Path, what: str) -> Path:
    return output.with_name(f"{output.name}.{what}-{os.getpid()}")


def check_replaceable(output: Path) -> None:
    """Refuse to replace anything that a build did not make.

    Raises:
        PublishError: a file, or a folder with content but without the marker.
    """
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise PublishError(f"{output} is not a folder")
    if output.is_dir() and any(output.iterdir()) and not (output / MARKER).is_file():
        raise PublishError(
            f"{output} holds files that no build of this site made (no {MARKER} in it): "
            "name another output folder or empty this one"
        )


@contextmanager
def build_lock(output: Path) -> Iterator[None]:
    """Hold ``out.lock`` while building; the system lets go of it even if the build is killed.

    Raises:
        PublishError: another build of the same folder is running.
    """
    path = output.with_name(f"{output.name}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise PublishError(f"another build is writing {output}: wait for it to end") from error
        # The holder before us removes the file as it leaves: then ours is a ghost, try again.
        if path.exists() and os.fstat(descriptor).st_ino == path.stat().st_ino:
            break
        os.close(descriptor)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(descriptor)


def clean_leftovers(output: Path) -> None:
    """Under the lock: undo what a killed build left, keeping the last good site.

    A build killed between two renames leaves the good site as ``out.old-…`` and no ``out``.
    """
    old = sorted(output.parent.glob(f"{output.name}.old-*"))
    if old and not output.exists():
        old.pop().rename(output)
    for folder in [*old, *output.parent.glob(f"{output.name}.tmp-*")]:
        shutil.rmtree(folder)


@contextmanager
def unfinished(output: Path) -> Iterator[Path]:
    """A new folder beside ``output`` to write into; gone afterwards unless it was published."""
    folder = _sibling(output, "tmp")
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(folder: Path, output: Path) -> None:
    """Put a finished folder in the place of ``output``; what was there is removed afterwards."""
    (folder / MARKER).write_text("Written by vramsite; replaced whole by the next build.\n")
    if not output.exists():
        folder.rename(output)
        return
    if _exchange(folder, output):
        return  # ``folder`` now is the old site: ``unfinished`` removes it
    old = _sibling(output, "old")
    output.rename(old)
    try:
        folder.rename(output)
    except OSError:
        old.rename(output)
        raise
    shutil.rmtree(old)


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
