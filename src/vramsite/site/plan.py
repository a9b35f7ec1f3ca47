"""What a build makes: page keys cut into chunks, each small enough to be handed to any worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vramsite.site.pages import PageKey, PageKind, PerModelKind, SingleKind
from vramsite.site.urls import Urls

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

_LOOSE_CHUNK_KEYS = 8


class PlanError(ValueError):
    """A selection or plan that makes no sense; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages one worker makes in a row, for all locales, so that it sizes each pair once.

    ``model`` is the model's id alone, empty for pages of no model; ``rest`` are the pages without
    it, the same object for all models. ``pages`` counts HTML files.
    """

    index: int
    model: tuple[str, ...]
    rest: tuple[PageKey, ...]
    pages: int

    def __len__(self) -> int:
        return len(self.rest)

    def key(self, position: int) -> PageKey:
        """One of the pages."""
        key = self.rest[position]
        return PageKey(key.kind, self.model + key.ids)

    def page_keys(self) -> list[PageKey]:
        """All of them, made as they are asked for."""
        return [self.key(position) for position in range(len(self.rest))]


def select(catalog: Catalog, models: Sequence[str], devices: Sequence[str]) -> Catalog:
    """The catalog cut down to some models and devices (an empty list: all of them).

    Raises:
        PlanError: an id that the catalog does not hold.
    """
    if models:
        _known("model", models, catalog.models)
    if devices:
        _known("device", devices, catalog.gpus)
    models, devices = models or list(catalog.models), devices or list(catalog.gpus)
    return replace(
        catalog,
        models={name: record for name, record in catalog.models.items() if name in models},
        gpus={name: record for name, record in catalog.gpus.items() if name in devices},
        offers=[offer for offer in catalog.offers if offer.gpu in devices],
    )


def _known(what: str, ids: Iterable[str], known: Mapping[str, object]) -> None:
    for entry_id in ids:
        if entry_id not in known:
            raise PlanError(f"--only: no {what} {entry_id!r} in the catalog")


def make_plan(
    kinds: Mapping[str, PageKind], catalog: Catalog, locales: tuple[str, ...]
) -> list[Chunk]:
    """Every page of the site in chunks: one a model with its pairs, the others a few at a time.

    The same catalog gives the same plan in every process. Models of one architecture follow each
    other: what is worked out once for an architecture is still at hand for the next model. A plan
    holds an entry a model and one a page of a model, never one a pair.
    """
    rest: list[PageKey] = []
    single: list[PageKey] = []
    for kind in kinds.values():
        if isinstance(kind, PerModelKind):
            rest += kind.per_model(catalog)
        elif isinstance(kind, SingleKind):
            single += kind.keys(catalog)

    def pages(keys: Sequence[PageKey]) -> int:
        return sum(len(page_locales(kinds[key.kind], locales)) for key in keys)

    of_model = tuple(sorted(rest))
    pages_of_model = pages(of_model)
    alike = {name: model.gguf_arch or "" for name, model in catalog.models.items()}
    models = sorted(alike, key=lambda name: (alike[name], name)) if of_model else []
    chunks = [
        Chunk(index, (model_id,), of_model, pages_of_model) for index, model_id in enumerate(models)
    ]
    single.sort()
    for start in range(0, len(single), _LOOSE_CHUNK_KEYS):
        some = tuple(single[start : start + _LOOSE_CHUNK_KEYS])
        chunks.append(Chunk(len(chunks), (), some, pages(some)))
    return chunks


def page_locales(kind: PageKind, locales: tuple[str, ...]) -> tuple[str, ...]:
    """The locales a kind is rendered in: all, or only the source for files without language."""
    return locales if kind.localized else locales[:1]


def check_addresses(chunks: Iterable[Chunk], urls: Urls) -> None:
    """Refuse a plan in which two pages share an address, even if only but for their case.

    No two patterns of ``urls.PATTERNS`` give the same address and each holds all ids of its pages,
    so it is enough that no ids are there twice: those of a model's pages are looked at once.

    Raises:
        PlanError: names both pages. UrlError: an id that cannot stand in an address.
    """
    seen: dict[tuple[str, ...], PageKey] = {}
    rest: tuple[PageKey, ...] = ()
    for chunk in chunks:
        keys = [chunk.key(0)] if chunk.model and chunk.rest == rest else chunk.page_keys()
        for key in keys:
            urls.relative(key.kind, key.ids, "en")
        if chunk.model:
            _see(seen, ("", *chunk.model), keys[0])
        if not chunk.model or chunk.rest != rest:
            for key in keys:
                _see(seen, (key.kind, *key.ids), key)
        rest = chunk.rest


def _see(seen: dict[tuple[str, ...], PageKey], ids: tuple[str, ...], key: PageKey) -> None:
    folded = tuple(part.casefold() for part in ids)
    if folded in seen:
        raise PlanError(f"{key} and {seen[folded]} share their address")
    seen[folded] = key


def shard(chunks: Sequence[Chunk], spec: str) -> list[Chunk]:
    """Every n-th chunk for one machine of several: ``"2/4"`` is the second of four.

    Raises:
        PlanError: not of the form k/n with 1 ≤ k ≤ n.
    """
    first, _, second = spec.partition("/")
    if not (first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise PlanError(f"shard {spec!r} must look like 2/4: the second of four")
    return [chunk for chunk in chunks if chunk.index % int(second) == int(first) - 1]
