"""Small drawings as SVG path data: whole numbers, so that pages stay short."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vramsite.report.device_classes import SpeedPoint
    from vramsite.report.layers_view import LayersView

LAYER_WIDTH, LAYER_GAP, LAYER_HEIGHT = 10, 2, 20
FEED_FORWARD_GAP = 4
CHART_WIDTH, CHART_HEIGHT = 600, 200


def strip_path(places: Iterable[int], top: int) -> str:
    """One box a layer, side by side; boxes of one path share a colour."""
    width = LAYER_WIDTH - LAYER_GAP
    return "".join(
        f"M{place * LAYER_WIDTH} {top}h{width}v{LAYER_HEIGHT}h-{width}z" for place in places
    )


def strip_box(layers: LayersView) -> str:
    """The view box of a strip: what layers cache, and below it their feed-forward networks."""
    height = 2 * LAYER_HEIGHT + FEED_FORWARD_GAP if layers.feed_forward else LAYER_HEIGHT
    return f"0 0 {layers.count * LAYER_WIDTH} {height}"


def cache_path(places: Iterable[int]) -> str:
    """Boxes of the upper strip."""
    return strip_path(places, 0)


def feed_forward_path(places: Iterable[int]) -> str:
    """Boxes of the lower strip."""
    return strip_path(places, LAYER_HEIGHT + FEED_FORWARD_GAP)


@dataclass(frozen=True, slots=True)
class SpeedChart:
    """A line with the band of its interval, `CHART_WIDTH` by `CHART_HEIGHT`, from 0 up to
    `most_tps`; contexts are on a logarithmic axis."""

    line: str
    band: str
    most_tps: float


def speed_chart(points: list[SpeedPoint]) -> SpeedChart | None:
    """The chart of output speed over context; None for fewer than two points."""
    if len(points) < 2:
        return None
    ends = [log2(points[0].context_tokens), log2(points[-1].context_tokens)]
    most = max(point.decode.high or point.decode.value or 0.0 for point in points)

    def place(point: SpeedPoint, tps: float | None) -> str:
        x = (log2(point.context_tokens) - ends[0]) / (ends[1] - ends[0]) * CHART_WIDTH
        y = (1.0 - (tps if tps is not None else point.decode.value or 0.0) / most) * CHART_HEIGHT
        return f"{x:.0f} {y:.0f}"

    line = "L".join(place(point, point.decode.value) for point in points)
    upper = [place(point, point.decode.high) for point in points]
    lower = [place(point, point.decode.low) for point in reversed(points)]
    return SpeedChart(f"M{line}", f"M{'L'.join(upper + lower)}z", most)
