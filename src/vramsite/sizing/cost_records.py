"""What running a model costs: what the calculation takes and gives.

Money is in one currency throughout, power in watts, a month is a twelfth of a year. `None` means
"not known".
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number, or the code of what is missing for it.

    Codes: price_unknown, zero_price, zero_hours, impossible_hours, power_unknown, pue_unknown,
    electricity_unknown, rate_unknown, co2_unknown, speed_unknown, lifetime_unknown,
    share_unknown, out_of_range, never.
    """

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How much the machine works: the same for an own and a rented one."""

    hours_a_day: float  # in which the model is used, and a rented machine is paid for
    days_a_month: float
    busy_share: float  # of those hours in which it works at the stated speed; it idles in the rest
    own_on_hours_a_day: float  # an own machine may stay on when nobody uses it


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine of one's own. Power is the whole machine's, before the site's overhead."""

    purchase: float | None  # all devices
    host_price: float | None  # the computer around them; None: left out, and said so
    residual_share: float | None  # of both at the end; None: counted as nothing, and said so
    lifetime_months: float | None
    load_w: float | None
    idle_w: float | None  # None: left out, and said so
    pue: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Where the power comes from."""

    price_per_kwh: float | None
    co2_g_per_kwh: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCost:
    """What a machine of one's own costs. `left_out`: host_price, residual, idle_power."""

    upfront: Figure  # devices and host
    kwh: Figure  # a month
    power_cost: Figure  # a month
    write_off: Figure  # a month: upfront less what is left at the end, over the lifetime
    month: Figure  # write-off and power
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Money spent up to the end of a month on both ways, nothing sold yet."""

    month: float
    own: float
    rent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """So many sequences side by side, and what they write together."""

    sequences: float
    total_tps: float
