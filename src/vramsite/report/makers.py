"""The makers of models and devices, each with what the catalog has of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.families import Family, families
from vramsite.report.hubs import ModelEntry, model_entry

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.report.book import Book
    from vramsite.report.cards import PricedCard


@dataclass(frozen=True, slots=True)
class Maker:
    """A maker; `model_ids` newest first, those without a date last, `gpu_ids` by memory."""

    slug: str
    name: str
    model_ids: tuple[str, ...]
    gpu_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MakerView:
    """The page of a maker; `families` are those with a page of their own."""

    maker: Maker
    models: list[ModelEntry]
    devices: list[PricedCard]
    families: list[Family]


@dataclass(frozen=True, slots=True)
class FamilyView:
    """The page of a family: its models by size, whose they are, and the least and greatest need."""

    family: Family
    maker: Maker
    models: list[ModelEntry]
    least_bytes: float
    most_bytes: float


def makers(catalog: Catalog) -> dict[str, Maker]:
    """All makers by slug, in order of their names."""
    names: dict[str, str] = {}
    models: dict[str, list[str]] = {}
    devices: dict[str, list[str]] = {}
    for model in sorted(catalog.models.values(), key=lambda one: one.id):
        names.setdefault(model.vendor_slug, model.vendor)
        models.setdefault(model.vendor_slug, []).append(model.id)
    for gpu in sorted(catalog.gpus.values(), key=lambda one: (one.memory_gb, one.id)):
        names.setdefault(gpu.vendor_slug, gpu.vendor)
        devices.setdefault(gpu.vendor_slug, []).append(gpu.id)
    for ids in models.values():
        ids.sort(key=lambda one: str(catalog.models[one].released or ""), reverse=True)
    ordered = sorted(names, key=lambda slug: (names[slug].casefold(), slug))
    return {
        slug: Maker(slug, names[slug], tuple(models.get(slug, ())), tuple(devices.get(slug, ())))
        for slug in ordered
    }


def maker_view(book: Book, slug: str) -> MakerView:
    """The page of one maker."""
    maker = makers(book.catalog)[slug]
    own = {one: book.catalog.models[one] for one in maker.model_ids}
    return MakerView(
        maker=maker,
        models=[model_entry(book, one) for one in maker.model_ids],
        devices=[book.priced_card(one) for one in maker.gpu_ids],
        families=[
            family
            for family in families(book.catalog.models).values()
            if family.has_page and family.model_ids[0] in own
        ],
    )


def family_view(book: Book, slug: str) -> FamilyView:
    """The page of one family."""
    family = families(book.catalog.models)[slug]
    first = book.catalog.models[family.model_ids[0]]
    entries = [model_entry(book, one) for one in family.model_ids]
    needs = [entry.summary.needed_bytes for entry in entries]
    return FamilyView(
        family=family,
        maker=makers(book.catalog)[first.vendor_slug],
        models=entries,
        least_bytes=min(needs),
        most_bytes=max(needs),
    )
