"""Machines to rent that hold a model: the same list on all pages of the model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from vramsite.report.choices import page_settings, short_context
from vramsite.report.money_prices import newest_price_day
from vramsite.sizing.cost_machine import working_devices
from vramsite.sizing.fit import with_placement

if TYPE_CHECKING:
    from datetime import date

    from vramsite.catalog import OfferRecord
    from vramsite.report.book import Book
    from vramsite.sizing.cost_results import OfferCost
    from vramsite.sizing.records import Settings, Size

SHOWN_OFFERS = 6


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A machine to rent, of whose `devices` `needed` would do; `as_of` as precise as known.

    `output_tps`: what it writes for one user.
    """

    provider: str
    instance: str
    gpu_id: str
    gpu_name: str
    devices: int
    needed: int
    memory_gb: float
    usd_per_hour: float
    billing: list[str]
    as_of: str
    old: bool
    output_tps: float | None


@dataclass(frozen=True, slots=True)
class ModelOffers:
    """The cheapest machines, of `count` that hold the model."""

    rows: list[OfferRow]
    count: int


@dataclass(frozen=True, slots=True)
class Offers:
    """The same with what each costs in use; `newest` (ISO) is what ages count from."""

    rows: list[tuple[OfferRow, OfferCost]]
    count: int
    newest: str
    age_days: int


def settings_on(book: Book, gpu_id: str, asked: Settings, devices: int) -> Settings:
    """The same question on so many of another device, nothing offloaded by choice."""
    backends = book.catalog.gpus[gpu_id].backends
    moved = replace(asked, backend=backends[0] if backends else "cuda")
    return with_placement(moved, float(devices), None, None)


def machine_size(
    book: Book, model_id: str, gpu_id: str, devices: int, asked: Settings | None = None
) -> Size | None:
    """The default configuration, or that of `asked`, on so many devices.

    None where the engine refuses it.
    """
    if asked is not None:
        return book.try_size(model_id, gpu_id, settings_on(book, gpu_id, asked, devices))
    model = book.catalog.models[model_id]
    settings = page_settings(book.catalog.gpus[gpu_id], context_tokens=short_context(model))
    if devices > 1:
        settings = with_placement(settings, float(devices), None, None)
    return book.try_size(model_id, gpu_id, settings)


def devices_needed(
    book: Book, model_id: str, gpu_id: str, asked: Settings | None = None
) -> int | None:
    """The least number of these devices that holds the default configuration, or `asked`, whole."""
    size = machine_size(book, model_id, gpu_id, 1, asked)
    needed = size.fit.gpus_needed if size is not None else None
    return int(needed) if needed is not None else None


def shown_date(offer: OfferRecord) -> str:
    """The date of a price, as precise as it is known: 2026-11-05, 2026-11 or 2026."""
    length = {"day": 10, "month": 7, "year": 4}[offer.as_of_precision]
    return offer.as_of.isoformat()[:length]


def is_old(book: Book, as_of: date) -> bool:
    """Whether a price is older than the stated age, counted from the newest on record."""
    money = book.catalog.assumptions.money
    assert money is not None
    return (newest_price_day(book) - as_of).days > money.price_age_days.value


def device_offers(book: Book, gpu_id: str) -> list[OfferRecord]:
    """Offers with this device, the cheapest first."""
    key = ("device_offers", gpu_id)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    table = book.memo.get(("offers_by_device",))
    if not isinstance(table, dict):
        table = book.memo[("offers_by_device",)] = _by_device(book.catalog.offers)
    found: list[OfferRecord] = table.get(gpu_id, [])
    book.memo[key] = found
    return found


def _by_device(offers: list[OfferRecord]) -> dict[str, list[OfferRecord]]:
    table: dict[str, list[OfferRecord]] = {}
    for offer in sorted(offers, key=_by_price):
        table.setdefault(offer.gpu, []).append(offer)
    return table


def _by_price(offer: OfferRecord) -> tuple[float, str, str]:
    return offer.usd_per_hour, offer.provider, offer.instance


def offer_text(book: Book, offer: OfferRecord) -> dict[str, Any]:
    """The fields of an `OfferRow` that are the offer's own."""
    gpu = book.catalog.gpus[offer.gpu]
    return {
        "provider": offer.provider,
        "instance": offer.instance,
        "gpu_id": offer.gpu,
        "gpu_name": gpu.name,
        "devices": offer.gpu_count,
        "memory_gb": gpu.memory_gb * offer.gpu_count,
        "usd_per_hour": offer.usd_per_hour,
        "billing": offer.billing.split(", "),
        "as_of": shown_date(offer),
        "old": is_old(book, offer.as_of),
    }


def _offer_row(
    book: Book, model_id: str, offer: OfferRecord, needed: int, asked: Settings | None
) -> OfferRow:
    """An offer with what it writes; devices beyond twice those needed stay idle."""
    working = int(working_devices(float(needed), float(offer.gpu_count)))
    size = machine_size(book, model_id, offer.gpu, working, asked)
    return OfferRow(
        **offer_text(book, offer),
        needed=needed,
        output_tps=size.decode_tps.value if size is not None else None,
    )


def model_offers(book: Book, model_id: str, asked: Settings | None = None) -> ModelOffers:
    """The cheapest machines with enough devices of any kind for the default configuration.

    With `asked`, for those settings on other devices: format, context, sequences, caches.
    """
    if asked is not None:
        return _model_offers(book, model_id, asked)
    key = ("model_offers", model_id)
    known = book.memo.get(key)
    if not isinstance(known, ModelOffers):
        known = book.memo[key] = _model_offers(book, model_id, None)
    return known


def _model_offers(book: Book, model_id: str, asked: Settings | None) -> ModelOffers:
    fitting: list[tuple[OfferRecord, int]] = []
    needs: dict[str, int | None] = {}
    for offer in book.catalog.offers:
        if offer.gpu not in book.catalog.gpus:
            continue
        if offer.gpu not in needs:
            needs[offer.gpu] = devices_needed(book, model_id, offer.gpu, asked)
        needed = needs[offer.gpu]
        if needed is not None and needed <= offer.gpu_count:
            fitting.append((offer, needed))
    fitting.sort(key=lambda found: _by_price(found[0]))
    shown = fitting[:SHOWN_OFFERS]
    return ModelOffers(
        rows=[_offer_row(book, model_id, offer, needed, asked) for offer, needed in shown],
        count=len(fitting),
    )
