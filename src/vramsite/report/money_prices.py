"""Prices and factors with their dates: devices, electricity, exchange rates, emissions, hosting."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from vramsite.sizing.cost_inputs import Carbon, DevicePrice, Electricity, Rate

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord
    from vramsite.catalog.hosted_api_record import HostedPrice
    from vramsite.catalog.money_facts import MoneyFacts
    from vramsite.catalog.power_record import Pue
    from vramsite.catalog.side_records import ElectricityPrice, ExchangeRate, GridCarbon
    from vramsite.report.book import Book

CONFIDENCE = ("high", "medium", "low")
SHOWN_HOSTED = 3
COUNTRY = re.compile("[A-Z]{2}")


def device_prices(gpu: GpuRecord) -> list[DevicePrice]:
    """What one device costs: the middle of a street price first, then the list price at launch.

    `as_of` is a day, month or year, None where none is on record.
    """
    found = []
    street = gpu.street_usd
    if street is not None:
        middle = (street.low + street.high) / 2.0
        found.append(DevicePrice(usd=middle, condition=street.condition, as_of=street.as_of))
    if gpu.msrp_usd is not None:
        found.append(DevicePrice(usd=gpu.msrp_usd, condition="list", as_of=gpu.launched))
    return found


def device_price(gpu: GpuRecord) -> DevicePrice | None:
    """The price to reckon with; None where none is known."""
    prices = device_prices(gpu)
    return prices[0] if prices else None


def exchange_rates(facts: MoneyFacts) -> list[Rate]:
    """USD for one unit of every currency that has a rate, the newest on record.

    Where none is quoted in USD, two rates of one day for the euro stand for it.
    """
    pairs: dict[str, ExchangeRate] = {}
    for row in facts.electricity.exchange_rates:
        known = pairs.get(row.pair)
        if known is None or row.as_of > known.as_of:
            pairs[row.pair] = row
    euro = pairs.get("EUR/USD")
    found: dict[str, Rate] = {}
    for pair, row in pairs.items():
        base, quoted = pair.split("/")
        if quoted == "USD":
            found[base] = Rate(currency=base, usd=row.rate, as_of=row.as_of.isoformat())
        elif base == "EUR" and euro is not None and euro.as_of == row.as_of:
            cross = Rate(currency=quoted, usd=euro.rate / row.rate, as_of=row.as_of.isoformat())
            found.setdefault(quoted, cross)
    return sorted(found.values(), key=lambda rate: rate.currency)


def electricity_prices(facts: MoneyFacts, sectors: list[str]) -> list[Electricity]:
    """Each country's best price of the first of those sectors that it has; none of a region."""
    rows: dict[tuple[str, str], ElectricityPrice] = {}
    for row in facts.electricity.prices:
        key = (row.country, row.sector)
        if row.region is None and (key not in rows or _trust(row) < _trust(rows[key])):
            rows[key] = row
    found = []
    for country in sorted({country for country, _ in rows if COUNTRY.fullmatch(country)}):
        best = next(
            (rows[country, sector] for sector in sectors if (country, sector) in rows), None
        )
        if best is not None:
            found.append(
                Electricity(
                    country=country,
                    price=best.price_per_kwh,
                    currency=best.currency,
                    as_of=best.as_of.isoformat(),
                )
            )
    return found


def _trust(row: ElectricityPrice) -> tuple[int, int]:
    return CONFIDENCE.index(row.confidence), -row.as_of.toordinal()


def grid_carbon(facts: MoneyFacts) -> list[Carbon]:
    """Emissions of each country's grid: a figure of a stated year before one without."""
    best: dict[str, GridCarbon] = {}
    for row in facts.co2.rows:
        known = best.get(row.country)
        if known is None or _stated(row) > _stated(known):
            best[row.country] = row
    return [
        Carbon(country=row.country, g_per_kwh=row.g_co2e_per_kwh, as_of=row.as_of.isoformat())
        for row in best.values()
    ]


def _stated(row: GridCarbon) -> tuple[bool, int]:
    return row.as_of_kind is None, row.as_of.toordinal()


def site_pue(facts: MoneyFacts, site: str) -> Pue | None:
    """The newest figure of a site."""
    rows = [row for row in facts.power.pue if row.site == site]
    return max(rows, key=lambda row: row.as_of) if rows else None


def hosted_prices(book: Book, model_id: str) -> list[HostedPrice]:
    """The cheapest hosted prices of a model by output, one a provider; no batch tier, no offer
    that is marked as being withdrawn."""
    key = ("hosted_prices", model_id)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    table = book.memo.get(("hosted_by_model",))
    if not isinstance(table, dict):
        table = book.memo[("hosted_by_model",)] = _hosted_by_model(book.money_facts())
    found: list[HostedPrice] = table.get(model_id, [])
    book.memo[key] = found
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
