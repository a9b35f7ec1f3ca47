"""`vramsite calibrate`: data/measurements/ -> data/calibration.yaml, with its errors.

Prompt processing is fitted first; decode after it, because many published rates are tokens over
the whole request and so include the prompt's time. Intervals come from rows left out with their
whole source.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.calibration import compute_flops
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.measurements import measurements
from vramsite.catalog.speed_model import PhaseModel
from vramsite.catalog.speed_tables import METRICS
from vramsite.evidence.calibration_errors import error_rows, report
from vramsite.evidence.intervals import fitted_intervals
from vramsite.evidence.outside_catalog import OutsideCatalog
from vramsite.evidence.phase_result import PhaseResult, folds
from vramsite.evidence.pooled_fit import REPORTERS, Effect, Observation, PooledFit
from vramsite.evidence.speed_case import SPEED_METRICS, CaseReader, CaseRefusedError, SpeedCase
from vramsite.evidence.speed_parts import (
    case_decode_parts,
    case_prefill_parts,
    measured_seconds,
    publisher,
)

_METRIC_NAMES = {"decode_tps": "decode", "prefill_tps": "prefill", "ttft_ms": "ttft"}
MOST_OF_WALL_TIME = 0.7  # what the prompt may explain at most of a rate over the whole request
HEADER = """# Fitted by `vramsite calibrate` from data/measurements/; never edited by hand.
# Factors on the parts of a step (vramsite.sizing.speed_records), by group; see speed_model.yaml.
"""


def fit_cases(catalog: Catalog, data_dir: Path) -> tuple[CaseReader, list[SpeedCase]]:
    """All usable speed rows that the engine can describe."""
    reader = CaseReader(catalog, data_dir, OutsideCatalog(data_dir))
    cases = []
    for row in measurements(data_dir):
        if not row.usable or row.metric not in SPEED_METRICS or row.speculative:
            continue
        if row.offload == "unknown":
            continue
        try:
            cases.append(reader.read(row))
        except CaseRefusedError:
            continue
    return reader, cases


def flops_per_byte(gpus: dict[str, GpuRecord]) -> dict[str, float]:
    """What is usual in each family, for devices whose matrix throughput no source names."""
    ratios: dict[str, list[float]] = {"all": []}
    for gpu in gpus.values():
        known = compute_flops(gpu, {"all": 0.0})
        if known and gpu.bandwidth_gb_s is not None:
            ratio = known / (gpu.bandwidth_gb_s * 1e9)
            ratios.setdefault(gpu.family, []).append(ratio)
            ratios["all"].append(ratio)
    return {family: float(np.median(found)) for family, found in sorted(ratios.items())}


@dataclass(frozen=True, slots=True)
class PhaseFactors:
    """Fitted effects of one phase, as the engine looks them up."""

    factors: dict[Effect, float]
    model: PhaseModel

    def seconds(self, parts: dict[str, float], names: dict[str, str]) -> float:
        """Sum of part x product of effects."""
        total = 0.0
        for part, size in parts.items():
            prior = self.model.parts[part]
            value = self.factors.get((part, "all", ""), prior.start)
            for kind in prior.groups:
                value *= self.factors.get((part, kind, names[kind]), 1.0)
            for kind in self.model.shared:
                if kind not in REPORTERS:
                    value *= self.factors.get(("shared", kind, names[kind]), 1.0)
            total += size * value
        return total


def fit_prefill(
    reader: CaseReader, cases: list[SpeedCase], per_byte: dict[str, float]
) -> PhaseResult:
    """Prompt speeds and times to the first token of single requests."""
    used = []
    seen = []
    for case in cases:
        if case.row.metric not in ("prefill_tps", "ttft_ms") or case.sequences > 1.0:
            continue
        flops = compute_flops(case.gpu, per_byte)
        parts = case_prefill_parts(case, reader.model, flops, depth_tokens=case.depth_tokens)
        if parts and case.prompt_tokens > 1.0:
            used.append(case)
            seen.append(_observation(case, parts, 0.0))
    return _fitted(reader.model.prefill, used, seen)


def fit_decode(
    reader: CaseReader,
    cases: list[SpeedCase],
    per_byte: dict[str, float],
    prompt: PhaseFactors,
) -> PhaseResult:
    """Decode rates; the prompt's time is taken out of rates over a whole request."""
    used = []
    seen = []
    for case in cases:
        if case.row.metric != "decode_tps":
            continue
        flops = compute_flops(case.gpu, per_byte)
        fixed = 0.0
        if case.conditions.wall_clock and case.prompt_tokens > 1.0:
            parts = case_prefill_parts(case, reader.model, flops, depth_tokens=0.0)
            whole = prompt.seconds(parts, case.groups.names())
            fixed = case.sequences * whole / case.conditions.generated_tokens
            fixed = min(fixed, MOST_OF_WALL_TIME * measured_seconds(case))
        used.append(case)
        seen.append(
            _observation(case, case_decode_parts(case, reader.model, reader.rules, flops), fixed)
        )
    return _fitted(reader.model.decode, used, seen)


def _observation(case: SpeedCase, parts: dict[str, float], fixed: float) -> Observation:
    source = case.row.source
    return Observation(
        parts, case.groups.names(), source, publisher(source), measured_seconds(case), fixed
    )


def _fitted(model: PhaseModel, used: list[SpeedCase], seen: list[Observation]) -> PhaseResult:
    fit = PooledFit(model, seen)
    theta = fit.fit()
    return PhaseResult(
        cases=used,
        fit=fit,
        theta=theta,
        in_sample=fit.log_predictions(theta) - fit.log_seconds,
        left_out=fit.left_out(theta, folds(fit.sources)) - fit.log_seconds,
        by_publisher=fit.left_out(theta, folds(fit.publishers)) - fit.log_seconds,
    )


def phase_record(result: PhaseResult, model: PhaseModel) -> dict[str, object]:
    """Effects as they are written."""
    factors = result.fit.factors(result.theta)
    parts: dict[str, dict[str, object]] = {}
    for part, prior in model.parts.items():
        groups: dict[str, dict[str, float]] = {}
        for kind in prior.groups:
            groups[kind] = _named(factors, part, kind)
        overall = factors.get((part, "all", ""), prior.start)
        parts[part] = {"all": _short(overall), "groups": groups}
    return {
        "parts": parts,
        "shared": {
            kind: _named(factors, "shared", kind) for kind in model.shared if kind not in REPORTERS
        },
    }


def evidence_rows(cases: list[SpeedCase]) -> dict[str, dict[str, dict[str, int]]]:
    """How many rows there are behind each metric, by engine and back end on what."""
    kinds = {"device": "runtime-device", "family": "runtime-family", "runtime": "runtime"}
    counts: dict[str, dict[str, Counter[str]]] = {
        metric: {level: Counter() for level in kinds} for metric in METRICS
    }
    for case in cases:
        metric = _METRIC_NAMES[case.row.metric]
        if metric == "decode" and case.sequences > 1.0:
            metric = "batch"
        names = case.groups.names()
        for level, kind in kinds.items():
            counts[metric][level][names[kind]] += 1
    return {
        metric: {level: dict(sorted(found.items())) for level, found in levels.items()}
        for metric, levels in counts.items()
    }


def _named(factors: dict[Effect, float], part: str, kind: str) -> dict[str, float]:
    found = {
        effect[2]: _short(value)
        for effect, value in factors.items()
        if effect[0] == part and effect[1] == kind
    }
    # What is nearly 1 changes nothing and is left out.
    return {name: found[name] for name in sorted(found) if abs(found[name] - 1.0) >= 0.0005}


def _short(value: float) -> float:
    return float(f"{value:.5g}")


def run(data_dir: Path) -> str:
    """Fit, write data/calibration.yaml and return a report of the errors for people."""
    catalog = load_catalog(data_dir)
    reader, cases = fit_cases(catalog, data_dir)
    per_byte = flops_per_byte(catalog.gpus)
    prompt = fit_prefill(reader, cases, per_byte)
    prompt_factors = PhaseFactors(prompt.fit.factors(prompt.theta), reader.model.prefill)
    decode = fit_decode(reader, cases, per_byte, prompt_factors)
    errors = error_rows(decode, prompt)
    record = {
        "written_by": "vramsite calibrate",
        "rows": {
            "decode": len(decode.cases),
            "prefill": sum(1 for c in prompt.cases if c.row.metric == "prefill_tps"),
            "first_token": sum(1 for c in prompt.cases if c.row.metric == "ttft_ms"),
        },
        "compute_flops_per_byte": {key: _short(value) for key, value in per_byte.items()},
        "decode": phase_record(decode, reader.model.decode),
        "prefill": phase_record(prompt, reader.model.prefill),
        "evidence": evidence_rows([*decode.cases, *prompt.cases]),
        "intervals": fitted_intervals(decode, prompt),
        "errors": errors,
    }
    text = HEADER + yaml.safe_dump(record, sort_keys=False, width=100, default_flow_style=None)
    (data_dir / "calibration.yaml").write_text(text, encoding="utf-8")
    return report(errors, decode, prompt)
