"""What a build makes: page keys cut into chunks, each small enough to be handed to any worker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from vramsite.site.pages import PageKey, PageKind
from vramsite.site.urls import Urls

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

_MODEL_KINDS = frozenset({"every_device", "model", "pair"})
_LOOSE_CHUNK_KEYS = 8


class PlanError(ValueError):
    """A selection or plan that makes no sense; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages one worker makes in a row, for all locales, so that it sizes each pair once."""

    index: int
    keys: tuple[PageKey, ...]


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


def make_plan(kinds: Mapping[str, PageKind], catalog: Catalog) -> list[Chunk]:
    """Every page of the site in chunks: one a model with its pairs, the others a few at a time.

    The same catalog gives the same plan in every process. Models of one architecture follow each
    other: what is worked out once for an architecture is still at hand for the next model.
    """
    by_model: dict[str, list[PageKey]] = {}
    loose: list[PageKey] = []
    for kind in kinds.values():
        for key in kind.keys(catalog):
            if key.kind in _MODEL_KINDS:
                by_model.setdefault(key.ids[0], []).append(key)
            else:
                loose.append(key)
    alike = {name: model.gguf_arch or "" for name, model in catalog.models.items()}
    parts = [
        sorted(by_model[name]) for name in sorted(by_model, key=lambda name: (alike[name], name))
    ]
    loose.sort()
    for start in range(0, len(loose), _LOOSE_CHUNK_KEYS):
        parts.append(loose[start : start + _LOOSE_CHUNK_KEYS])
    return [Chunk(index, tuple(keys)) for index, keys in enumerate(parts)]


def page_locales(kind: PageKind, locales: tuple[str, ...]) -> tuple[str, ...]:
    """The locales a kind is rendered in: all, or only the source for files without language."""
    return locales if kind.localized else locales[:1]


def check_addresses(
    chunks: Iterable[Chunk], kinds: Mapping[str, PageKind], urls: Urls, locales: tuple[str, ...]
) -> None:
    """Refuse a plan in which two pages share an address, even if only but for their case.

    Raises:
        PlanError: names both pages.
    """
    seen: dict[str, PageKey] = {}
    for chunk in chunks:
        for key in chunk.keys:
            for locale in page_locales(kinds[key.kind], locales):
                file = urls.file(key.kind, key.ids, locale).casefold()
                if file in seen:
                    raise PlanError(f"{key} and {seen[file]} share the address {file}")
                seen[file] = key


def shard(chunks: Sequence[Chunk], spec: str) -> list[Chunk]:
    """Every n-th chunk for one machine of several: ``"2/4"`` is the second of four.

    Raises:
        PlanError: not of the form k/n with 1 ≤ k ≤ n.
    """
    first, _, second = spec.partition("/")
    if not (first.isdigit() and second.isdigit() and 1 <= int(first) <= int(second)):
        raise PlanError(f"shard {spec!r} must look like 2/4: the second of four")
    return [chunk for chunk in chunks if chunk.index % int(second) == int(first) - 1]
