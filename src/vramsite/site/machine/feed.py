"""The news as an Atom feed (RFC 4287): what is new in the catalog, and numbers that changed.

New are models by their release and devices by their launch; changed are street prices and the
hourly prices of a provider, each by the day it was seen. The dates are those of the catalog, never
the clock's, so that a build gives the same feed again. A date of which only the month is known
stands for its first day; a price of which only the year is known is no news.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Environment

    from vramsite.catalog import Catalog, GpuRecord, ModelRecord, OfferRecord
    from vramsite.site.urls import Urls

MOST_ENTRIES = 60
EMPTY = "2000-01-01T00:00:00Z"
"""What a feed without entries was updated at: Atom wants a date."""


@dataclass(frozen=True, slots=True)
class Rents:
    """The hourly prices of one provider seen on one day; ``lowest`` is for a single device."""

    provider: str
    count: int
    devices: int
    lowest_usd: float


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of news. ``kind``: "model", "device", "price" (of ``device``) or "rents".

    ``updated`` is a moment after RFC 3339, ``id`` the entry's own address for ever, ``address``
    the page to read; the records that do not belong to the kind are None.
    """

    kind: str
    updated: str
    id: str
    address: str
    model: ModelRecord | None = None
    device: GpuRecord | None = None
    rents: Rents | None = None


def moment(date: str) -> str:
    """The first moment of a day, month or year: 2026-08 is 2026-08-01T00:00:00Z."""
    year, month, day = (*date.split("-"), "01", "01")[:3]
    return f"{year}-{month}-{day}T00:00:00Z"


def feed_entries(catalog: Catalog, urls: Urls, locale: str) -> list[Entry]:
    """The newest entries that have a date, newest first, then by id."""
    found = [*_models(catalog, urls, locale), *_devices(catalog, urls, locale)]
    found += _rents(catalog, urls, locale)
    found.sort(key=lambda entry: entry.id)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    return found[:MOST_ENTRIES]


def _models(catalog: Catalog, urls: Urls, locale: str) -> Iterator[Entry]:
    for model in catalog.models.values():
        if model.released:
            address = urls.absolute(urls.path("model", (model.id,), locale))
            yield Entry("model", moment(str(model.released)), address, address, model=model)


def _devices(catalog: Catalog, urls: Urls, locale: str) -> Iterator[Entry]:
    for gpu in catalog.gpus.values():
        address = urls.absolute(urls.path("device", (gpu.id,), locale))
        if gpu.launched:
            yield Entry("device", moment(str(gpu.launched)), address, address, device=gpu)
        street = gpu.street_usd
        if street is not None and "-" in street.as_of:
            own = f"{address}#price-{street.as_of}"
            yield Entry("price", moment(street.as_of), own, address, device=gpu)


def _rents(catalog: Catalog, urls: Urls, locale: str) -> Iterator[Entry]:
    seen: dict[tuple[str, str], list[OfferRecord]] = {}
    for offer in catalog.offers:
        if offer.as_of_precision != "year":
            seen.setdefault((offer.provider_slug, offer.as_of.isoformat()), []).append(offer)
    address = urls.absolute(urls.path("devices", (), locale))
    for (slug, day), offers in seen.items():
        rents = Rents(
            provider=offers[0].provider,
            count=len(offers),
            devices=len({offer.gpu for offer in offers}),
            lowest_usd=min(offer.usd_per_hour / offer.gpu_count for offer in offers),
        )
        yield Entry("rents", moment(day), f"{address}#rents-{slug}-{day}", address, rents=rents)


def feed(catalog: Catalog, urls: Urls, env: Environment, locale: str) -> bytes:
    """The feed of one language; ``env`` is the language's environment."""
    entries = feed_entries(catalog, urls, locale)
    text = env.get_template("machine/feed.html").render(
        entries=entries,
        updated=entries[0].updated if entries else EMPTY,
        address=urls.absolute(urls.path("feed", (), locale)),
        home=urls.absolute(urls.path("home", (), locale)),
    )
    return text.encode()
