"""What a page says of the cost of one machine; amounts are in the currency of the section."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.cost_inputs import Carbon, DevicePrice, Electricity, Rate, Watts
from vramsite.sizing.cost_records import CurvePoint, Figure, Load, OwnCost, Use


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRow:
    """An own machine in one phase: prompt, single, several."""

    phase: str
    tps: float | None
    load_w: float | None
    power: Watts
    cost: OwnCost
    per_million: Figure
    tokens_per_wh: Figure
    co2_g: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedRow:
    """The machine rented through offer number `offer`; `several` is None without such a load."""

    offer: float
    per_hour: Figure
    input: Figure
    output: Figure
    several: Figure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedRow:
    """A hosted service: a million tokens read and written."""

    input: Figure
    output: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class RentOrBuy:
    """The same machine rented through offer number `offer`, or bought."""

    offer: float
    per_hour: Figure
    month: Figure
    break_even: Figure
    curve: list[CurvePoint]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferCost:
    """A machine to rent in use: an hour, a month, a million tokens written for one user."""

    per_hour: Figure
    month: Figure
    output: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSection:
    """Everything about money of one machine; amounts are in `currency`.

    `rate` is what USD were converted by, None where nothing was; `price` and `electricity` are
    what was taken from the record, None where it was typed or is not known. `tile_kind` (rented,
    own) says what `tile`, a million tokens for one user, is the price of.
    """

    use: Use
    currency: str
    rate: Rate | None
    kwh_rate: Rate | None
    price: DevicePrice | None
    device_price: Figure
    electricity: Electricity | None
    price_per_kwh: Figure
    carbon: Carbon | None
    pue: float | None
    residual_share: float | None
    idle_w: float | None
    host_w: float | None
    load: Load | None
    own: list[OwnRow]
    rented: list[RentedRow]
    hosted: list[HostedRow]
    rent_or_buy: RentOrBuy | None
    tile_kind: str
    tile: Figure
    tile_per_hour: Figure
