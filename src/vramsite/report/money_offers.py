"""Machines to rent that hold a model: the same list on all pages of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.choices import page_settings, short_context
from vramsite.report.money_prices import newest_price_day
from vramsite.sizing.cost import rent_a_month, rented_per_million
from vramsite.sizing.cost_records import Figure, Use
from vramsite.sizing.fit import with_placement

if TYPE_CHECKING:
    from datetime import date

    from vramsite.catalog import OfferRecord
    from vramsite.report.book import Book
    from vramsite.sizing.records import Size

SHOWN_OFFERS = 6


@dataclass(frozen=True, slots=True)
class OfferRow:
    """A machine to rent, of whose `devices` `needed` would do; `as_of` as precise as known.

    `output_usd`: a million tokens written for one user.
    """

    provider: str
    instance: str
    gpu_id: str
    gpu_name: str
    devices: int
    needed: int
    memory_gb: float
    usd_per_hour: float
    month_usd: Figure
    billing: str
    as_of: str
    old: bool
    output_tps: float | None
    output_usd: Figure


@dataclass(frozen=True, slots=True)
class Offers:
    """The cheapest machines, of `count` that hold the model; `newest` is what ages count from."""

    rows: list[OfferRow]
    count: int
    newest: date
    age_days: int


def use_of(book: Book) -> Use:
    """The stated use; a month is a twelfth of 365.25 days."""
    money = book.catalog.assumptions.money
    assert money is not None
    return Use(
        hours_a_day=money.hours_a_day.value,
        days_a_month=365.25 / 12.0,
        busy_share=money.busy_share.value,
        own_on_hours_a_day=money.own_on_hours_a_day.value,
    )


def machine_size(book: Book, model_id: str, gpu_id: str, devices: int) -> Size | None:
    """The default configuration on so many devices, None where the engine refuses it."""
    model = book.catalog.models[model_id]
    settings = page_settings(book.catalog.gpus[gpu_id], context_tokens=short_context(model))
    if devices > 1:
        settings = with_placement(settings, float(devices), None, None)
    return book.try_size(model_id, gpu_id, settings)


def devices_needed(book: Book, model_id: str, gpu_id: str) -> int | None:
    """The least number of these devices that holds the default configuration whole."""
    size = machine_size(book, model_id, gpu_id, 1)
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
    key = ("device_offers",)
    table = book.memo.get(key)
    if not isinstance(table, dict):
        table = book.memo[key] = _by_device(book.catalog.offers)
    found: list[OfferRecord] = table.get(gpu_id, [])
    return found


def _by_device(offers: list[OfferRecord]) -> dict[str, list[OfferRecord]]:
    table: dict[str, list[OfferRecord]] = {}
    for offer in sorted(offers, key=_by_price):
        table.setdefault(offer.gpu, []).append(offer)
    return table


def _by_price(offer: OfferRecord) -> tuple[float, str, str]:
    return offer.usd_per_hour, offer.provider, offer.instance


def offer_row(book: Book, model_id: str, offer: OfferRecord, needed: int) -> OfferRow:
    """An offer with what it costs in use; devices beyond twice those needed stay idle."""
    use = use_of(book)
    working = offer.gpu_count if offer.gpu_count < 2 * needed else needed
    size = machine_size(book, model_id, offer.gpu, working)
    tps = size.decode_tps.value if size is not None else None
    gpu = book.catalog.gpus[offer.gpu]
    return OfferRow(
        provider=offer.provider,
        instance=offer.instance,
        gpu_id=offer.gpu,
        gpu_name=gpu.name,
        devices=offer.gpu_count,
        needed=needed,
        memory_gb=gpu.memory_gb * offer.gpu_count,
        usd_per_hour=offer.usd_per_hour,
        month_usd=rent_a_month(offer.usd_per_hour, use),
        billing=offer.billing,
        as_of=shown_date(offer),
        old=is_old(book, offer.as_of),
        output_tps=tps,
        output_usd=rented_per_million(offer.usd_per_hour, tps, use),
    )


def model_offers(book: Book, model_id: str) -> Offers:
    """The cheapest machines with enough devices of any kind for the default configuration."""
    key = ("model_offers", model_id)
    known = book.memo.get(key)
    if isinstance(known, Offers):
        return known
    money = book.catalog.assumptions.money
    assert money is not None
    fitting: list[tuple[OfferRecord, int]] = []
    needs: dict[str, int | None] = {}
    for offer in book.catalog.offers:
        if offer.gpu not in book.catalog.gpus:
            continue
        if offer.gpu not in needs:
            needs[offer.gpu] = devices_needed(book, model_id, offer.gpu)
        needed = needs[offer.gpu]
        if needed is not None and needed <= offer.gpu_count:
            fitting.append((offer, needed))
    fitting.sort(key=lambda found: _by_price(found[0]))
    found = Offers(
        rows=[offer_row(book, model_id, *entry) for entry in fitting[:SHOWN_OFFERS]],
        count=len(fitting),
        newest=newest_price_day(book),
        age_days=int(money.price_age_days.value),
    )
    book.memo[key] = found
    return found
