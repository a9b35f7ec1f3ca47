"""Memory bars for templates: whole numbers, in 900ths of the bar's width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.sizing.figures import BAR_WIDTH, Stretch, draw_bar

if TYPE_CHECKING:
    from vramsite.sizing.figures import DrawnBar

WIDTH = int(BAR_WIDTH)


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


def drawn(bar: DrawnBar) -> Bar:
    """A bar as templates take it: they refuse floats."""
    return Bar(
        tuple(Segment(item.name, int(item.x), int(item.width)) for item in bar.segments),
        None if bar.limit_x is None else int(bar.limit_x),
    )


def draw(amounts: list[tuple[str, float]], limit_bytes: float | None, full_bytes: float) -> Bar:
    """Lay named amounts side by side on a bar whose whole width stands for `full_bytes`."""
    stretches = [Stretch(name=name, amount=amount) for name, amount in amounts]
    return drawn(draw_bar(stretches, limit_bytes, full_bytes))
