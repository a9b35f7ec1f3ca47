"""What the cost section of a page holds, neutral of language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.report.bars import Bar
    from vramsite.report.cards import DeviceCard
    from vramsite.report.money_data import Seller
    from vramsite.report.money_offers import Offers
    from vramsite.sizing.cost_inputs import CostChoice, MachineCount
    from vramsite.sizing.cost_records import Figure
    from vramsite.sizing.cost_results import CostSection


@dataclass(frozen=True, slots=True)
class PriceRow:
    """Somebody else's machine or service: a million tokens read, written, and for several users.

    `per_hour` is None for hosted services, which have no price for several users either.
    """

    seller: Seller
    per_hour: Figure | None
    figures: list[Figure]


@dataclass(frozen=True, slots=True)
class LoadRow:
    """So many users side by side, what they write together, and what each gets."""

    users: float
    total_tps: float
    each_tps: float
    bar: Bar


@dataclass(frozen=True, slots=True)
class MoneyView:
    """The cost of one model on one kind of device; `machine.devices` of them are the machine.

    `user_tokens`: context of each user; `renter` is behind the offer of `section.rent_or_buy`,
    None where there is none.
    """

    device: DeviceCard
    machine: MachineCount
    user_tokens: float
    input_tps: float | None
    output_tps: float | None
    loads: list[LoadRow]
    least_tps: float
    choice: CostChoice
    section: CostSection
    rented: list[PriceRow]
    hosted: list[PriceRow]
    renter: Seller | None
    offers: Offers
