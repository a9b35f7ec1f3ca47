"""The cost section by hand, with the round figures of `made_up_money`.

A month is 365.25 / 12 = 30.4375 days. small-8b takes 4.8 GB of weights; the made-up sizer writes
500e9 / 4.8e9 = 104.1667 tok/s and reads 2000 tok/s.
"""

from __future__ import annotations

from dataclasses import fields, replace
from math import isfinite
from typing import Any

import pytest
from made_up_money import NEWEST, money_book
from made_up_report import made_up_book

from vramsite.report.money_data import default_choice
from vramsite.report.money_offers import model_offers
from vramsite.report.money_power import idle_watts, load_watts
from vramsite.report.money_prices import (
    device_prices,
    electricity_prices,
    exchange_rates,
    hosted_prices,
)
from vramsite.report.money_records import MoneyView
from vramsite.report.money_view import money_view
from vramsite.sizing.cost_records import Figure
from vramsite.sizing.cost_results import OwnRow

DAYS = 30.4375
TPS = 104.1667


def view(gpu_id: str, country: str = "US", model_id: str = "small-8b", **chosen: Any) -> MoneyView:
    book = money_book()
    choice = replace(default_choice(book, "en"), country=country, **chosen)
    found = money_view(book, model_id, gpu_id, "en", choice=choice)
    assert found is not None
    return found


def phase(found: MoneyView, name: str) -> OwnRow:
    return next(row for row in found.section.own if row.phase == name)


def test_without_assumptions_nothing_is_said() -> None:
    assert money_view(made_up_book(), "small-8b", "mid-12gb", "en") is None


def test_each_language_has_its_country_and_currency() -> None:
    book = money_book()
    found = [default_choice(book, code) for code in ("en", "de", "fr")]
    assert [choice.country for choice in found] == ["US", "DE", "EU"]
    assert [choice.currency for choice in found] == ["USD", "EUR", "USD"]


def test_an_own_machine() -> None:
    own = phase(view("mid-12gb"), "single")
    # 200 W x 0.75 measured + 50 W host; idle: the median of 10, 14, 90 and the host
    assert own.load_w == 200.0
    assert view("mid-12gb").section.idle_w == 64.0
    # (200 W x 10 h + 64 W x 14 h) x 30.4375 / 1000 = 88.147 kWh, at 0.20
    assert own.cost.kwh.value == pytest.approx(88.147)
    assert own.cost.power_cost.value == pytest.approx(17.6294)
    # 400 over 40 months and the power, for 104.1667 x 3600 x 10 x 30.4375 = 114.14 million tokens
    assert own.cost.month.value == pytest.approx(27.6294)
    assert own.per_million.value == pytest.approx(27.6294 / 114.1407, rel=1e-4)
    assert own.tokens_per_wh.value == pytest.approx(TPS * 3600.0 / 200.0, rel=1e-5)
    assert own.co2_g.value == pytest.approx(1e6 / 1875.0 / 1000.0 * 400.0, rel=1e-5)
    assert own.cost.left_out == ["host_price", "residual"]


def test_power_is_measured_or_says_what_it_is() -> None:
    book = money_book()
    measured = load_watts(book, "mid-12gb", "decode")
    assert (measured.value, measured.basis, measured.rows) == (150.0, "measured", 2)
    # No reading of this phase: the power limit; of a sister: its share of its own limit
    assert load_watts(book, "mid-12gb", "prefill").basis == "limit"
    sister = load_watts(book, "sister-12gb", "decode")
    assert (sister.value, sister.basis) == (75.0, "family")
    stranger = load_watts(book, "other-12gb", "decode")
    assert (stranger.value, stranger.basis) == (100.0, "limit")
    machine = load_watts(book, "shared-64gb", "decode")
    assert (machine.value, machine.basis, machine.rows) == (100.0, "measured", 2)
    assert load_watts(book, "big-48gb", "decode").basis == "unknown"
    assert idle_watts(book, "sister-12gb").value is None


def test_a_measured_machine_includes_its_host() -> None:
    assert phase(view("shared-64gb"), "single").load_w == 100.0


def test_the_same_machine_rented() -> None:
    found = view("mid-12gb")
    assert [row.per_hour for row in found.rented] == [Figure(value=0.25), Figure(value=0.5)]
    # 0.25 / (104.1667 x 3600) x 10**6, and 130 tok/s for 8 users are below 20 each: 4 users, 110
    read, written, several = found.rented[0].figures
    assert written.value == pytest.approx(0.66667, rel=1e-4)
    assert read.value == pytest.approx(0.25 / 7.2)
    assert found.section.load is not None
    assert found.section.load.sequences == 4.0
    assert several.value == pytest.approx(0.25 / 0.396)
    assert (found.section.tile_kind, found.section.tile) == ("rented", written)


def test_users_side_by_side_share_what_the_machine_writes() -> None:
    rows = view("mid-12gb").loads
    assert [row.users for row in rows] == [1.0, 2.0, 4.0, 8.0]
    assert [row.total_tps for row in rows[1:]] == [100.0, 110.0, 130.0]
    assert rows[3].each_tps == 16.25
    assert rows[3].bar.segments[0].width == 900
    assert rows[1].bar.segments[0].width == 692  # 900 x 100 / 130


def test_rent_or_buy_is_about_one_machine() -> None:
    view_ = view("mid-12gb")
    found = view_.section.rent_or_buy
    assert found is not None
    assert view_.renter is not None
    assert (view_.renter.provider, view_.renter.what) == ("Cloud", "1x")
    # 0.25 x 10 x 30.4375 = 76.09 a month, less 17.63 for power: 400 / 58.4644
    assert found.month.value == pytest.approx(76.09375)
    assert found.break_even.value == pytest.approx(400.0 / 58.46435, rel=1e-4)
    assert [point.month for point in found.curve] == [10.0, 20.0, 30.0, 40.0]
    assert found.curve[0].own == pytest.approx(400.0 + 176.294)
    assert found.curve[0].rent == pytest.approx(760.9375)


def test_never_where_power_costs_more_than_the_rent() -> None:
    book = money_book()
    book.catalog.offers[1] = book.catalog.offers[1].model_copy(update={"usd_per_hour": 0.05})
    found = money_view(book, "small-8b", "mid-12gb", "en")
    assert found is not None
    assert found.section.rent_or_buy is not None
    assert found.section.rent_or_buy.break_even == Figure(value=None, reason="never")


def test_euros_at_the_newest_rate() -> None:
    rates = exchange_rates(money_book().money_facts())
    assert [(rate.currency, rate.usd, rate.as_of) for rate in rates] == [
        ("EUR", 1.25, "2026-11-05")
    ]
    german = view("mid-12gb", "DE", currency="EUR")
    # 400 USD are 320 EUR; the German kilowatt hour is in euros already
    assert german.section.device_price == Figure(value=320.0)
    assert german.section.price_per_kwh == Figure(value=0.4)
    assert german.rented[0].per_hour == Figure(value=0.2)
    assert german.hosted[0].figures[1] == Figure(value=0.32)
    assert german.offers.rows[0][1].per_hour == Figure(value=0.2)
    in_dollars = view("mid-12gb", "DE")
    assert in_dollars.section.price_per_kwh == Figure(value=0.5)
    assert in_dollars.section.kwh_rate is not None


def test_a_rate_for_the_euro_gives_others_through_it() -> None:
    facts = money_book().money_facts()
    quoted = facts.electricity.exchange_rates
    quoted.append(quoted[1].model_copy(update={"pair": "EUR/CHF", "rate": 0.5}))
    quoted.append(quoted[0].model_copy(update={"pair": "EUR/SEK", "rate": 10.0}))
    # 1.25 dollars and 0.5 francs of one day: 2.50 dollars a franc; the krona's day has none
    assert [(rate.currency, rate.usd) for rate in exchange_rates(facts)] == [
        ("CHF", 2.5),
        ("EUR", 1.25),
    ]


def test_a_national_price_that_is_trusted_comes_first() -> None:
    found = electricity_prices(money_book().money_facts(), ["commercial", "household"])
    assert [(entry.country, entry.price) for entry in found] == [
        ("DE", 0.4),
        ("EU", 3.0),
        ("US", 0.2),
    ]


def test_a_currency_without_rate_is_not_known() -> None:
    found = view("mid-12gb", "EU")
    own = phase(found, "single")
    assert own.cost.power_cost == Figure(value=None, reason="electricity_unknown")
    assert own.co2_g == Figure(value=None, reason="co2_unknown")
    assert found.section.price_per_kwh == Figure(value=None, reason="rate_unknown")
    yen = view("mid-12gb", currency="JPY")
    unknown = Figure(value=None, reason="rate_unknown")
    assert phase(yen, "single").per_million == unknown
    assert yen.rented[0].per_hour == yen.rented[0].figures[0] == unknown
    assert yen.offers.rows[0][1].month == unknown


TYPED: dict[str, Any] = {
    "device_price": 500.0,
    "host_price": 300.0,
    "residual_percent": 25.0,
    "load_w": 400.0,
    "idle_w": 50.0,
    "pue": 1.5,
    "price_per_kwh": 0.5,
    "lifetime_months": 12.0,
    "hours_a_day": 4.0,
    "own_on_hours_a_day": 10.0,
    "busy_percent": 50.0,
}


def test_what_somebody_types_counts_instead_of_the_record() -> None:
    found = view("mid-12gb", **TYPED)
    own = phase(found, "single")
    assert own.cost.upfront == Figure(value=800.0)
    assert own.cost.write_off == Figure(value=50.0)  # 800 x 0.75 / 12
    # 400 W x 4 h x 0.5 and 50 W in the other 8 of 10 hours: 1.2 kWh a day, x 1.5
    assert own.cost.kwh.value == pytest.approx(1.2 * DAYS * 1.5)
    assert own.cost.power_cost.value == pytest.approx(1.2 * DAYS * 1.5 * 0.5)
    assert own.cost.left_out == []
    assert own.power.basis == "typed"
    assert found.section.price is None
    assert found.section.electricity is None
    # Two hours of writing a day
    assert own.per_million.value == pytest.approx(
        (50.0 + 27.39375) / (TPS * 3600.0 * 2.0 * DAYS) * 1e6, rel=1e-4
    )
    renting = found.section.rent_or_buy
    assert renting is not None
    # 0.25 x 4 h x 30.4375 is 30.4375 a month; 800 x 0.75 over what is saved each month
    assert renting.break_even.value == pytest.approx(600.0 / (30.4375 - 27.39375), rel=1e-4)


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ({"hours_a_day": 0.0}, "zero_hours"),
        ({"hours_a_day": 25.0}, "impossible_hours"),
        ({"busy_percent": 0.0}, "share_unknown"),
        ({"lifetime_months": 0.0}, "lifetime_unknown"),
        ({"device_price": 0.0}, "zero_price"),
        ({"price_per_kwh": 0.0}, "electricity_unknown"),
        ({"load_w": 0.0}, "power_unknown"),
        ({"pue": 0.5}, "pue_unknown"),
    ],
)
def test_a_useless_input_is_named(typed: dict[str, Any], reason: str) -> None:
    found = view("mid-12gb", **typed)
    assert phase(found, "single").per_million == Figure(value=None, reason=reason)


def test_a_device_without_price_or_power() -> None:
    sister = view("sister-12gb")
    assert sister.section.price is None
    assert phase(sister, "single").per_million == Figure(value=None, reason="price_unknown")
    assert phase(sister, "single").cost.power_cost.value is not None
    big = phase(view("big-48gb"), "single")
    assert big.cost.power_cost == Figure(value=None, reason="power_unknown")
    assert big.tokens_per_wh == Figure(value=None, reason="power_unknown")
    rented = view("big-48gb").section.rent_or_buy
    assert rented is not None
    assert rented.break_even == Figure(value=None, reason="power_unknown")
    assert rented.curve == []


def test_a_used_price_has_its_date() -> None:
    found = device_prices(money_book().catalog.gpus["worn-12gb"])
    assert [(price.usd, price.condition) for price in found] == [(120.0, "used"), (400.0, "list")]
    assert found[0].as_of == "2026-10"
    assert view("worn-12gb").section.device_price == Figure(value=120.0)
    assert view("worn-12gb", condition="list").section.device_price == Figure(value=400.0)


def test_a_machine_of_several_devices() -> None:
    # 18 GB and more on cards of 12 GiB: two of them, which Cloud rents out as 2x
    found = view("mid-12gb", model_id="sparse-30b")
    assert found.machine.devices == 2
    assert [row.per_hour for row in found.rented] == [Figure(value=0.9)]
    own = phase(found, "single")
    assert own.load_w == 350.0  # 2 x 150 + 50
    assert own.cost.upfront.value == 800.0


def test_more_devices_than_a_machine_takes() -> None:
    book = money_book()
    few: Any = book.catalog.assumptions
    few.money = few.money.model_copy(
        update={"most_devices": few.money.most_devices.model_copy(update={"value": 1.0})}
    )
    found = money_view(book, "sparse-30b", "mid-12gb", "en")
    assert found is not None
    assert (found.machine.devices, found.machine.why) == (None, "too_many")
    assert found.section.own == []
    assert found.section.rent_or_buy is None
    assert found.section.tile.value is None


def test_hosted_prices_are_the_cheapest_one_a_provider() -> None:
    found = hosted_prices(money_book(), "small-8b")
    assert [(row.provider, row.output_usd_per_mtok) for row in found] == [
        ("cheap", 0.4),
        ("dear", 2.0),
    ]
    assert hosted_prices(money_book(), "sparse-30b") == []


def test_offers_hold_the_model_and_show_their_age() -> None:
    found = model_offers(money_book(), "small-8b")
    assert [(row.gpu_id, row.usd_per_hour) for row in found.rows] == [
        ("mid-12gb", 0.25),
        ("mid-12gb", 0.5),
        ("mid-12gb", 0.9),
        ("big-48gb", 2.0),
    ]
    assert found.count == 4
    # Only the month is known of the first: its first day is 61 days before
    assert [row.old for row in found.rows] == [True, False, False, False]
    assert found.rows[0].as_of == "2026-09"
    assert found.rows[3].memory_gb == 48.0


def test_offers_with_too_few_devices_are_left_out() -> None:
    found = model_offers(money_book(), "sparse-30b")
    assert [(row.gpu_id, row.needed, row.devices) for row in found.rows] == [
        ("mid-12gb", 2, 2),
        ("big-48gb", 1, 1),
    ]


@pytest.mark.parametrize("model_id", ["small-8b", "sparse-30b"])
@pytest.mark.parametrize("country", ["US", "DE", "EU"])
@pytest.mark.parametrize("typed", [{}, TYPED, dict.fromkeys(TYPED, 0.0)])
def test_every_figure_is_a_number_or_says_why_not(
    model_id: str, country: str, typed: dict[str, Any]
) -> None:
    for gpu_id in money_book().catalog.gpus:
        found = view(gpu_id, country, model_id, **typed)
        assert found.offers.newest == NEWEST.isoformat()
        figures = list(figures_of(found))
        assert figures
        for figure in figures:
            assert (figure.value is None) == (figure.reason != "")
            assert figure.value is None or (isfinite(figure.value) and figure.value > 0.0)


def figures_of(value: object) -> list[Figure]:
    if isinstance(value, Figure):
        return [value]
    if isinstance(value, (list, tuple)):
        return [figure for item in value for figure in figures_of(item)]
    if hasattr(value, "__dataclass_fields__"):
        names = [field.name for field in fields(value)]  # type: ignore[arg-type]
        return [figure for name in names for figure in figures_of(getattr(value, name))]
    return []
