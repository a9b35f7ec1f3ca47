"""Intervals of left-out rows are those that nobody's own rows have made wider."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from vramsite.evidence.intervals import covered, fitted_intervals
from vramsite.evidence.phase_result import PhaseResult


def case(kind: str = "single", device: str = "d") -> SimpleNamespace:
    runtime = "llama.cpp/cuda"
    names = {
        "runtime": runtime,
        "runtime-family": f"{runtime} f",
        "runtime-device": f"{runtime} {device}",
    }
    return SimpleNamespace(
        kind=kind,
        groups=SimpleNamespace(runtime=runtime, names=lambda: names),
        row=SimpleNamespace(metric="decode_tps", model_id="m", gpu_id=device),
    )


def result(errors: list[float], sources: list[str]) -> PhaseResult:
    found = SimpleNamespace(
        cases=[case() for _ in errors],
        fit=SimpleNamespace(sources=sources, publishers=sources),
        left_out=np.array(errors),
        by_publisher=np.array(errors),
    )
    return cast(PhaseResult, found)


def test_a_source_far_from_all_others_is_not_in_its_interval() -> None:
    """Nine sources err by up to 10 %, one by a factor of e: it cannot widen its own interval."""
    errors: list[float] = []
    sources: list[str] = []
    for source in range(9):
        errors += list(np.linspace(-0.1, 0.1, 101))
        sources += [f"s{source}"] * 101
    errors += [1.0] * 300
    sources += ["odd"] * 300
    inside = covered(result(errors, sources))
    assert not inside[-300:].any()
    # The odd source makes the others' upper bound wide; a tenth lies below the lower one.
    each = inside[:-300].reshape(9, 101)
    assert each[:, 51:].all()
    assert not each[:, :5].any()


def test_fewer_than_three_per_cent_is_never_promised() -> None:
    rows = fitted_intervals(
        result([0.0] * 3000, [f"s{at}" for at in range(3000)]), prompt_like([0.0] * 12)
    )
    single = [row for row in rows if row["kind"] == "single" and row["engine"] == "llama.cpp"]
    assert single[0]["low"] == 0.9704  # e ** -0.03
    assert single[0]["high"] == 1.0305
    assert single[0]["rows"] == 3000


def prompt_like(errors: list[float]) -> PhaseResult:
    found = result(errors, [f"s{at}" for at in range(len(errors))])
    for one in found.cases:
        one.row.metric = "prefill_tps"  # type: ignore[misc]
    return found
