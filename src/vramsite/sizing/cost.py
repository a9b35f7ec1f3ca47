"""Money and energy of one machine at a stated speed. Every missing input gives a code, not a 0.

One machine on both sides: rent and purchase are those of the machine whose speed is given.
"""

from __future__ import annotations

from vramsite.sizing.cost_records import CurvePoint, Figure, Grid, Load, Machine, OwnCost, Use

SECONDS_AN_HOUR = 3600.0
HOURS_A_DAY = 24.0
MILLION = 1000000.0
THOUSAND = 1000.0
LARGEST = 1e15  # beyond it an input is a slip, and whole numbers lose their last digit


def hours_a_month(use: Use) -> Figure:
    """Hours of use in a month."""
    if use.hours_a_day <= 0.0 or use.days_a_month <= 0.0:
        return Figure(value=None, reason="zero_hours")
    if use.hours_a_day > HOURS_A_DAY:
        return Figure(value=None, reason="impossible_hours")
    return Figure(value=use.hours_a_day * use.days_a_month)


def rent_a_month(price_per_hour: float | None, use: Use) -> Figure:
    """Rent for the hours of use: hourly price x hours a day x days a month."""
    fault = _price_fault(price_per_hour)
    if price_per_hour is None or fault != "":
        return Figure(value=None, reason=fault)
    hours = hours_a_month(use)
    if hours.value is None:
        return hours
    return _known(price_per_hour * hours.value)


def own_cost(machine: Machine, use: Use, grid: Grid) -> OwnCost:
    """Purchase, power and what a month comes to, each known or with what is missing."""
    left_out: list[str] = []
    upfront = _upfront(machine)
    if machine.host_price is None:
        left_out.append("host_price")
    if machine.residual_share is None:
        left_out.append("residual")
    if machine.idle_w is None and _idle_hours(use) > 0.0:
        left_out.append("idle_power")
    kwh = kwh_a_month(machine, use)
    power = _priced(kwh, grid)
    write_off = _write_off(machine, upfront)
    return OwnCost(
        upfront=upfront,
        kwh=kwh,
        power_cost=power,
        write_off=write_off,
        month=_added(write_off, power),
        left_out=left_out,
    )


def kwh_a_month(machine: Machine, use: Use) -> Figure:
    """Energy of an own machine: busy hours at load, the other hours it is on at idle, x PUE.

    Idle hours count only where the idle power is known.
    """
    hours = hours_a_month(use)
    if hours.value is None:
        return hours
    fault = _share_fault(use)
    if fault != "":
        return Figure(value=None, reason=fault)
    if machine.load_w is None or machine.load_w <= 0.0:
        return Figure(value=None, reason="power_unknown")
    if machine.pue is None or machine.pue < 1.0:
        return Figure(value=None, reason="pue_unknown")
    watt_hours = machine.load_w * use.hours_a_day * use.busy_share
    if machine.idle_w is not None:
        watt_hours = watt_hours + machine.idle_w * _idle_hours(use)
    return _known(watt_hours * use.days_a_month * machine.pue / THOUSAND)


def per_million(month: Figure, tps: float | None, use: Use) -> Figure:
    """Price of a million tokens: a month's cost over the tokens that its hours give."""
    if month.value is None:
        return month
    fault = _speed_fault(tps, use)
    if tps is None or fault != "":
        return Figure(value=None, reason=fault)
    hours = hours_a_month(use)
    if hours.value is None:
        return hours
    tokens = tps * SECONDS_AN_HOUR * hours.value * use.busy_share
    return _ratio(month.value * MILLION, tokens)


def rented_per_million(price_per_hour: float | None, tps: float | None, use: Use) -> Figure:
    """Price of a million tokens of a rented machine; hours a day cancel out."""
    fault = _price_fault(price_per_hour)
    if price_per_hour is None or fault != "":
        return Figure(value=None, reason=fault)
    fault = _speed_fault(tps, use)
    if tps is None or fault != "":
        return Figure(value=None, reason=fault)
    return _ratio(price_per_hour * MILLION, tps * SECONDS_AN_HOUR * use.busy_share)


def break_even_months(machine: Machine, own: OwnCost, rent: Figure) -> Figure:
    """Months of rent that pay for the machine, what is left of it at the end taken off.

    "never" where the rent is no more than the power of the own machine.
    """
    if own.upfront.value is None:
        return own.upfront
    if own.power_cost.value is None:
        return own.power_cost
    if rent.value is None:
        return rent
    saved = rent.value - own.power_cost.value
    if saved <= 0.0:
        return Figure(value=None, reason="never")
    return _ratio(own.upfront.value * (1.0 - _residual(machine)), saved)


def spending_curve(own: OwnCost, rent: Figure, months: list[float]) -> list[CurvePoint]:
    """Money spent at the ends of these months on both ways; none where either is not known."""
    upfront = own.upfront.value
    power = own.power_cost.value
    monthly = rent.value
    if upfront is None or power is None or monthly is None:
        return []
    return [
        CurvePoint(month=month, own=upfront + power * month, rent=monthly * month)
        for month in months
    ]


def tokens_per_watt_hour(machine: Machine, tps: float | None) -> Figure:
    """Tokens for a watt-hour at load, the site's overhead included."""
    if tps is None or tps <= 0.0:
        return Figure(value=None, reason="speed_unknown")
    if tps > LARGEST:
        return Figure(value=None, reason="out_of_range")
    if machine.load_w is None or machine.load_w <= 0.0:
        return Figure(value=None, reason="power_unknown")
    if machine.pue is None or machine.pue < 1.0:
        return Figure(value=None, reason="pue_unknown")
    return _ratio(tps * SECONDS_AN_HOUR, machine.load_w * machine.pue)


def co2_g_per_million(machine: Machine, grid: Grid, tps: float | None) -> Figure:
    """Grams of CO2 equivalent from the grid for a million tokens at load."""
    tokens = tokens_per_watt_hour(machine, tps)
    if tokens.value is None:
        return tokens
    if grid.co2_g_per_kwh is None or grid.co2_g_per_kwh <= 0.0:
        return Figure(value=None, reason="co2_unknown")
    return _ratio(MILLION / THOUSAND * grid.co2_g_per_kwh, tokens.value)


def cheapest_load(loads: list[Load], least_tps: float) -> Load | None:
    """The load with the most tokens an hour among those where each user still gets `least_tps`.

    A machine costs the same whatever it writes, so most tokens is cheapest. None for none.
    """
    best: Load | None = None
    for load in loads:
        if load.sequences > 0.0 and load.total_tps / load.sequences >= least_tps:
            if best is None or load.total_tps > best.total_tps:
                best = load
    return best


def _known(value: float) -> Figure:
    if value <= LARGEST:
        return Figure(value=value)
    return Figure(value=None, reason="out_of_range")


def _ratio(top: float, bottom: float) -> Figure:
    """A quotient of which the divisor may be too small to be told from zero."""
    if bottom <= 0.0:
        return Figure(value=None, reason="out_of_range")
    return _known(top / bottom)


def _idle_hours(use: Use) -> float:
    """Hours a day that an own machine is on without working."""
    on = min(max(use.own_on_hours_a_day, use.hours_a_day), HOURS_A_DAY)
    return max(on - use.hours_a_day * use.busy_share, 0.0)


def _price_fault(price: float | None) -> str:
    if price is None:
        return "price_unknown"
    if price > LARGEST:
        return "out_of_range"
    return "zero_price" if price <= 0.0 else ""


def _share_fault(use: Use) -> str:
    return "" if use.busy_share > 0.0 and use.busy_share <= 1.0 else "share_unknown"


def _speed_fault(tps: float | None, use: Use) -> str:
    if tps is None or tps <= 0.0:
        return "speed_unknown"
    if tps > LARGEST:
        return "out_of_range"
    return _share_fault(use)


def _upfront(machine: Machine) -> Figure:
    fault = _price_fault(machine.purchase)
    if machine.purchase is None or fault != "":
        return Figure(value=None, reason=fault)
    host = machine.host_price if machine.host_price is not None else 0.0
    return _known(machine.purchase + host)


def _residual(machine: Machine) -> float:
    return machine.residual_share if machine.residual_share is not None else 0.0


def _write_off(machine: Machine, upfront: Figure) -> Figure:
    if upfront.value is None:
        return upfront
    if machine.lifetime_months is None or machine.lifetime_months <= 0.0:
        return Figure(value=None, reason="lifetime_unknown")
    return _ratio(upfront.value * (1.0 - _residual(machine)), machine.lifetime_months)


def _priced(kwh: Figure, grid: Grid) -> Figure:
    if kwh.value is None:
        return kwh
    if grid.price_per_kwh is None or grid.price_per_kwh <= 0.0:
        return Figure(value=None, reason="electricity_unknown")
    return _known(kwh.value * grid.price_per_kwh)


def _added(one: Figure, other: Figure) -> Figure:
    if one.value is None:
        return one
    if other.value is None:
        return other
    return _known(one.value + other.value)
