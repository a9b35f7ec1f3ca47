"""Geometry of the memory bars, in 900ths of the bar's width; templates only draw it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.sizing.records import Size

WIDTH = 900


@dataclass(frozen=True, slots=True)
class Segment:
    """One coloured stretch; `name` is the term's name, or "host" for what lies in RAM."""

    name: str
    x: int
    width: int


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: stretches from the left, and where the device's usable memory ends (None: unknown)."""

    segments: tuple[Segment, ...]
    limit_x: int | None


def draw(amounts: list[tuple[str, float]], limit_bytes: float | None, full_bytes: float) -> Bar:
    """Lay named amounts side by side on a bar whose whole width stands for `full_bytes`.

    The ends are rounded, not the widths, so that errors do not add up.
    """
    if full_bytes <= 0:
        return Bar((), None)
    segments = []
    total = 0.0
    left = 0
    for name, amount in amounts:
        total += amount
        right = round(total / full_bytes * WIDTH)
        if right > left:
            segments.append(Segment(name, left, right - left))
            left = right
    limit_x = None if limit_bytes is None else round(min(limit_bytes / full_bytes, 1.0) * WIDTH)
    return Bar(tuple(segments), limit_x)


def amounts(size: Size) -> list[tuple[str, float]]:
    """Device bytes by term, and what had to move to RAM as one more stretch."""
    listed = [(term.name, term.device_bytes) for term in size.memory.terms]
    if size.fit.offloaded_bytes > 0:
        listed.append(("host", size.fit.offloaded_bytes))
    return listed
