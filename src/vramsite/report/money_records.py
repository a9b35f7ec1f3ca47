"""What the cost section of a page holds, neutral of language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.sizing.cost_records import Figure

if TYPE_CHECKING:
    from vramsite.catalog.power_record import Pue
    from vramsite.catalog.side_records import GridCarbon
    from vramsite.report.cards import DeviceCard
    from vramsite.report.money_offers import OfferRow, Offers
    from vramsite.report.money_power import MachinePower
    from vramsite.report.money_prices import DevicePrice, Electricity
    from vramsite.sizing.cost_records import CurvePoint, Load, OwnCost, Use


@dataclass(frozen=True, slots=True)
class Speeds:
    """One machine at work; `load` is the cheapest number of users, None where none is known.

    `devices` is None where no machine holds the model; `why`: capacity_unknown, too_many (more
    devices than a machine takes), separate (unified-memory machines cannot be put together).
    """

    devices: int | None
    why: str
    input_tps: float | None
    output_tps: float | None
    load: Load | None


@dataclass(frozen=True, slots=True)
class OwnRow:
    """An own machine in one phase: prompt, single, several."""

    phase: str
    tps: float | None
    power: MachinePower
    cost: OwnCost
    per_million_usd: Figure
    tokens_per_wh: Figure
    co2_g: Figure


@dataclass(frozen=True, slots=True)
class PriceRow:
    """Somebody else's machine or service: USD for a million tokens read and written.

    `several_usd` is None where there is no load of several users. `usd_per_hour` is None for
    hosted services.
    """

    provider: str
    what: str
    usd_per_hour: float | None
    input_usd: Figure
    output_usd: Figure
    several_usd: Figure | None
    as_of: str
    old: bool

    @property
    def figures(self) -> list[Figure]:
        """What is known to be asked for: input, output for one user, for several."""
        one = [self.input_usd, self.output_usd]
        return one if self.several_usd is None else [*one, self.several_usd]


@dataclass(frozen=True, slots=True)
class RentOrBuy:
    """The same machine rented from the cheapest provider, or bought."""

    offer: OfferRow
    break_even: Figure
    curve: list[CurvePoint]


@dataclass(frozen=True, slots=True)
class MoneyView:
    """The cost of one model on one kind of device; `speeds.devices` of them are the machine."""

    device: DeviceCard
    speeds: Speeds
    use: Use
    least_tps: float
    price: DevicePrice | None
    lifetime_months: int
    own: list[OwnRow]
    rented: list[PriceRow]
    hosted: list[PriceRow]
    rent_or_buy: RentOrBuy | None
    electricity: Electricity | None
    country: str
    carbon: GridCarbon | None
    pue: Pue | None
    offers: Offers

    @property
    def tile(self) -> tuple[str, Figure]:
        """What the tile shows: ("rented" or "own", USD for a million tokens for one user)."""
        if self.rented:
            return "rented", self.rented[0].output_usd
        for row in self.own:
            if row.phase == "single":
                return "own", row.per_million_usd
        return "own", Figure(value=None, reason="speed_unknown")
