"""/accuracy/: the engine against its evidence, computed when the site is built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.catalog.calibration import load_calibration
from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.report.accuracy_view import memory_accuracy
from vramsite.report.speed_accuracy_view import SpeedChart, speed_accuracy
from vramsite.site.pages import PageKey

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext

CHART_SIZE = 320.0


def chart_path(chart: SpeedChart) -> str:
    """All points as one SVG path of dots to the pixel, the origin at the lower left."""
    dots = {(round(x * CHART_SIZE), round((1.0 - y) * CHART_SIZE)) for x, y in chart.points}
    return "".join(f"M{x} {y}h0" for x, y in sorted(dots))


class AccuracyKind:
    """One page a locale."""

    name = "accuracy"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """Tables by term, engine and family; measured against predicted as charts."""
        return site.render(
            env,
            key,
            locale,
            "pages/accuracy.html",
            memory=memory_accuracy(site.catalog),
            speeds=[
                (table, chart_path(table.chart) if table.chart else "")
                for table in speed_accuracy(site.catalog)
            ],
            left_out=load_calibration(site.catalog.data_dir).errors,
            training=load_finetune_rules(site.catalog.data_dir).calibration.errors,
            origin=site.urls.origin,
        )


KIND = AccuracyKind()
