"""The stated speculation defaults are what the published rows give."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import yaml

from vramsite.catalog.speed_model import load_speed_model

DATA = Path(__file__).resolve().parents[2] / "data"


def acceptance(length: float, drafted: int) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if sum(middle**step for step in range(drafted + 1)) < length:
            low = middle
        else:
            high = middle
    return low


def test_defaults_are_the_medians_of_published_rows() -> None:
    rows = yaml.safe_load((DATA / "side" / "speculative.yaml").read_text(encoding="utf-8"))["rows"]
    known = [
        (row, float(row["acceptance_length"]), int(row["draft_tokens"]))
        for row in rows
        if row.get("acceptance_length") and row.get("draft_tokens")
    ]
    found = [acceptance(length, drafted) for _, length, drafted in known if length <= drafted + 1]
    shares = []
    for row, length, drafted in known:
        speedup = row.get("speedup")
        if speedup is None and row.get("speedup_min") and row.get("speedup_max"):
            speedup = (row["speedup_min"] + row["speedup_max"]) / 2
        if speedup is not None:
            shares.append((length / speedup - 1) / drafted)
    stated = load_speed_model(DATA).speculation
    assert (len(found), len(shares)) == (123, 8)
    assert abs(median(found) - stated.acceptance) < 0.001
    assert abs(median(shares) - stated.cost_share) < 0.001
