"""What the page on accuracy says about speed: predicted against published, cut by kind of run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.measurements import measurements
from vramsite.catalog.trace import note
from vramsite.evidence.speed import SpeedAccuracy, SpeedJudge, summaries

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

METRICS = ("decode_tps", "prefill_tps", "ttft_ms")


@dataclass(frozen=True, slots=True)
class SpeedLine:
    """Errors of one metric in one cut of the rows; shares between 0 and 1."""

    cut: str  # all, single, or the kind of cut: class, device, engine, gpus, offload, streams
    value: str  # "" for all and single
    count: int
    refused: int
    median: float | None
    p90: float | None
    bias: float | None  # median of predicted / measured
    coverage: float | None


@dataclass(frozen=True, slots=True)
class SpeedChart:
    """Measured against predicted on logarithmic axes; points as shares of the axes' length."""

    low: float  # both axes run from `low` to `high`, powers of ten
    high: float
    points: list[tuple[float, float]]  # measured, predicted


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """One metric."""

    metric: str
    lines: list[SpeedLine]
    chart: SpeedChart | None


_KEPT: dict[Path, list[SpeedTable]] = {}


def speed_accuracy(catalog: Catalog) -> list[SpeedTable]:
    """A table for each metric over data/measurements/; computed once in a process."""
    note(("files", "measurements"))
    found = _KEPT.get(catalog.data_dir)
    if found is None:
        judge = SpeedJudge(catalog, catalog.data_dir)
        result = judge.compare(measurements(catalog.data_dir))
        found = _KEPT[catalog.data_dir] = speed_tables(result)
    return found


def speed_tables(result: SpeedAccuracy) -> list[SpeedTable]:
    """The tables of judged rows."""
    found = summaries(result)
    tables = []
    for metric in METRICS:
        cuts = found.get(metric, {})
        names = sorted(cuts, key=lambda cut: (cut != "all", cut != "single", cut))
        pairs = [
            (entry.measured, entry.predicted)
            for entry in result.compared
            if entry.row.metric == metric
        ]
        tables.append(
            SpeedTable(
                metric=metric,
                lines=[_line(name, cuts[name]) for name in names],
                chart=log_chart(pairs),
            )
        )
    return tables


def log_chart(pairs: list[tuple[float, float]]) -> SpeedChart | None:
    """Points on axes that span all values by whole powers of ten; None without any."""
    if not pairs:
        return None
    values = [value for pair in pairs for value in pair]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    span = high - low
    return SpeedChart(
        low=10.0**low,
        high=10.0**high,
        points=[
            ((math.log10(x) - low) / span, (math.log10(y) - low) / span) for x, y in sorted(pairs)
        ],
    )


def _line(cut: str, summary: dict[str, float | int | None]) -> SpeedLine:
    name, _, value = cut.partition(":")
    return SpeedLine(
        cut=name,
        value=value,
        count=int(summary["count"] or 0),
        refused=int(summary["refused"] or 0),
        median=summary["median"],
        p90=summary["p90"],
        bias=summary["bias"],
        coverage=summary["coverage"],
    )
