"""Intervals of a calibration, from the errors of rows that were left out with their reporter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
ENGINES = ("llama.cpp", "other")

Bounds = tuple[float, float]  # of log(predicted / measured seconds)
Key = tuple[str, str, str]  # kind of run, engine, level of evidence


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


@dataclass(frozen=True, slots=True)
class _Left:
    """Left-out errors of one phase with what decides which interval holds for each."""

    cases: list[SpeedCase]
    in_catalog: Flags
    by_llama: Flags
    by_source: list[str]
    by_publisher: list[str]
    source_errors: Floats
    publisher_errors: Floats

    @classmethod
    def of(cls, result: PhaseResult) -> _Left:
        cases = result.cases
        return cls(
            cases=cases,
            in_catalog=np.array([in_catalog(case) for case in cases]),
            by_llama=np.array([case.groups.runtime.startswith("llama.cpp/") for case in cases]),
            by_source=left_out_levels(result, result.fit.sources),
            by_publisher=left_out_levels(result, result.fit.publishers),
            source_errors=result.left_out,
            publisher_errors=result.by_publisher,
        )

    def kinds(self) -> list[str]:
        """Kind of run of each row; prompts are fitted apart and are one kind."""
        prompt = any(case.row.metric != "decode_tps" for case in self.cases)
        return ["prompt" if prompt else case.kind for case in self.cases]


def fitted_intervals(decode: PhaseResult, prompt: PhaseResult) -> list[dict[str, object]]:
    """Rows of `intervals:`, for every kind of run, level of evidence and group of engines."""
    rows: list[dict[str, object]] = []
    for kind in KINDS:
        left = _Left.of(prompt if kind == "prompt" else decode)
        of_kind = left.in_catalog & (np.array(left.kinds()) == kind)
        bounds = _bounds(left, kind, of_kind)
        for engine in ENGINES:
            own = left.by_llama if engine == "llama.cpp" else ~left.by_llama
            for level in LEVELS:
                low, high = bounds[kind, engine, level]
                rows.append(
                    {
                        "kind": kind,
                        "level": level,
                        "engine": engine,
                        "low": float(f"{np.exp(low):.4f}"),
                        "high": float(f"{np.exp(high):.4f}"),
                        "rows": int((np.array(left.by_source) == level)[of_kind & own].sum()),
                    }
                )
    return rows


def covered(result: PhaseResult, *, by_publisher: bool = False) -> Flags:
    """Whether each row lies in the interval that was made without any row of its reporter.

    Prediction and interval are both those of somebody who has not seen the reporter's rows: the
    quantiles are taken anew for every fold, from the left-out errors of all other rows.
    """
    left = _Left.of(result)
    reporters = result.fit.publishers if by_publisher else result.fit.sources
    levels = left.by_publisher if by_publisher else left.by_source
    errors = left.publisher_errors if by_publisher else left.source_errors
    kinds = left.kinds()
    labels = np.array(folds(reporters))
    inside = np.zeros(len(left.cases), bool)
    for fold in sorted(set(labels)):
        mine = np.flatnonzero(labels == fold)
        others = left.in_catalog & (labels != fold)
        bounds: dict[Key, Bounds] = {}
        for kind in sorted({kinds[at] for at in mine}):
            bounds.update(_bounds(left, kind, others & (np.array(kinds) == kind)))
        for at in mine:
            engine = ENGINES[0] if left.by_llama[at] else ENGINES[1]
            low, high = bounds[kinds[at], engine, levels[at]]
            inside[at] = low <= errors[at] <= high
    return inside


def in_catalog(case: SpeedCase) -> bool:
    """Whether model and device have pages; the others are evidence only."""
    return case.row.model_id is not None and case.row.gpu_id is not None


def _bounds(left: _Left, kind: str, chosen: Flags) -> Mapping[Key, Bounds]:
    """Intervals of one kind from the chosen rows."""
    # Readers' machines are as unlike as sources, and some as unlike as publishers.
    errors = np.concatenate([*[left.source_errors] * SOURCE_WEIGHT, left.publisher_errors])
    levels = np.array(left.by_source * SOURCE_WEIGHT + left.by_publisher)
    of_kind = np.tile(chosen, SOURCE_WEIGHT + 1)
    llama = np.tile(left.by_llama, SOURCE_WEIGHT + 1)
    found: dict[Key, Bounds] = {}
    for engine, group in zip(ENGINES, (llama, ~llama), strict=True):
        wide = _quantiles(errors[of_kind & group], _quantiles(errors[of_kind], (-0.5, 0.5)))
        last: Bounds | None = None
        for level in LEVELS:
            low, high = _quantiles(errors[of_kind & group & (levels == level)], wide)
            low, high = min(low, -LEAST_HALF_WIDTH), max(high, LEAST_HALF_WIDTH)
            if last is not None:  # less evidence never narrows the interval
                low, high = min(low, last[0]), max(high, last[1])
            last = found[kind, engine, level] = (low, high)
    return found


def _quantiles(errors: Floats, wider: Bounds) -> Bounds:
    """10 % and 90 % quantile, leaning on a wider group's where there are few."""
    count = len(errors)
    if count == 0:
        return wider
    share = count / (count + BORROWED_ROWS)
    low, high = (float(np.quantile(errors, at)) for at in (LOW, HIGH))
    return share * low + (1 - share) * wider[0], share * high + (1 - share) * wider[1]
