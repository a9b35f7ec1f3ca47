"""Money by hand: every expected figure is worked out in the comment beside it."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vramsite.sizing.cost import (
    break_even_months,
    cheapest_load,
    co2_g_per_million,
    hours_a_month,
    kwh_a_month,
    own_cost,
    per_million,
    rent_a_month,
    rented_per_million,
    spending_curve,
    tokens_per_watt_hour,
)
from vramsite.sizing.cost_records import Figure, Grid, Load, Machine, Use

ALWAYS = Use(hours_a_day=10.0, days_a_month=30.0, busy_share=1.0, own_on_hours_a_day=10.0)
MACHINE = Machine(
    purchase=3000.0,
    host_price=600.0,
    residual_share=0.5,
    lifetime_months=36.0,
    load_w=500.0,
    idle_w=100.0,
    pue=1.0,
)
GRID = Grid(price_per_kwh=0.20, co2_g_per_kwh=400.0)


def test_a_month_of_rent_is_hours_times_days_times_the_price() -> None:
    assert rent_a_month(2.0, ALWAYS) == Figure(value=600.0)  # 2 x 10 x 30


def test_energy_of_a_month() -> None:
    assert kwh_a_month(MACHINE, ALWAYS).value == pytest.approx(150.0)  # 0.5 kW x 300 h
    assert kwh_a_month(replace(MACHINE, pue=1.5), ALWAYS).value == pytest.approx(225.0)


def test_a_machine_that_stays_on_idles_in_the_other_hours() -> None:
    use = replace(ALWAYS, own_on_hours_a_day=24.0)
    # 150 kWh at load and 14 h x 30 x 0.1 kW = 42 kWh idle
    assert kwh_a_month(MACHINE, use).value == pytest.approx(192.0)
    # Half busy: 75 kWh at load, 19 h x 30 x 0.1 kW = 57 kWh idle
    assert kwh_a_month(MACHINE, replace(use, busy_share=0.5)).value == pytest.approx(132.0)


def test_unknown_idle_power_is_left_out_and_said() -> None:
    use = replace(ALWAYS, own_on_hours_a_day=24.0)
    own = own_cost(replace(MACHINE, idle_w=None), use, GRID)
    assert own.kwh.value == pytest.approx(150.0)
    assert own.left_out == ["idle_power"]
    # Without idle hours nothing is missing.
    assert own_cost(replace(MACHINE, idle_w=None), ALWAYS, GRID).left_out == []


def test_what_a_machine_costs_a_month() -> None:
    own = own_cost(MACHINE, ALWAYS, GRID)
    assert own.upfront.value == 3600.0
    assert own.power_cost.value == pytest.approx(30.0)  # 150 kWh x 0.20
    assert own.write_off.value == pytest.approx(50.0)  # 3600 x 0.5 / 36
    assert own.month.value == pytest.approx(80.0)
    assert own.left_out == []


def test_host_and_residual_are_left_out_and_said() -> None:
    own = own_cost(replace(MACHINE, host_price=None, residual_share=None), ALWAYS, GRID)
    assert own.upfront.value == 3000.0
    assert own.write_off.value == pytest.approx(3000.0 / 36.0)
    assert own.left_out == ["host_price", "residual"]


def test_a_million_tokens_rented() -> None:
    # 100 tok/s are 360,000 an hour: a million takes 2.7778 h at 3.60 = 10.00
    assert rented_per_million(3.60, 100.0, ALWAYS).value == pytest.approx(10.0)
    # The reference's own figure: 3.80 an hour at 3.8 tok/s
    assert rented_per_million(3.80, 3.8, ALWAYS).value == pytest.approx(277.78, abs=0.005)


def test_a_million_tokens_of_an_own_machine() -> None:
    # 80 a month, 300 h x 3600 s x 100 tok/s = 108 million tokens
    own = own_cost(MACHINE, ALWAYS, GRID)
    assert per_million(own.month, 100.0, ALWAYS).value == pytest.approx(80.0 / 108.0)


def test_half_the_use_doubles_what_a_rented_token_costs() -> None:
    half = replace(ALWAYS, busy_share=0.5)
    assert rented_per_million(3.60, 100.0, half).value == pytest.approx(20.0)


def test_break_even() -> None:
    own = own_cost(MACHINE, ALWAYS, GRID)
    rent = rent_a_month(0.26, ALWAYS)  # 78 a month, 48 above the power
    # 3600 less half of it at the end: 1800 / 48 = 37.5
    assert break_even_months(MACHINE, own, rent).value == pytest.approx(37.5)


def test_rent_below_the_power_never_pays_the_machine_back() -> None:
    own = own_cost(MACHINE, ALWAYS, GRID)
    assert break_even_months(MACHINE, own, rent_a_month(0.10, ALWAYS)) == Figure(
        value=None, reason="never"
    )


def test_the_curves_cross_at_the_break_even_month() -> None:
    machine = replace(MACHINE, residual_share=None)
    own = own_cost(machine, ALWAYS, GRID)
    rent = rent_a_month(0.26, ALWAYS)
    month = break_even_months(machine, own, rent).value
    assert month == pytest.approx(75.0)  # 3600 / 48
    start, crossing = spending_curve(own, rent, [0.0, 75.0])
    assert (start.own, start.rent) == (3600.0, 0.0)
    assert crossing.own == pytest.approx(crossing.rent) == pytest.approx(5850.0)


def test_tokens_for_a_watt_hour_and_their_emissions() -> None:
    # 500 W for an hour are 500 Wh and 360,000 tokens
    assert tokens_per_watt_hour(MACHINE, 100.0).value == pytest.approx(720.0)
    # A million tokens: 1.3889 kWh x 400 g
    assert co2_g_per_million(MACHINE, GRID, 100.0).value == pytest.approx(555.56, abs=0.01)


def test_the_cheapest_load_keeps_every_user_above_the_bound() -> None:
    loads = [Load(sequences=n, total_tps=t) for n, t in ((1.0, 50.0), (4.0, 120.0), (8.0, 150.0))]
    assert cheapest_load(loads, 20.0) == loads[1]  # 8 users would get 18.75 each
    assert cheapest_load(loads, 18.0) == loads[2]
    assert cheapest_load(loads, 60.0) is None
    assert cheapest_load([], 20.0) is None


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (rent_a_month(None, ALWAYS), "price_unknown"),
        (rent_a_month(0.0, ALWAYS), "zero_price"),
        (rent_a_month(1.0, replace(ALWAYS, hours_a_day=0.0)), "zero_hours"),
        (rent_a_month(1.0, replace(ALWAYS, hours_a_day=25.0)), "impossible_hours"),
        (rented_per_million(1.0, None, ALWAYS), "speed_unknown"),
        (rented_per_million(1.0, 0.0, ALWAYS), "speed_unknown"),
        (rented_per_million(0.0, 10.0, ALWAYS), "zero_price"),
        (rented_per_million(1.0, 10.0, replace(ALWAYS, busy_share=0.0)), "share_unknown"),
        (own_cost(replace(MACHINE, load_w=None), ALWAYS, GRID).power_cost, "power_unknown"),
        (own_cost(replace(MACHINE, pue=None), ALWAYS, GRID).power_cost, "pue_unknown"),
        (own_cost(replace(MACHINE, purchase=None), ALWAYS, GRID).month, "price_unknown"),
        (own_cost(replace(MACHINE, purchase=0.0), ALWAYS, GRID).month, "zero_price"),
        (
            own_cost(replace(MACHINE, lifetime_months=0.0), ALWAYS, GRID).month,
            "lifetime_unknown",
        ),
        (
            own_cost(MACHINE, ALWAYS, replace(GRID, price_per_kwh=None)).month,
            "electricity_unknown",
        ),
        (tokens_per_watt_hour(replace(MACHINE, load_w=0.0), 10.0), "power_unknown"),
        (co2_g_per_million(MACHINE, replace(GRID, co2_g_per_kwh=None), 10.0), "co2_unknown"),
    ],
)
def test_what_is_missing_is_named(figure: Figure, reason: str) -> None:
    assert figure == Figure(value=None, reason=reason)


ANY = st.one_of(st.none(), st.floats(min_value=0.0, allow_infinity=False))


@given(price=ANY, watts=ANY, tps=ANY, hours=st.floats(0.0, 30.0), rent=ANY, kwh=ANY, life=ANY)
@example(price=1.0, watts=1e15, tps=5e-324, hours=8.0, rent=1.0, kwh=1.0, life=36.0)
@example(price=1.0, watts=1.0, tps=5e-324, hours=1e-300, rent=1.0, kwh=1.0, life=5e-324)
def test_no_input_gives_a_number_that_is_none(price, watts, tps, hours, rent, kwh, life) -> None:
    """Never NaN or infinity, and always a value or a reason, never both."""
    use = replace(ALWAYS, hours_a_day=hours, own_on_hours_a_day=24.0)
    machine = replace(MACHINE, purchase=price, load_w=watts, lifetime_months=life)
    grid = Grid(price_per_kwh=kwh, co2_g_per_kwh=kwh)
    own = own_cost(machine, use, grid)
    monthly = rent_a_month(rent, use)
    figures = [
        hours_a_month(use),
        monthly,
        own.power_cost,
        own.month,
        per_million(own.month, tps, use),
        rented_per_million(rent, tps, use),
        break_even_months(machine, own, monthly),
        tokens_per_watt_hour(machine, tps),
        co2_g_per_million(machine, grid, tps),
    ]
    for figure in figures:
        assert (figure.value is None) == (figure.reason != "")
        assert figure.value is None or (isfinite(figure.value) and figure.value >= 0.0)
