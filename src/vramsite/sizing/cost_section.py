"""The cost of one machine, bought or rented, beside hosted prices, in one currency.

What a page prints and what its configurator answers: the same function, compiled for browsers.
"""

from __future__ import annotations

from vramsite.sizing.cost import (
    break_even_months,
    cheapest_load,
    co2_g_per_million,
    own_cost,
    per_million,
    rent_a_month,
    rented_per_million,
    spending_curve,
    tokens_per_watt_hour,
)
from vramsite.sizing.cost_inputs import (
    Carbon,
    CostChoice,
    CostRules,
    DeviceCost,
    DevicePrice,
    Electricity,
    HostedPrice,
    MachineSpeeds,
    Offer,
    Place,
    Rate,
    Watts,
)
from vramsite.sizing.cost_records import Figure, Grid, Load, Machine, OwnCost, Use
from vramsite.sizing.cost_results import (
    CostSection,
    HostedRow,
    OfferCost,
    OwnRow,
    RentedRow,
    RentOrBuy,
)

USD = "USD"
PERCENT = 100.0


def use_of(choice: CostChoice, rules: CostRules) -> Use:
    """The stated use."""
    return Use(
        hours_a_day=choice.hours_a_day,
        days_a_month=rules.days_a_month,
        busy_share=choice.busy_percent / PERCENT,
        own_on_hours_a_day=choice.own_on_hours_a_day,
    )


def rate_of(rates: list[Rate], currency: str) -> Rate | None:
    """The rate of a currency; None where none is on record. USD needs none."""
    for rate in rates:
        if rate.currency == currency:
            return rate
    return None


def converted(usd: float, rates: list[Rate], currency: str) -> Figure:
    """USD in a currency."""
    if currency == USD:
        return Figure(value=usd)
    rate = rate_of(rates, currency)
    if rate is None or rate.usd <= 0.0:
        return Figure(value=None, reason="rate_unknown")
    return Figure(value=usd / rate.usd)


def offer_cost(
    usd_per_hour: float,
    tps: float | None,
    choice: CostChoice,
    rules: CostRules,
    rates: list[Rate],
) -> OfferCost:
    """What an offer costs in use; `tps` is what its devices write for one user."""
    use = use_of(choice, rules)
    hourly = converted(usd_per_hour, rates, choice.currency)
    return OfferCost(
        per_hour=hourly,
        month=_when_known(hourly, rent_a_month(hourly.value, use)),
        output=_when_known(hourly, rented_per_million(hourly.value, tps, use)),
    )


def cost_section(
    choice: CostChoice,
    rules: CostRules,
    rates: list[Rate],
    place: Place,
    grids: list[Carbon],
    device: DeviceCost,
    speeds: MachineSpeeds | None,
    hosted: list[HostedPrice],
) -> CostSection:
    """The section; `speeds` is None where no machine holds the model."""
    use = use_of(choice, rules)
    residual = _residual_share(choice)
    price: DevicePrice | None = None
    device_price = _typed(choice.device_price)
    if choice.device_price is None:
        price = _price_on_record(device.prices, choice.condition)
        device_price = Figure(value=None, reason="price_unknown")
        if price is not None:
            device_price = converted(price.usd, rates, choice.currency)
    electricity: Electricity | None = None
    per_kwh = _typed(choice.price_per_kwh)
    if choice.price_per_kwh is None:
        electricity = _electricity(place, choice.country)
        per_kwh = _kwh_price(electricity, rates, choice.currency)
    carbon = _carbon(grids, choice.country)
    pue = place.pue if choice.pue is None else choice.pue
    devices = 1.0 if speeds is None else speeds.devices
    host_w = _host_w(place, devices)
    idle_w = _machine_w(device.idle_power.value, devices, host_w)
    if choice.idle_w is not None:
        idle_w = choice.idle_w
    load: Load | None = None
    own: list[OwnRow] = []
    rented: list[RentedRow] = []
    if speeds is not None:
        load = cheapest_load(speeds.loads, rules.least_tps_per_user)
        grid = Grid(
            price_per_kwh=per_kwh.value, co2_g_per_kwh=None if carbon is None else carbon.g_per_kwh
        )
        machine = Machine(
            purchase=None if device_price.value is None else device_price.value * devices,
            host_price=choice.host_price,
            residual_share=residual,
            lifetime_months=choice.lifetime_months,
            load_w=None,
            idle_w=idle_w,
            pue=pue,
        )
        own = _own_rows(choice, machine, grid, device, speeds, load, host_w, use, device_price)
        rented = _rented_rows(choice, rules, rates, device.offers, speeds, load, use)
    return CostSection(
        use=use,
        currency=choice.currency,
        rate=None if choice.currency == USD else rate_of(rates, choice.currency),
        kwh_rate=_kwh_rate(electricity, rates, choice.currency),
        price=price,
        device_price=device_price,
        electricity=electricity,
        price_per_kwh=per_kwh,
        carbon=carbon,
        pue=pue,
        residual_share=residual,
        idle_w=idle_w,
        host_w=host_w,
        load=load,
        own=own,
        rented=rented,
        hosted=[
            HostedRow(
                input=converted(entry.input_usd, rates, choice.currency),
                output=converted(entry.output_usd, rates, choice.currency),
            )
            for entry in hosted
        ],
        rent_or_buy=_rent_or_buy(choice, rules, rented, own, use),
        tile_kind="rented" if len(rented) > 0 else "own",
        tile=_tile(rented, own),
        tile_per_hour=(
            rented[0].per_hour if len(rented) > 0 else Figure(value=None, reason="price_unknown")
        ),
    )


def _typed(price: float | None) -> Figure:
    if price is None or price <= 0.0:
        return Figure(value=None, reason="zero_price")
    return Figure(value=price)


def _residual_share(choice: CostChoice) -> float | None:
    return None if choice.residual_percent is None else choice.residual_percent / PERCENT


def _own_rows(
    choice: CostChoice,
    machine: Machine,
    grid: Grid,
    device: DeviceCost,
    speeds: MachineSpeeds,
    load: Load | None,
    host_w: float | None,
    use: Use,
    device_price: Figure,
) -> list[OwnRow]:
    phases = ["prompt", "single"]
    powers = [device.prompt_power, device.single_power]
    rates = [speeds.input_tps, speeds.output_tps]
    if load is not None:
        phases.append("several")
        powers.append(device.several_power)
        rates.append(load.total_tps)
    rows: list[OwnRow] = []
    for at in range(len(phases)):
        power = powers[at]
        watts = _machine_w(power.value, speeds.devices, host_w)
        if choice.load_w is not None:
            watts = choice.load_w
            power = Watts(value=choice.load_w, basis="typed")
        working = Machine(
            purchase=machine.purchase,
            host_price=machine.host_price,
            residual_share=machine.residual_share,
            lifetime_months=machine.lifetime_months,
            load_w=watts,
            idle_w=machine.idle_w,
            pue=machine.pue,
        )
        cost = _with_reason(own_cost(working, use, grid), device_price)
        rows.append(
            OwnRow(
                phase=phases[at],
                tps=rates[at],
                load_w=watts,
                power=power,
                cost=cost,
                per_million=per_million(cost.month, rates[at], use),
                tokens_per_wh=tokens_per_watt_hour(working, rates[at]),
                co2_g=co2_g_per_million(working, grid, rates[at]),
            )
        )
    return rows


def _with_reason(cost: OwnCost, device_price: Figure) -> OwnCost:
    """A purchase that is missing says why: no price, a price of zero, no exchange rate."""
    if device_price.value is not None:
        return cost
    return OwnCost(
        upfront=device_price,
        kwh=cost.kwh,
        power_cost=cost.power_cost,
        write_off=device_price,
        month=device_price,
        left_out=cost.left_out,
    )


def _rented_rows(
    choice: CostChoice,
    rules: CostRules,
    rates: list[Rate],
    offers: list[Offer],
    speeds: MachineSpeeds,
    load: Load | None,
    use: Use,
) -> list[RentedRow]:
    """Offers of the very machine: this device, as many of them as the machine has."""
    rows: list[RentedRow] = []
    for at in range(len(offers)):
        if offers[at].devices == speeds.devices and len(rows) * 1.0 < rules.shown_offers:
            hourly = converted(offers[at].usd_per_hour, rates, choice.currency)
            several: Figure | None = None
            if load is not None:
                several = _when_known(hourly, rented_per_million(hourly.value, load.total_tps, use))
            rows.append(
                RentedRow(
                    offer=at * 1.0,
                    per_hour=hourly,
                    input=_when_known(
                        hourly, rented_per_million(hourly.value, speeds.input_tps, use)
                    ),
                    output=_when_known(
                        hourly, rented_per_million(hourly.value, speeds.output_tps, use)
                    ),
                    several=several,
                )
            )
    return rows


def _rent_or_buy(
    choice: CostChoice, rules: CostRules, rented: list[RentedRow], own: list[OwnRow], use: Use
) -> RentOrBuy | None:
    """With the cheapest offer, writing for one user; None without an offer or an own machine."""
    if len(rented) == 0 or len(own) == 0:
        return None
    cost = own[0].cost
    for row in own:
        if row.phase == "single":
            cost = row.cost
    hourly = rented[0].per_hour
    rent = _when_known(hourly, rent_a_month(hourly.value, use))
    machine = Machine(
        purchase=None,
        host_price=None,
        residual_share=_residual_share(choice),
        lifetime_months=choice.lifetime_months,
        load_w=None,
        idle_w=None,
        pue=None,
    )
    months = [choice.lifetime_months * share for share in rules.curve_shares]
    return RentOrBuy(
        offer=rented[0].offer,
        per_hour=hourly,
        month=rent,
        break_even=break_even_months(machine, cost, rent),
        curve=spending_curve(cost, rent, months) if choice.lifetime_months > 0.0 else [],
    )


def _tile(rented: list[RentedRow], own: list[OwnRow]) -> Figure:
    if len(rented) > 0:
        return rented[0].output
    for row in own:
        if row.phase == "single":
            return row.per_million
    return Figure(value=None, reason="speed_unknown")


def _when_known(price: Figure, figure: Figure) -> Figure:
    """What follows from a price, or why the price is not known."""
    return price if price.value is None else figure


def _price_on_record(prices: list[DevicePrice], condition: str) -> DevicePrice | None:
    for price in prices:
        if price.condition == condition:
            return price
    return prices[0] if len(prices) > 0 else None


def _electricity(place: Place, country: str) -> Electricity | None:
    for entry in place.electricity:
        if entry.country == country:
            return entry
    return None


def _carbon(grids: list[Carbon], country: str) -> Carbon | None:
    for grid in grids:
        if grid.country == country:
            return grid
    return None


def _kwh_rate(electricity: Electricity | None, rates: list[Rate], currency: str) -> Rate | None:
    """The rate that a price on record was turned into USD by; None where it was not."""
    if electricity is None or electricity.currency == currency or electricity.currency == USD:
        return None
    return rate_of(rates, electricity.currency)


def _kwh_price(electricity: Electricity | None, rates: list[Rate], currency: str) -> Figure:
    if electricity is None:
        return Figure(value=None, reason="electricity_unknown")
    if electricity.currency == currency:
        return Figure(value=electricity.price)
    usd = electricity.price
    if electricity.currency != USD:
        rate = rate_of(rates, electricity.currency)
        if rate is None:
            return Figure(value=None, reason="rate_unknown")
        usd = electricity.price * rate.usd
    return converted(usd, rates, currency)


def _host_w(place: Place, devices: float) -> float | None:
    """Power of the computer around the devices; None: not known and left out."""
    if place.host_per == "included":
        return 0.0
    if place.host_w is None:
        return None
    return place.host_w * devices if place.host_per == "device" else place.host_w


def _machine_w(device_w: float | None, devices: float, host_w: float | None) -> float | None:
    """All devices at that power, and what is around them."""
    if device_w is None:
        return None
    around = 0.0 if host_w is None else host_w
    return device_w * devices + around
