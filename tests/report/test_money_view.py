"""The cost section by hand, with the round figures of `made_up_money`.

A month is 365.25 / 12 = 30.4375 days. small-8b takes 4.8 GB of weights; the made-up sizer writes
500e9 / 4.8e9 = 104.1667 tok/s and reads 2000 tok/s.
"""

from __future__ import annotations

from dataclasses import fields
from math import isfinite
from typing import Any

import pytest
from made_up_money import NEWEST, money_book
from made_up_report import made_up_book

from vramsite.report.money_offers import model_offers
from vramsite.report.money_power import idle_watts, load_watts
from vramsite.report.money_prices import device_price, electricity, hosted_prices
from vramsite.report.money_records import MoneyView, OwnRow
from vramsite.report.money_view import country_of, money_view
from vramsite.sizing.cost_records import Figure

DAYS = 30.4375
TPS = 104.1667


def view(gpu_id: str, country: str = "US", model_id: str = "small-8b") -> MoneyView:
    found = money_view(money_book(), model_id, gpu_id, country)
    assert found is not None
    return found


def phase(found: MoneyView, name: str) -> OwnRow:
    return next(row for row in found.own if row.phase == name)


def test_without_assumptions_nothing_is_said() -> None:
    assert money_view(made_up_book(), "small-8b", "mid-12gb", "US") is None
    assert country_of(made_up_book(), "de") is None


def test_each_language_has_its_country() -> None:
    book = money_book()
    assert [country_of(book, code) for code in ("en", "de", "fr")] == ["US", "DE", "EU"]


def test_an_own_machine() -> None:
    own = phase(view("mid-12gb"), "single")
    # 200 W x 0.75 measured + 50 W host; idle: the median of 10, 14, 90 and the host
    assert own.power.load_w == 200.0
    assert own.power.idle_w == 64.0
    # (200 W x 10 h + 64 W x 14 h) x 30.4375 / 1000 = 88.147 kWh, at 0.20
    assert own.cost.kwh.value == pytest.approx(88.147)
    assert own.cost.power_usd.value == pytest.approx(17.6294)
    # 400 over 40 months and the power, for 104.1667 x 3600 x 10 x 30.4375 = 114.14 million tokens
    assert own.cost.month_usd.value == pytest.approx(27.6294)
    assert own.per_million_usd.value == pytest.approx(27.6294 / 114.1407, rel=1e-4)
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
    assert phase(view("shared-64gb"), "single").power.load_w == 100.0


def test_the_same_machine_rented() -> None:
    found = view("mid-12gb")
    assert [row.usd_per_hour for row in found.rented] == [0.25, 0.5]
    # 0.25 / (104.1667 x 3600) x 10**6, and 130 tok/s for 8 users are below 20 each: 4 users, 110
    assert found.rented[0].output_usd.value == pytest.approx(0.66667, rel=1e-4)
    assert found.rented[0].input_usd.value == pytest.approx(0.25 / 7.2)
    assert found.speeds.load is not None
    assert found.speeds.load.sequences == 4.0
    assert found.rented[0].several_usd is not None
    assert found.rented[0].several_usd.value == pytest.approx(0.25 / 0.396)
    assert found.tile == ("rented", found.rented[0].output_usd)


def test_rent_or_buy_is_about_one_machine() -> None:
    found = view("mid-12gb").rent_or_buy
    assert found is not None
    assert (found.offer.gpu_id, found.offer.devices) == ("mid-12gb", 1)
    # 0.25 x 10 x 30.4375 = 76.09 a month, less 17.63 for power: 400 / 58.4644
    assert found.offer.month_usd.value == pytest.approx(76.09375)
    assert found.break_even.value == pytest.approx(400.0 / 58.46435, rel=1e-4)
    assert [point.month for point in found.curve] == [10.0, 20.0, 30.0, 40.0]
    assert found.curve[0].own_usd == pytest.approx(400.0 + 176.294)
    assert found.curve[0].rent_usd == pytest.approx(760.9375)


def test_never_where_power_costs_more_than_the_rent() -> None:
    book = money_book()
    book.catalog.offers[1] = book.catalog.offers[1].model_copy(update={"usd_per_hour": 0.05})
    found = money_view(book, "small-8b", "mid-12gb", "US")
    assert found is not None
    assert found.rent_or_buy is not None
    assert found.rent_or_buy.break_even == Figure(value=None, reason="never")


def test_euros_at_the_newest_rate() -> None:
    found = electricity(money_book(), "DE", ["household"])
    assert found is not None
    assert (found.price, found.currency, found.rate) == (0.4, "EUR", 1.25)
    assert found.usd_per_kwh.value == pytest.approx(0.5)


def test_a_national_price_that_is_trusted_comes_first() -> None:
    found = electricity(money_book(), "US", ["commercial", "household"])
    assert found is not None
    assert found.price == 0.2


def test_a_currency_without_rate_is_not_known() -> None:
    own = phase(view("mid-12gb", "EU"), "single")
    assert own.cost.power_usd == Figure(value=None, reason="electricity_unknown")
    assert own.co2_g == Figure(value=None, reason="co2_unknown")
    found = electricity(money_book(), "EU", ["household"])
    assert found is not None
    assert found.usd_per_kwh == Figure(value=None, reason="rate_unknown")


def test_a_device_without_price_or_power() -> None:
    sister = view("sister-12gb")
    assert sister.price is None
    assert phase(sister, "single").per_million_usd == Figure(value=None, reason="price_unknown")
    assert phase(sister, "single").cost.power_usd.value is not None
    big = phase(view("big-48gb"), "single")
    assert big.cost.power_usd == Figure(value=None, reason="power_unknown")
    assert big.tokens_per_wh == Figure(value=None, reason="power_unknown")
    rented = view("big-48gb").rent_or_buy
    assert rented is not None
    assert rented.break_even == Figure(value=None, reason="power_unknown")
    assert rented.curve == []


def test_a_used_price_has_its_date() -> None:
    found = device_price(money_book().catalog.gpus["worn-12gb"])
    assert found is not None
    assert (found.usd, found.condition, found.as_of) == (120.0, "used", "2026-10")


def test_a_machine_of_several_devices() -> None:
    # 18 GB and more on cards of 12 GiB: two of them, which Cloud rents out as 2x
    found = view("mid-12gb", model_id="sparse-30b")
    assert found.speeds.devices == 2
    assert [row.usd_per_hour for row in found.rented] == [0.9]
    own = phase(found, "single")
    assert own.power.load_w == 350.0  # 2 x 150 + 50
    assert own.cost.upfront_usd.value == 800.0


def test_more_devices_than_a_machine_takes() -> None:
    book = money_book()
    few: Any = book.catalog.assumptions
    few.money = few.money.model_copy(
        update={"most_devices": few.money.most_devices.model_copy(update={"value": 1.0})}
    )
    found = money_view(book, "sparse-30b", "mid-12gb", "US")
    assert found is not None
    assert (found.speeds.devices, found.speeds.why) == (None, "too_many")
    assert found.own == []
    assert found.rent_or_buy is None
    assert found.tile[1].value is None


def test_hosted_prices_are_the_cheapest_one_a_provider() -> None:
    found = hosted_prices(money_book(), "small-8b")
    assert [(row.provider, row.output_usd_per_mtok) for row in found] == [
        ("cheap", 0.4),
        ("dear", 2.0),
    ]
    assert hosted_prices(money_book(), "sparse-30b") == []


def test_offers_hold_the_model_and_show_their_age() -> None:
    found = model_offers(money_book(), "small-8b")
    assert found.newest == NEWEST
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
def test_every_figure_is_a_number_or_says_why_not(model_id: str, country: str) -> None:
    book = money_book()
    for gpu_id in book.catalog.gpus:
        found = money_view(book, model_id, gpu_id, country)
        assert found is not None
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
