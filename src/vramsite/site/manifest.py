"""The SHA-256 of every file of a site, as `sha256sum --check` reads it, and the check against it.

The list lies in the site as ``sha256sums.txt``; no page links to it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TextIO

MANIFEST = "sha256sums.txt"
_DIGEST_BYTES = 32
_LINES_A_PART = 1000


class ManifestError(ValueError):
    """A folder without a list, or a list that cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not what the list says; ``what`` is "missing", "changed" or "extra"."""

    what: str
    name: str

    def __str__(self) -> str:
        return f"{self.what}: {self.name}"


def manifest_parts(digests: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The list of files in parts; ``digests`` are names and SHA-256 in the order of the names.

    Raises:
        ManifestError: two names that are one to a file system which does not tell a from A.
    """
    lines = (f"{digest.hex()}  {name}\n" for name, digest in _unlike(digests))
    while some := "".join(islice(lines, _LINES_A_PART)):
        yield some.encode()


def _unlike(digests: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """The same again; capitals come first in the order, so only names with some are kept."""
    seen: dict[str, str] = {}
    for name, digest in digests:
        folded = name.casefold()
        other = seen.get(folded)
        if other is not None:
            raise ManifestError(f"{other} and {name} differ only in case: rename one of them")
        if folded != name:
            seen[folded] = name
        yield name, digest


def read_manifest(folder: Path, below: str = "") -> dict[str, bytes]:
    """SHA-256 by name, of the files whose names begin with ``below``.

    Raises:
        ManifestError: no such file, or a line of another form.
    """
    path = folder / MANIFEST
    try:
        with path.open(encoding="utf-8") as lines:
            return {name: digest for name, digest in listed(lines) if name.startswith(below)}
    except FileNotFoundError:
        raise ManifestError(f"{path} is missing: no build of this site wrote {folder}") from None
    except OSError as error:
        raise ManifestError(f"{path} cannot be read: {error}") from error


def listed(lines: TextIO) -> Iterator[tuple[str, bytes]]:
    """Names and SHA-256 of an open list, in the order of the names.

    Raises:
        ManifestError: it cannot be read, or a line has another form or comes out of order.
    """
    last = ""
    try:
        for line in lines:
            text, _, name = line.rstrip("\n").partition("  ")
            digest = bytes.fromhex(text)
            if name <= last or len(digest) != _DIGEST_BYTES or not line.endswith("\n"):
                raise ValueError(f"the line after {last!r} is not of the form SHA-256, next name")
            yield name, digest
            last = name
    except (OSError, ValueError) as error:
        raise ManifestError(f"{lines.name} cannot be read: {error}") from error


def site_files(folder: Path) -> list[str]:
    """Every file below a folder by its name in the site, sorted."""
    return [name for name, _ in walk(folder)]


def walk(folder: Path, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every file below a folder in the order of the names: its name in the site, and what the
    system lists of it. No more than the folders on the way to it are held at a time.
    """
    with os.scandir(folder) as scanned:
        entries = [
            (f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name, entry)
            for entry in scanned
        ]
    for name, entry in sorted(entries, key=itemgetter(0)):
        if name.endswith("/"):
            yield from walk(Path(entry.path), below + name)
        else:
            yield below + name, entry


def differences(folder: Path) -> list[Difference]:
    """What differs from the list that lies in the folder, by name.

    Raises:
        ManifestError: no list that can be read.
    """
    listed = read_manifest(folder)
    there = set(site_files(folder)) - {MANIFEST}
    found = [Difference("missing", name) for name in listed.keys() - there]
    found += [Difference("extra", name) for name in there - listed.keys()]
    found += [
        Difference("changed", name)
        for name in there & listed.keys()
        if _sha256(folder / name) != listed[name]
    ]
    return sorted(found, key=lambda one: (one.name, one.what))


def _sha256(path: Path) -> bytes:
    """SHA-256 of a file; nothing for what is no file or cannot be read."""
    if path.is_symlink() or not path.is_file():
        return b""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return b""


def file_digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, "" where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
