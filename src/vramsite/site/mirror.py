"""The unfinished folder as a copy of the published site, by links: what did not change stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from vramsite.site.manifest import ManifestError, read_manifest
from vramsite.site.publish import remove
from vramsite.site.writing import FileFacts


def spare_digests(spare: Path) -> dict[str, bytes] | None:
    """What lies in a spare folder, None where nobody knows."""
    try:
        return read_manifest(spare)
    except ManifestError:
        return None


def mirror(
    live: Path, folder: Path, files: Mapping[str, FileFacts], known: dict[str, bytes] | None
) -> None:
    """Make ``folder`` hold the files of ``live``, each by a link (a copy where there are none).

    ``known`` is what the folder held when it was the published site: a file that has the same
    content in both is the same file, since builds link what has not changed.
    """
    if known is None:
        shutil.rmtree(folder)
        folder.mkdir()
        known = {}
    remove(folder, [name for name in known if name not in files])
    made: set[Path] = set()
    for name, facts in files.items():
        if known.get(name) == facts.digest:
            continue
        path = folder / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.unlink(missing_ok=True)
        try:
            os.link(f"{live}/{name}", path)
        except OSError:
            shutil.copy2(f"{live}/{name}", path)
