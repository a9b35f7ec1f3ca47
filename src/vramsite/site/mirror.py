"""The unfinished folder as a copy of the published site, by links: what did not change stays."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TextIO

from vramsite.site.manifest import MANIFEST, ManifestError, listed, walk
from vramsite.site.publish import remove
from vramsite.site.store import Store
from vramsite.site.writing import MARKER, FileFacts, remove_entry


def open_list(spare: Path) -> TextIO | None:
    """The list of what lies in a spare folder, None where there is none.

    A build that takes the folder removes the list at once; what is open can still be read.
    """
    try:
        return (spare / MANIFEST).open(encoding="utf-8")
    except OSError:
        return None


def mirror(live: Path, folder: Path, store: Path, known: TextIO | None) -> None:
    """Make ``folder`` hold the files of ``live``, each by a link (a copy where there are none).

    ``store`` is the live site's. ``known`` lists what the folder held when it was the published
    site and is closed: a file that has the same content in both is the same file, since builds
    link what has not changed. One that looks otherwise (size, time) was changed by somebody since,
    and is linked anew like all others. The lists are read side by side, never as a whole.
    """
    with closing(Store(store)) as of_live:
        _remove_strange(folder, of_live.names())
        held = _known_digests(known)
        known_name, known_digest = next(held)
        last_parent: Path | None = None
        for name, facts in of_live.files():
            while known_name < name:
                known_name, known_digest = next(held)
            path = folder / name
            if (known_name, known_digest) == (name, facts.digest) and _is(path, facts):
                continue
            if path.parent != last_parent:
                path.parent.mkdir(parents=True, exist_ok=True)
                last_parent = path.parent
            _link(live / name, path)


def _remove_strange(folder: Path, names: Iterator[str]) -> None:
    """Remove links, and what the site does not have."""
    name = next(names, None)
    for there, entry in walk(folder):
        while name is not None and name < there:
            name = next(names, None)
        if there != name or entry.is_symlink():
            remove(folder, [there])


def _known_digests(known: TextIO | None) -> Iterator[tuple[str, bytes]]:
    """What the list says as far as it can be read, then for ever a name that comes after all."""
    if known is not None:
        with known, suppress(ManifestError):
            yield from listed(known)
    while True:
        yield "\U0010ffff", b""


def _is(path: Path, facts: FileFacts) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    seen = (status.st_size, status.st_mtime_ns)
    return stat.S_ISREG(status.st_mode) and seen == (facts.size, facts.mtime_ns)


def _link(live: Path, path: Path) -> None:
    if path.name == MARKER:  # it stays where it is, with the time of the published one
        shutil.copystat(live, path)
        return
    with suppress(FileNotFoundError):
        remove_entry(str(path))
    try:
        os.link(live, path)
    except OSError:
        shutil.copy2(live, path)
