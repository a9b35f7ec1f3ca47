"""What driver context and libraries take, against runs that published all their parts."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from statistics import median

from vramsite.catalog import MeasurementRow, load_catalog
from vramsite.catalog.measurements import measurements

DATA = Path(__file__).parents[2] / "data"


def complete_runs() -> list[tuple[float, float]]:
    """MiB in use less weights, cache and buffers, on each device of a run, with the devices."""
    runs: dict[tuple[object, ...], dict[str, MeasurementRow]] = defaultdict(dict)
    for row in measurements(DATA):
        found = re.match(r"(ctx \d+ ubatch \d+ parallel \d+ split layer fa \w+)", row.notes or "")
        if found and row.source:
            key = (row.model_name, row.quant, row.kv_type, row.gpu_count, found.group(1))
            runs[key][row.metric] = row
    parts = ("weights_mib", "kv_mib", "compute_mib")
    complete = [run for run in runs.values() if {*parts, "total_vram_mib"} <= run.keys()]
    return [
        (
            (run["total_vram_mib"].value - sum(run[part].value for part in parts))
            / run["total_vram_mib"].gpu_count,
            run["total_vram_mib"].gpu_count,
        )
        for run in complete
    ]


def test_runs_with_all_parts_lie_within_the_interval() -> None:
    runs = complete_runs()
    assert len(runs) >= 9
    runtime = load_catalog(DATA).assumptions.runtime["cuda"]
    low, high = runtime.low or 0.0, runtime.high or 0.0
    assert all(low <= each <= high for each, _ in runs)
    # The figure for RTX 3090 that the source of the assumption names
    assert abs(median(each for each, _ in runs) - 298.0) <= 3.0
