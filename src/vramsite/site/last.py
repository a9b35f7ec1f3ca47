"""The last build of a folder, as far as the next one may rest on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vramsite.site.inputs import FileState, Inputs, assets_from
from vramsite.site.manifest import MANIFEST, file_digest, walk
from vramsite.site.publish import store_file
from vramsite.site.store import Store, StoreError
from vramsite.site.writing import FileFacts

_META = {"everything", "rules", "traced", "shard", "assets", "assets_from", "sitemap_urls"}


@dataclass(frozen=True, slots=True)
class LastBuild:
    """What the site in the folder was made from."""

    inputs: dict[str, FileState]
    meta: dict[str, str]
    pages: int

    @property
    def sitemap_urls(self) -> int:
        """Addresses in its sitemaps."""
        return int(self.meta["sitemap_urls"])

    @property
    def assets(self) -> tuple[str, ...]:
        """Its assets, as `Assets.kept` takes them."""
        return tuple(self.meta["assets"].split(" "))

    def is_of(self, inputs: Inputs) -> bool:
        """Whether it is what a build would make today."""
        return self._same_part(inputs) and self.meta["everything"] == inputs.everything()

    def serves(self, inputs: Inputs) -> bool:
        """Whether its pages are true under the rules of today as long as their facts are."""
        traced = self.meta["traced"] == "yes" and self._same_part(inputs)
        return traced and self.meta["rules"] == inputs.rules()

    def _same_part(self, inputs: Inputs) -> bool:
        return self.meta["shard"] == inputs.spec.shard

    def assets_serve(self, inputs: Inputs) -> bool:
        """Whether nothing that its assets are made from has changed, apart from the rules."""
        return self.meta["assets_from"] == assets_from(inputs)


def last_build(output: Path) -> LastBuild | None:
    """The last build of a folder; None where there is none whose site lies there untouched."""
    try:
        store = Store(store_file(output))
    except StoreError:
        return None
    try:
        if not store.is_sound():
            return None
        if store.meta["manifest"] != file_digest(output / MANIFEST):
            return None
        if not _untouched(output, store.files()):
            return None
        if not store.meta.keys() >= _META or {*map(type, store.meta.values())} != {str}:
            return None
        return LastBuild(store.inputs(), store.meta, store.pages())
    except (StoreError, sqlite3.Error, OSError, KeyError, TypeError, ValueError):
        return None
    finally:
        store.close()


def _untouched(folder: Path, files: Iterator[tuple[str, FileFacts]]) -> bool:
    """Whether the folder holds these files and no others, by their sizes and times."""
    for name, entry in walk(folder):
        expected, facts = next(files, ("", None))
        if facts is None or expected != name:
            return False
        status = entry.stat(follow_symlinks=False)
        if (status.st_size, status.st_mtime_ns) != (facts.size, facts.mtime_ns):
            return False
    return next(files, None) is None
