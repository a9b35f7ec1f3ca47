"""Making pages: what one process does, in a worker, on another machine or in a test."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from vramsite.catalog.trace import EVERYTHING, memory, note, recording
from vramsite.site.fresh import Verifier
from vramsite.site.pages import PageKey
from vramsite.site.plan import Chunk
from vramsite.site.render import NOINDEX
from vramsite.site.setup import Site, make_site
from vramsite.site.spec import BuildSpec
from vramsite.site.store import Store, StoredAnswer, Unit, UnitRecord
from vramsite.site.writing import Writer

_HEAD_CHARS = 6000
_CHUNK_PLACES = 2**20
ASSETS: Unit = ("", "assets")
SHARED: Unit = ("", "shared")
_FIRST_PLACES = {ASSETS: 0, SHARED: 1}


class PageError(RuntimeError):
    """A page that could not be made; the message names its key and locale."""


@dataclass(frozen=True, slots=True)
class Made:
    """What came of some units: their records, and the answers found on the way."""

    records: list[UnitRecord]
    answers: list[tuple[tuple[str | float, ...], StoredAnswer]]

    @property
    def pages(self) -> int:
        """HTML pages."""
        return sum(record.pages for record in self.records)

    @property
    def page_bytes(self) -> int:
        """Bytes of the HTML pages."""
        return sum(
            file.size
            for record in self.records
            for name, file in record.files.items()
            if name.endswith(".html")
        )

    def packed(self) -> bytes:
        """For a file or the way home."""
        return pickle.dumps(self, pickle.HIGHEST_PROTOCOL)


def unit_of(key: PageKey) -> Unit:
    """The unit of a page in all its languages, with the files beside it."""
    return (key.kind, *key.ids)


def _place(index: int, position: int) -> int:
    return (index + 1) * _CHUNK_PLACES + position


class Places:
    """Where each unit of a plan stands: one entry a model and one a page of a model are kept."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._models: dict[tuple[str, ...], int] = {}
        self._rest: dict[Unit, int] = {}
        self._single: dict[Unit, int] = {}
        for chunk in chunks:
            if not chunk.model:
                for position, key in enumerate(chunk.rest):
                    self._single[unit_of(key)] = _place(chunk.index, position)
                continue
            self._models[chunk.model] = chunk.index
            if not self._rest:
                self._rest = {unit_of(key): place for place, key in enumerate(chunk.rest)}

    def get(self, unit: Unit) -> int | None:
        """The place of a unit, None if the plan does not have it."""
        found = self._single.get(unit)
        if found is None:
            index = self._models.get(unit[1:2])
            position = self._rest.get((unit[0], *unit[2:]))
            if index is not None and position is not None:
                found = _place(index, position)
        return found


class Maker:
    """A site and its plan, and the means to make any part of it."""

    def __init__(self, spec: BuildSpec, store: Store | None = None) -> None:
        """Load everything; ``store`` is the last build's, if its rules are those of today."""
        self.site: Site = make_site(spec)
        self.chunks = {chunk.index: chunk for chunk in self.site.plan(spec.shard)}
        self.with_shared = spec.shard == "" or spec.shard.startswith("1/")
        self.verifier: Verifier | None = None
        memory.forget()
        facts = self.site.facts
        if store is not None and facts is not None:
            self.verifier = Verifier(store, facts.digest, facts.ask)
            memory.recall = self.verifier.recall

    def places(self) -> Places:
        """Where each unit of the plan stands in the order of the site."""
        return Places(self.chunks.values())

    def pages_of(self, chunk: Chunk, positions: list[int]) -> int:
        """How many pages some keys of a chunk have."""
        return sum(len(self.site.locales_of(chunk.key(position))) for position in positions)

    def stale(self, store: Store) -> tuple[dict[int, list[int]], list[Unit]]:
        """What has to be made although the last build made it: positions by chunk, and those of
        the units that belong to no chunk. ``store`` is the last build's.
        """
        assert self.verifier is not None
        same = self.verifier.same

        def is_stale(unit: Unit) -> bool:
            origin = store.origin_of(unit)
            return origin is None or not same(origin)

        found: dict[int, list[int]] = {}
        for chunk in self.chunks.values():
            stale = [place for place, key in enumerate(chunk.page_keys()) if is_stale(unit_of(key))]
            if stale:
                found[chunk.index] = stale
        return found, [unit for unit in _FIRST_PLACES if self.with_shared and is_stale(unit)]

    def make(self, chunk: Chunk, writer: Writer, positions: list[int] | None = None) -> Made:
        """Make a chunk's pages, or those at some positions, in all their languages.

        Raises:
            PageError: a page kind or template failed.
        """
        records = [
            self._page(chunk, position, writer)
            for position in (range(len(chunk)) if positions is None else positions)
        ]
        return Made(records, self.answers())

    def _page(self, chunk: Chunk, position: int, writer: Writer) -> UnitRecord:
        key, site = chunk.key(position), self.site
        urls = site.context.urls
        indexable: list[str] = []
        self._forget_last()
        with recording() as frame:
            self._untraced()
            for locale in site.locales_of(key):
                html = _html(site, key, locale)
                writer.write(urls.file(key.kind, key.ids, locale), html.encode())
                if site.kinds[key.kind].localized and NOINDEX not in html[:_HEAD_CHARS]:
                    indexable.append(f"{locale}={urls.relative(key.kind, key.ids, locale)}")
            site.write_beside(key, writer)
            day = site.day(key)
        files, parts = writer.take()
        return UnitRecord(
            unit=unit_of(key),
            place=_place(chunk.index, position),
            origin=frame.origin(),
            files=files,
            parts=parts,
            entry="\t".join([day, *indexable]) if indexable else "",
            pages=len(site.locales_of(key)),
        )

    def make_first(self, units: list[Unit], writer: Writer) -> Made:
        """Make what belongs to no page: the assets, or everything else."""
        records = []
        context = self.site.context
        for unit in units:
            with recording() as frame:
                self._untraced()
                if unit == ASSETS:
                    note(("assets",))
                    context.assets.write(writer)
                else:
                    context.write_shared(writer)
            files, parts = writer.take()
            place = _FIRST_PLACES[unit]
            records.append(UnitRecord(unit, place, frame.origin(), files, parts, "", 0))
        return Made(records, self.answers())

    def _untraced(self) -> None:
        if self.site.facts is None:
            note(EVERYTHING)

    def _forget_last(self) -> None:
        self.site.context.cache.forget_last()
        if self.site.context.book is not None:
            self.site.context.book.memo.forget_last()
            self.site.context.book.forget_pairs()

    @staticmethod
    def answers() -> list[tuple[tuple[str | float, ...], StoredAnswer]]:
        """The answers found since the last call, as they travel."""
        found = []
        for fact, answer in memory.taken().items():
            try:
                value = pickle.dumps(answer.value, pickle.HIGHEST_PROTOCOL)
            except (TypeError, AttributeError, pickle.PicklingError):
                value = None
            found.append((fact, StoredAnswer(answer.digest, answer.origin, value)))
        return found


def _html(site: Site, key: PageKey, locale: str) -> str:
    try:
        return site.page(key, locale)
    except Exception as error:
        name = "/".join((key.kind, *key.ids))
        raise PageError(f"page {name} ({locale}): {type(error).__name__}: {error}") from error


def unpacked(packed: bytes) -> Made:
    """The inverse of `Made.packed`; for what a worker of this very build made."""
    made = pickle.loads(packed)
    assert isinstance(made, Made)
    return made


def read_made(path: Path) -> Made:
    """What a worker of this build left in a file."""
    return unpacked(path.read_bytes())
