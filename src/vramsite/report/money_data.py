"""What the cost of a machine is worked out from, as the catalog has it: the engine's records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from vramsite.report.money_offers import device_offers, is_old, shown_date
from vramsite.report.money_power import idle_watts, load_watts
from vramsite.report.money_prices import (
    device_prices,
    electricity_prices,
    exchange_rates,
    grid_carbon,
    hosted_prices,
    site_pue,
)
from vramsite.sizing.cost_inputs import (
    Carbon,
    CostChoice,
    CostRules,
    DeviceCost,
    HostedPrice,
    Offer,
    Place,
    Rate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from vramsite.catalog.money_assumptions import MoneyAssumptions
    from vramsite.report.book import Book

SHOWN_RENTED = 3
DAYS_A_MONTH = 365.25 / 12.0
CURVE_SHARES = (0.25, 0.5, 0.75, 1.0)  # of the lifetime

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seller:
    """Who asks a price, for what, and when it was seen; `as_of` is as precise as known."""

    provider: str
    what: str
    as_of: str
    old: bool


def assumed(book: Book) -> MoneyAssumptions:
    """What the catalog assumes about money; only asked where it does."""
    money = book.catalog.assumptions.money
    assert money is not None
    return money


def kept(book: Book, key: tuple[str, ...], make: Callable[[], T]) -> T:
    """What is in the book's memo under a key; made when it is first asked for, never None."""
    found: T | None = book.memo.get(key)  # type: ignore[assignment]
    if found is None:
        book.memo[key] = found = make()
    return found


def cost_rules(book: Book) -> CostRules:
    """Stated rules; a month is a twelfth of 365.25 days."""
    money = assumed(book)
    return kept(
        book,
        ("cost_rules",),
        lambda: CostRules(
            days_a_month=DAYS_A_MONTH,
            least_tps_per_user=money.least_tps_per_user.value,
            most_devices=money.most_devices.value,
            batch_sequences=[float(count) for count in money.batch_sequences],
            curve_shares=list(CURVE_SHARES),
            shown_offers=float(SHOWN_RENTED),
        ),
    )


def default_choice(book: Book, locale: str) -> CostChoice:
    """The use, country and currency that a page of this language shows by default."""
    return kept(book, ("cost_choice", locale), lambda: _default_choice(assumed(book), locale))


def _default_choice(money: MoneyAssumptions, locale: str) -> CostChoice:
    return CostChoice(
        hours_a_day=money.hours_a_day.value,
        busy_percent=money.busy_share.value * 100.0,
        own_on_hours_a_day=money.own_on_hours_a_day.value,
        lifetime_months=money.lifetime_months.value,
        country=money.countries.get(locale, money.other_country),
        currency=money.currencies.get(locale, money.other_currency),
    )


def rates(book: Book) -> list[Rate]:
    """USD for one unit of each currency on record."""
    return kept(book, ("cost_rates",), lambda: exchange_rates(book.money_facts()))


def grids(book: Book) -> list[Carbon]:
    """Emissions of each country's grid."""
    return kept(book, ("cost_grids",), lambda: grid_carbon(book.money_facts()))


def place_number(book: Book, gpu_id: str) -> int:
    """Which of `places` the device stands in when somebody owns it."""
    money = assumed(book)
    return kept(
        book,
        ("place_number", gpu_id),
        lambda: money.places.index(money.place(book.catalog.gpus[gpu_id].kind)),
    )


def places(book: Book) -> list[Place]:
    """Where machines stand, in the order of the assumptions."""
    return kept(book, ("cost_places",), lambda: _places(book))


def _places(book: Book) -> list[Place]:
    facts = book.money_facts()
    found = []
    for place in assumed(book).places:
        pue = site_pue(facts, place.pue_site)
        found.append(
            Place(
                pue=None if pue is None else float(pue.pue),
                host_w=None if place.host_power is None else place.host_power.value,
                host_per=place.host_per,
                electricity=electricity_prices(facts, place.sectors),
            )
        )
    return found


def device_cost(book: Book, gpu_id: str) -> DeviceCost:
    """Prices, power and offers of one device."""
    return kept(book, ("device_cost", gpu_id), lambda: _device_cost(book, gpu_id))


def _device_cost(book: Book, gpu_id: str) -> DeviceCost:
    return DeviceCost(
        kind=book.catalog.gpus[gpu_id].kind,
        prices=device_prices(book.catalog.gpus[gpu_id]),
        prompt_power=load_watts(book, gpu_id, "prefill"),
        single_power=load_watts(book, gpu_id, "decode"),
        several_power=load_watts(book, gpu_id, "decode_batched"),
        idle_power=idle_watts(book, gpu_id),
        offers=[
            Offer(usd_per_hour=offer.usd_per_hour, devices=float(offer.gpu_count))
            for offer in device_offers(book, gpu_id)
        ],
    )


def offer_sellers(book: Book, gpu_id: str) -> list[Seller]:
    """Who stands behind the offers of `device_cost`, in the same order."""
    return kept(
        book,
        ("offer_sellers", gpu_id),
        lambda: [
            Seller(offer.provider, offer.instance, shown_date(offer), is_old(book, offer.as_of))
            for offer in device_offers(book, gpu_id)
        ],
    )


def hosted_costs(book: Book, model_id: str) -> list[HostedPrice]:
    """The cheapest hosted services of a model."""
    return kept(
        book,
        ("hosted_costs", model_id),
        lambda: [
            HostedPrice(input_usd=row.input_usd_per_mtok, output_usd=row.output_usd_per_mtok)
            for row in hosted_prices(book, model_id)
        ],
    )


def hosted_sellers(book: Book, model_id: str) -> list[Seller]:
    """Who they are, in the same order."""
    return kept(book, ("hosted_sellers", model_id), lambda: _hosted_sellers(book, model_id))


def _hosted_sellers(book: Book, model_id: str) -> list[Seller]:
    return [
        Seller(row.provider, row.provider_model_id, row.as_of.isoformat(), is_old(book, row.as_of))
        for row in hosted_prices(book, model_id)
    ]
