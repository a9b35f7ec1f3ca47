"""Errors and intervals of a calibration, from rows that were left out with their source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np

from vramsite.catalog.calibration import KINDS, LEVELS
from vramsite.evidence.phase_result import PhaseResult, folds
from vramsite.evidence.pooled_fit import Flags, Floats
from vramsite.evidence.speed_case import SpeedCase

LOW, HIGH = 0.1, 0.9
# An interval of few rows leans on the wider group's: it counts as much as so many rows.
BORROWED_ROWS = 60.0
SOURCE_WEIGHT = 3  # errors without the source count so much more than those without the publisher
LEAST_HALF_WIDTH = 0.03
WORST_ROWS = 25

Level = Literal["device", "family", "engine", "all"]


def left_out_levels(result: PhaseResult, reporters: Sequence[str]) -> list[str]:
    """How close the evidence was for each row without its reporter (source or publisher)."""
    fold = folds(reporters)
    kinds = {"device": "runtime-device", "family": "runtime-family", "engine": "runtime"}
    names = [case.groups.names() for case in result.cases]
    everywhere = {level: Counter(n[kind] for n in names) for level, kind in kinds.items()}
    inside = {
        level: Counter((fold[at], n[kind]) for at, n in enumerate(names))
        for level, kind in kinds.items()
    }
    levels = []
    for at, name in enumerate(names):
        found = "all"
        for level in ("device", "family", "engine"):
            group = name[kinds[level]]
            if everywhere[level][group] > inside[level][fold[at], group]:
                found = level
                break
        levels.append(found)
    return levels


def fitted_intervals(decode: PhaseResult, prompt: PhaseResult) -> list[dict[str, object]]:
    """Rows of `intervals:`, for every kind of run, level of evidence and group of engines."""
    rows: list[dict[str, object]] = []
    for kind in KINDS:
        result = prompt if kind == "prompt" else decode
        cases = result.cases
        wanted = np.array([in_catalog(c) and kind in ("prompt", c.kind) for c in cases])
        by_llama = np.array([c.groups.runtime.startswith("llama.cpp/") for c in cases])
        # Readers' machines are as unlike as sources, and some as unlike as publishers.
        errors = np.concatenate([*[result.left_out] * SOURCE_WEIGHT, result.by_publisher])
        by_source = left_out_levels(result, result.fit.sources)
        by_publisher = left_out_levels(result, result.fit.publishers)
        levels = np.array(by_source * SOURCE_WEIGHT + by_publisher)
        of_kind = np.tile(wanted, SOURCE_WEIGHT + 1)
        llama = np.tile(by_llama, SOURCE_WEIGHT + 1)
        for engine, group in (("llama.cpp", llama), ("other", ~llama)):
            wide = _quantiles(errors[of_kind & group], _quantiles(errors[of_kind], (-0.5, 0.5)))
            last: tuple[float, float] | None = None
            own = by_llama if engine == "llama.cpp" else ~by_llama
            for level in LEVELS:
                chosen = of_kind & group & (levels == level)
                low, high = _quantiles(errors[chosen], wide)
                low, high = min(low, -LEAST_HALF_WIDTH), max(high, LEAST_HALF_WIDTH)
                if last is not None:  # less evidence never narrows the interval
                    low, high = min(low, last[0]), max(high, last[1])
                last = (low, high)
                rows.append(
                    {
                        "kind": kind,
                        "level": level,
                        "engine": engine,
                        "low": float(f"{np.exp(low):.4f}"),
                        "high": float(f"{np.exp(high):.4f}"),
                        "rows": int((np.array(by_source) == level)[wanted & own].sum()),
                    }
                )
    return rows


def in_catalog(case: SpeedCase) -> bool:
    """Whether model and device have pages; the others are evidence only."""
    return case.row.model_id is not None and case.row.gpu_id is not None


def _quantiles(errors: Floats, wider: tuple[float, float]) -> tuple[float, float]:
    """10 % and 90 % quantile, leaning on a wider group's where there are few."""
    count = len(errors)
    if count == 0:
        return wider
    share = count / (count + BORROWED_ROWS)
    low, high = (float(np.quantile(errors, at)) for at in (LOW, HIGH))
    return share * low + (1 - share) * wider[0], share * high + (1 - share) * wider[1]


def report(decode: PhaseResult, prompt: PhaseResult) -> str:
    """Errors in sample and left out, and the worst rows, as text."""
    lines = [
        "metric          cut         rows   in sample       source left out   publisher left out"
    ]
    for result, metric in (
        (decode, "decode_tps"),
        (prompt, "prefill_tps"),
        (prompt, "ttft_ms"),
    ):
        for label, chosen in _cuts(result.cases, metric):
            if not chosen.any():
                continue
            cells = [
                _median_p90(errors[chosen])
                for errors in (result.in_sample, result.left_out, result.by_publisher)
            ]
            lines.append(f"{metric:<15} {label:<22} {int(chosen.sum()):>5}   " + "   ".join(cells))
    lines.append("")
    lines.append("worst rows, source left out (predicted / measured speed)")
    worst = [
        (abs(error), float(np.exp(-error)), case)
        for result in (decode, prompt)
        for error, case in zip(result.left_out, result.cases, strict=True)
        if in_catalog(case)
    ]
    worst.sort(key=lambda entry: (-entry[0], entry[2].row.id))
    for _, ratio, case in worst[:WORST_ROWS]:
        row = case.row
        lines.append(
            f"{row.id} {row.metric} {ratio:6.2f}x  {row.model_id} {row.quant} {row.gpu_id}"
            f" x{row.gpu_count} {case.groups.runtime} at {row.context_tokens}: {row.value:g}"
            f"  {row.source}"
        )
    return "\n".join(lines) + "\n"


def _cuts(cases: list[SpeedCase], metric: str) -> Iterable[tuple[str, Flags]]:
    of_metric = np.array([case.row.metric == metric and in_catalog(case) for case in cases])
    kinds = np.array([case.kind for case in cases])
    llama = np.array([case.groups.runtime.startswith("llama.cpp/") for case in cases])
    yield "all", of_metric
    for kind in ("single", "batch", "several", "offload"):
        yield kind, of_metric & (kinds == kind)
    yield "single, llama.cpp", of_metric & (kinds == "single") & llama
    yield "single, other engines", of_metric & (kinds == "single") & ~llama


def _median_p90(errors: Floats) -> str:
    sizes = np.abs(np.exp(-errors) - 1.0)
    return f"{np.median(sizes):6.1%} {np.quantile(sizes, 0.9):7.1%}"
