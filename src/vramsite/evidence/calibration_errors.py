"""Errors of a calibration in sample, without each row's source, and without its publisher."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from vramsite.evidence.intervals import covered, in_catalog
from vramsite.evidence.phase_result import PhaseResult
from vramsite.evidence.pooled_fit import Flags, Floats
from vramsite.evidence.speed_case import SpeedCase

WORST_ROWS = 25
HEAD = (
    f"{'metric':<12} {'cut':<22} {'rows':>5}   {'in sample':<15}   "
    f"{'source left out, covered':<25}   publisher left out, covered"
)


def error_rows(decode: PhaseResult, prompt: PhaseResult) -> list[dict[str, object]]:
    """Rows of `errors:` in the calibration: metric, cut, rows and, for each way of judging,
    median and 90 % quantile of |predicted / measured - 1| and the 80 % interval's coverage.
    """
    rows: list[dict[str, object]] = []
    of_source = {id(result): covered(result) for result in (decode, prompt)}
    of_publisher = {id(result): covered(result, by_publisher=True) for result in (decode, prompt)}
    for result, metric in ((decode, "decode_tps"), (prompt, "prefill_tps"), (prompt, "ttft_ms")):
        for cut, chosen in _cuts(result.cases, metric):
            if not chosen.any():
                continue
            rows.append(
                {
                    "metric": metric,
                    "cut": cut,
                    "rows": int(chosen.sum()),
                    "in_sample": _errors(result.in_sample[chosen]),
                    "source_left_out": _errors(
                        result.left_out[chosen], of_source[id(result)][chosen]
                    ),
                    "publisher_left_out": _errors(
                        result.by_publisher[chosen], of_publisher[id(result)][chosen]
                    ),
                }
            )
    return rows


def report(errors: Sequence[dict[str, object]], decode: PhaseResult, prompt: PhaseResult) -> str:
    """The same, and the worst rows, as text."""
    lines = [HEAD]
    for row in errors:
        cells = [_cells(row[key]) for key in ("in_sample", "source_left_out", "publisher_left_out")]
        lines.append(
            f"{row['metric']:<12} {row['cut']:<22} {row['rows']:>5}   "
            f"{cells[0]:<15}   {cells[1]:<25}   {cells[2]}"
        )
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
        row_ = case.row
        lines.append(
            f"{row_.id} {row_.metric} {ratio:6.2f}x  {row_.model_id} {row_.quant} {row_.gpu_id}"
            f" x{row_.gpu_count} {case.groups.runtime} at {row_.context_tokens}: {row_.value:g}"
            f"  {row_.source}"
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


def _errors(errors: Floats, inside: Flags | None = None) -> dict[str, float]:
    """`errors` are log(predicted / measured seconds): the ratio of speeds is exp(-error)."""
    sizes = np.abs(np.exp(-errors) - 1.0)
    found = {
        "median": round(float(np.median(sizes)), 4),
        "p90": round(float(np.quantile(sizes, 0.9)), 4),
    }
    if inside is not None:
        found["coverage"] = round(float(inside.mean()), 4)
    return found


def _cells(found: object) -> str:
    assert isinstance(found, dict)
    text = f"{found['median']:6.1%} {found['p90']:7.1%}"
    return text + (f" {found['coverage']:6.0%}" if "coverage" in found else "")
