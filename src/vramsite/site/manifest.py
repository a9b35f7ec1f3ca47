"""The SHA-256 of every file of a site, as `sha256sum --check` reads it, and the check against it.

The list lies in the site as ``sha256sums.txt``; no page links to it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MANIFEST = "sha256sums.txt"


class ManifestError(ValueError):
    """A folder without a list, or a list that cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A file that is not what the list says; ``what`` is "missing", "changed" or "extra"."""

    what: str
    name: str

    def __str__(self) -> str:
        return f"{self.what}: {self.name}"


def manifest_bytes(digests: Mapping[str, bytes]) -> bytes:
    """The list of files by name; ``digests`` are the files' SHA-256."""
    return "".join(f"{digests[name].hex()}  {name}\n" for name in sorted(digests)).encode()


def read_manifest(folder: Path) -> dict[str, bytes]:
    """SHA-256 by name.

    Raises:
        ManifestError: no such file, or a line of another form.
    """
    path = folder / MANIFEST
    found = {}
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                digest, _, name = line.rstrip("\n").partition("  ")
                found[name] = bytes.fromhex(digest)
    except FileNotFoundError:
        raise ManifestError(f"{path} is missing: no build of this site wrote {folder}") from None
    except ValueError as error:
        raise ManifestError(f"{path}: {error}") from error
    return found


def site_files(folder: Path) -> list[str]:
    """Every file below a folder by its name in the site, sorted."""
    return sorted(name for name, _ in walk(folder))


def walk(folder: Path, below: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every file below a folder: its name in the site, and what the system lists of it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from walk(Path(entry.path), f"{below}{entry.name}/")
            else:
                yield below + entry.name, entry


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
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal, "" where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
