"""What the cost of a machine is worked out from: choices, stated rules, prices on record.

Prices on record are in USD, or in a currency that is named beside them; what somebody types is in
the currency of the section.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.cost_records import Load


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChoice:
    """Use, place and prices as somebody chose them. None: what is on record counts.

    `condition` names one of the purchase prices on record, "" the first of them.
    """

    hours_a_day: float
    busy_percent: float
    own_on_hours_a_day: float
    lifetime_months: float
    country: str
    currency: str
    condition: str = ""
    price_per_kwh: float | None = None
    device_price: float | None = None  # of one device
    host_price: float | None = None  # of the computer around all devices
    residual_percent: float | None = None
    load_w: float | None = None  # of the whole machine, whatever it does
    idle_w: float | None = None
    pue: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRules:
    """Stated rules, the same on all pages; `curve_shares` are parts of the lifetime."""

    days_a_month: float
    least_tps_per_user: float
    most_devices: float
    batch_sequences: list[float]
    curve_shares: list[float]
    shown_offers: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """USD for one unit of a currency."""

    currency: str
    usd: float
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePrice:
    """What one device costs: a street price (`condition` new or used) or the list price (list)."""

    usd: float
    condition: str
    as_of: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Watts:
    """Power of one device (of the whole machine for unified memory); None: not known.

    `basis`: measured (`rows` readings on this device), family (median of its family), limit (its
    power limit, an upper bound), unknown; typed for what somebody typed in.
    """

    value: float | None
    basis: str
    rows: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Electricity:
    """A kilowatt hour in its own currency."""

    country: str
    price: float
    currency: str
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Carbon:
    """Grams of CO2 equivalent of the grid for a kilowatt hour."""

    country: str
    g_per_kwh: float
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a machine stands; `host_per`: what `host_w` is of (machine, device, included)."""

    pue: float | None
    host_w: float | None
    host_per: str
    electricity: list[Electricity]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A machine to rent with so many of the device."""

    usd_per_hour: float
    devices: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCost:
    """Money and power of one kind of device; offers of it, the cheapest first."""

    kind: str
    prices: list[DevicePrice]
    prompt_power: Watts
    single_power: Watts
    several_power: Watts
    idle_power: Watts
    offers: list[Offer] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedPrice:
    """USD for a million tokens of a hosted service."""

    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineCount:
    """How many devices are the machine; None where none holds the model.

    `why`: capacity_unknown, too_many (more devices than a machine takes), separate
    (unified-memory machines cannot be put together), refused (fixed settings do not run).
    """

    devices: float | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSpeeds:
    """One machine at work; `loads` are numbers of users side by side, rising."""

    devices: float
    input_tps: float | None
    output_tps: float | None
    loads: list[Load] = field(default_factory=list)
