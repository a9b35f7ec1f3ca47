from __future__ import annotations

from vramsite.report.device_classes import SpeedPoint
from vramsite.site.drawing import cache_path, feed_forward_path, speed_chart
from vramsite.sizing.records import Estimate


def point(tokens: int, tps: float, low: float, high: float) -> SpeedPoint:
    return SpeedPoint(tokens, "fits", Estimate(value=tps, low=low, high=high, basis="device"))


def test_each_layer_is_a_box_at_its_place() -> None:
    assert cache_path((0, 3)) == "M0 0h8v20h-8zM30 0h8v20h-8z"
    assert feed_forward_path((1,)) == "M10 24h8v20h-8z"


def test_doubling_the_context_is_a_step_across() -> None:
    points = [point(4096, 80.0, 60.0, 100.0), point(8192, 50.0, 40.0, 60.0)]
    points.append(point(16384, 25.0, 20.0, 30.0))
    chart = speed_chart(points)
    assert chart is not None
    # Half of the 100 at the top of the chart is half its height.
    assert chart.line == "M0 40L300 100L600 150"
    assert chart.band == "M0 0L300 80L600 140L600 160L300 120L0 80z"
    assert chart.most_tps == 100.0


def test_one_point_is_no_chart() -> None:
    assert speed_chart([point(4096, 80.0, 60.0, 100.0)]) is None
