"""`vramsite calibrate`: the coefficients of fine-tuning memory that no format settles.

data/measurements/finetune.yaml -> data/finetune_calibration.yaml, with its errors.

Each starts at what counting the tensors of a layer gives and may move away from it by a stated
spread (natural log); rows pull by their relative error, robustly, and a source with many rows
only with the root of their number.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import yaml
from scipy.optimize import least_squares

from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.evidence.finetune_cases import TrainingCase, training_cases
from vramsite.evidence.finetune_rows import read_training_rows
from vramsite.evidence.finetune_throughput import throughput_shares
from vramsite.evidence.statistics import quantile

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.sizing.finetune_records import FineTuneRules

# Where each coefficient starts, and how far measurements may move it (natural log).
STARTS: dict[str, dict[str, tuple[float, float]]] = {
    "activation": {
        "saved_hidden": (5.0, 0.25),
        "saved_attention": (1.5, 0.25),
        "saved_inner": (2.0, 0.15),
        "backward_hidden": (1.0, 0.4),
        "backward_inner": (1.5, 0.2),
        "expert_backward_share": (0.1, 0.7),
        "adapter_inputs": (1.0, 0.4),
        "quantised_saved": (1.5, 0.15),
        "routed_hidden": (1.0, 0.5),
        "sharded_adapter_copies": (1.0, 0.15),
        "logits_bytes": (8.0, 0.3),
        "fused_logits_bytes": (0.3, 0.5),
    },
    "sharding": {
        "gathered_layers": (2.0, 0.3),
        "gathered_outside": (1.0, 0.2),
        "gathered_gradients": (3.0, 0.3),
        "zero_bucket_bytes": (2e9, 0.4),
    },
    "reading": {
        "held_activation_share": (0.15, 0.5),
        "held_logits_share": (0.5, 0.5),
        "held_static_share": (0.05, 0.5),
        "context_bytes": (8e8, 0.3),
        "link_bytes": (6e8, 0.5),
    },
}
Numbers = npt.NDArray[np.float64]
HEADER = """\
# Fitted by `vramsite calibrate` from data/measurements/finetune.yaml, never edited by hand.
# See vramsite.sizing.finetune_records for what each number multiplies. `errors`: peaks of each
# source predicted by a fit without it.
"""
NOISE = 0.08  # relative error that a good published peak has
NAMES = [(block, name) for block, entries in STARTS.items() for name in entries]


def evidence_cases(catalog: Catalog, data_dir: Path) -> list[TrainingCase]:
    """Our own rows; one that also says what the driver showed counts once more for that."""
    rules = load_finetune_rules(data_dir)
    path = data_dir / "measurements" / "finetune.yaml"
    cases, _ = training_cases(read_training_rows(path), catalog, rules)
    shown = [
        replace(case, reading="shown", peak_gib=case.row.shown_gib)
        for case in cases
        if case.row.shown_gib is not None
    ]
    return cases + shown


def fitted(cases: list[TrainingCase], rules: FineTuneRules) -> FineTuneRules:
    """The rules with coefficients fitted to these cases."""
    sizes = [(block, *STARTS[block][name]) for block, name in NAMES]
    counts: dict[tuple[str, str], int] = {}
    for case in cases:
        key = (case.group, case.reading)
        counts[key] = counts.get(key, 0) + 1
    weights = np.array([counts[case.group, case.reading] ** -0.25 for case in cases])
    measured = np.log(np.array([case.peak_gib for case in cases]))

    def residuals(moves: Numbers) -> Numbers:
        tried = _with(rules, moves)
        predicted = np.log(np.array([case.predicted_gib(tried) for case in cases]))
        rows = weights * _soft((predicted - measured) / NOISE)
        prior = moves / np.array([spread for _, _, spread in sizes])
        return np.concatenate([rows, prior])

    start = np.zeros(len(NAMES))
    best = least_squares(residuals, start, diff_step=1e-3, max_nfev=4, xtol=1e-4, ftol=1e-4)
    return _with(rules, best.x)


def _soft(error: Numbers) -> Numbers:
    """Beyond two spreads an error counts with its root: a wrong row shall not rule."""
    size = np.abs(error)
    softened: Numbers = np.where(size <= 2.0, size, 2.0 * np.sqrt(np.maximum(size, 2.0) - 1.0))
    return np.sign(error) * softened


def _with(rules: FineTuneRules, moves: Numbers) -> FineTuneRules:
    values: dict[str, dict[str, float]] = {block: {} for block in STARTS}
    for (block, name), move in zip(NAMES, moves, strict=True):
        values[block][name] = float(STARTS[block][name][0] * np.exp(move))
    return replace(
        rules,
        activation=replace(rules.activation, **values["activation"]),
        sharding=replace(rules.sharding, **values["sharding"]),
        reading=replace(rules.reading, **values["reading"]),
    )


def left_out_errors(
    cases: list[TrainingCase], rules: FineTuneRules
) -> list[tuple[TrainingCase, float]]:
    """Signed relative error of each published peak, fitted without its group."""
    pairs: list[tuple[TrainingCase, float]] = []
    for group in sorted({case.group for case in cases}):
        others = fitted([case for case in cases if case.group != group], rules)
        for case in cases:
            if case.group == group and case.peak_gib == case.row.peak_gib:
                pairs.append((case, case.predicted_gib(others) / case.peak_gib - 1.0))
    return pairs


def run(catalog: Catalog, data_dir: Path) -> list[str]:
    """Fit, judge leaving groups out, and write the file. Returns lines to print."""
    cases = evidence_cases(catalog, data_dir)
    file = load_finetune_rules(data_dir)
    rules = file.record()
    pairs = left_out_errors(cases, rules)
    low, high = _interval(pairs)
    best = fitted(cases, rules)
    best = replace(best, reading=replace(best.reading, low=low, high=high))
    errors = {
        "methods": {
            "all": summary([error for _, error in pairs]),
            **_by([(case.row.method, error) for case, error in pairs]),
        },
        "frameworks": _by([(case.row.framework, error) for case, error in pairs]),
        "classes": _by([(case.model_class, error) for case, error in pairs]),
        "readings": _by([(case.reading, error) for case, error in pairs]),
    }
    written = {
        **{
            block: {name: _short(value) for name, value in asdict(getattr(best, block)).items()}
            for block in ("activation", "sharding", "reading")
        },
        "errors": errors,
        "throughput": throughput_shares([case for case, _ in pairs], catalog, file),
    }
    path = data_dir / "finetune_calibration.yaml"
    text = yaml.safe_dump(written, sort_keys=False, default_flow_style=None, width=100)
    path.write_text(HEADER + text, encoding="utf-8")
    load_finetune_rules.cache_clear()
    return [
        f"fine-tuning, {name}: {entry['count']} rows, groups left out: median "
        f"{entry['median']:.1%}, p90 {entry['p90']:.1%}, bias {entry['bias']:+.1%}"
        for name, entry in errors["methods"].items()
    ]


def summary(errors: list[float]) -> dict[str, float | int]:
    """Keys count, median and p90 of the size, bias (median signed error)."""
    sizes = sorted(abs(error) for error in errors)
    return {
        "count": len(errors),
        "median": round(quantile(sizes, 0.5), 4),
        "p90": round(quantile(sizes, 0.9), 4),
        "bias": round(quantile(sorted(errors), 0.5), 4),
    }


def _by(pairs: list[tuple[str, float]]) -> dict[str, dict[str, float | int]]:
    names = sorted({name for name, _ in pairs})
    return {name: summary([error for at, error in pairs if at == name]) for name in names}


def _interval(pairs: list[tuple[TrainingCase, float]]) -> tuple[float, float]:
    """Factors around a prediction that hold 80 % of the peaks, sources weighed by the root."""
    counts: dict[str, int] = {}
    for case, _ in pairs:
        counts[case.group] = counts.get(case.group, 0) + 1
    ratios = sorted((1.0 / (1.0 + error), counts[case.group] ** -0.5) for case, error in pairs)
    total = sum(weight for _, weight in ratios)
    low = high = 1.0
    passed = 0.0
    for ratio, weight in ratios:
        if passed < 0.1 * total:
            low = ratio
        if passed < 0.9 * total:
            high = ratio
        passed += weight
    return low, high


def _short(value: float) -> float:
    return float(f"{value:.4g}")
