"""Prices and factors with their dates: devices, electricity, exchange rates, emissions, hosting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from vramsite.sizing.cost_records import Figure

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord
    from vramsite.catalog.hosted_api_record import HostedPrice
    from vramsite.catalog.money_facts import MoneyFacts
    from vramsite.catalog.power_record import Pue
    from vramsite.catalog.side_records import ElectricityPrice, ExchangeRate, GridCarbon
    from vramsite.report.book import Book

CONFIDENCE = ("high", "medium", "low")
SHOWN_HOSTED = 3


@dataclass(frozen=True, slots=True)
class DevicePrice:
    """What one device costs: the middle of a street price, else the list price at launch.

    `condition`: new, used, list. `as_of` is a day, month or year, None where none is on record.
    """

    usd: float
    low: float
    high: float
    condition: str
    as_of: str | None


@dataclass(frozen=True, slots=True)
class Electricity:
    """A kilowatt hour in its own currency, and in USD at the European Central Bank's rate."""

    country: str
    sector: str
    price: float
    currency: str
    as_of: date
    usd_per_kwh: Figure
    rate: float | None
    rate_as_of: date | None


def device_price(gpu: GpuRecord) -> DevicePrice | None:
    """The price to reckon with; None where none is known."""
    street = gpu.street_usd
    if street is not None:
        middle = (street.low + street.high) / 2.0
        return DevicePrice(middle, street.low, street.high, street.condition, street.as_of)
    if gpu.msrp_usd is None:
        return None
    return DevicePrice(gpu.msrp_usd, gpu.msrp_usd, gpu.msrp_usd, "list", gpu.launched)


def usd_rate(facts: MoneyFacts, currency: str) -> ExchangeRate | None:
    """USD for one unit of a currency: the newest rate on record, None for none."""
    rows = [row for row in facts.electricity.exchange_rates if row.pair == f"{currency}/USD"]
    return max(rows, key=lambda row: row.as_of) if rows else None


def electricity(book: Book, country: str, sectors: list[str]) -> Electricity | None:
    """The best price of the first sector that the country has; national, none of a region."""
    key = ("electricity", country, *sectors)
    if key not in book.memo:
        book.memo[key] = _found_electricity(book.money_facts(), country, sectors)
    found = book.memo[key]
    return found if isinstance(found, Electricity) else None


def _found_electricity(facts: MoneyFacts, country: str, sectors: list[str]) -> Electricity | None:
    for sector in sectors:
        rows = [
            row
            for row in facts.electricity.prices
            if row.country == country and row.sector == sector and row.region is None
        ]
        if rows:
            return _electricity(facts, min(rows, key=_trust))
    return None


def _trust(row: ElectricityPrice) -> tuple[int, int]:
    return CONFIDENCE.index(row.confidence), -row.as_of.toordinal()


def _electricity(facts: MoneyFacts, row: ElectricityPrice) -> Electricity:
    rate = usd_rate(facts, row.currency) if row.currency != "USD" else None
    if row.currency == "USD":
        usd = Figure(value=row.price_per_kwh)
    elif rate is None:
        usd = Figure(value=None, reason="rate_unknown")
    else:
        usd = Figure(value=row.price_per_kwh * rate.rate)
    return Electricity(
        country=row.country,
        sector=row.sector,
        price=row.price_per_kwh,
        currency=row.currency,
        as_of=row.as_of,
        usd_per_kwh=usd,
        rate=rate.rate if rate is not None else None,
        rate_as_of=rate.as_of if rate is not None else None,
    )


def grid_carbon(facts: MoneyFacts, country: str) -> GridCarbon | None:
    """Emissions of the country's grid: a figure of a stated year before one without."""
    rows = [row for row in facts.co2.rows if row.country == country]
    if not rows:
        return None
    return max(rows, key=lambda row: (row.as_of_kind is None, row.as_of))


def site_pue(facts: MoneyFacts, site: str) -> Pue | None:
    """The newest figure of a site."""
    rows = [row for row in facts.power.pue if row.site == site]
    return max(rows, key=lambda row: row.as_of) if rows else None


def hosted_prices(book: Book, model_id: str) -> list[HostedPrice]:
    """The cheapest hosted prices of a model by output, one a provider; no batch tier, no offer
    that is marked as being withdrawn."""
    key = ("hosted_prices",)
    table = book.memo.get(key)
    if not isinstance(table, dict):
        table = book.memo[key] = _hosted_by_model(book.money_facts())
    found: list[HostedPrice] = table.get(model_id, [])
    return found


def _hosted_by_model(facts: MoneyFacts) -> dict[str, list[HostedPrice]]:
    table: dict[str, list[HostedPrice]] = {}
    for row in facts.hosted_api.rows:
        withdrawn = row.notes is not None and "deprecated" in row.notes
        if row.tier is None and not withdrawn:
            table.setdefault(row.model_id, []).append(row)
    for rows in table.values():
        rows.sort(key=lambda row: (row.output_usd_per_mtok, row.input_usd_per_mtok, row.provider))
        providers: set[str] = set()
        cheapest = []
        for row in rows:
            if row.provider not in providers:
                providers.add(row.provider)
                cheapest.append(row)
        rows[:] = cheapest[:SHOWN_HOSTED]
    return table


def newest_price_day(book: Book) -> date:
    """The day ages are counted from: the newest price on record, so that builds repeat."""
    key = ("newest_price_day",)
    known = book.memo.get(key)
    if not isinstance(known, date):
        days = [offer.as_of for offer in book.catalog.offers]
        days += [row.as_of for row in book.money_facts().hosted_api.rows]
        known = book.memo[key] = max(days, default=date.min)
    return known
