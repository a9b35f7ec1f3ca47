"""Judges the estimate of fine-tuning memory against published peaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.evidence.finetune_cases import training_cases
from vramsite.evidence.finetune_rows import read_training_rows
from vramsite.evidence.statistics import quantile

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

METHODS = ("full", "lora", "qlora")
WORST = 10


def judge_finetune(catalog: Catalog, data_dir: Path, rows: Path | None) -> dict[str, object]:
    """Errors of the peak, in the reading that each row published.

    {"finetune": {"all": {...}, "full": {...}, "lora": {...}, "qlora": {...}, "readings": {...},
    "frameworks": {...}, "classes": {...}, "worst": [...], "refused_rows": [...]}}; each {...} has
    count, refused, median, p90 (of the relative error) and bias (median signed error), null
    where nothing is to be counted. Raises RowsError.
    """
    path = rows if rows is not None else data_dir / "measurements" / "finetune.yaml"
    rules = load_finetune_rules(data_dir)
    cases, refused = training_cases(read_training_rows(path), catalog, rules)
    record = rules.record()
    errors = [(case, case.predicted_gib(record) / case.peak_gib - 1.0) for case in cases]
    result: dict[str, object] = {"all": _summary([error for _, error in errors], len(refused))}
    for method in METHODS:
        result[method] = _summary(
            [error for case, error in errors if case.row.method == method],
            sum(1 for row, _ in refused if row.method == method),
        )
    result["readings"] = _by([(case.reading, error) for case, error in errors])
    result["frameworks"] = _by([(case.row.framework, error) for case, error in errors])
    result["classes"] = _by([(case.model_class, error) for case, error in errors])
    ordered = sorted(errors, key=lambda pair: -abs(pair[1]))[:WORST]
    result["worst"] = [
        {
            "row": case.row.label,
            "predicted": round(case.peak_gib * (1.0 + error), 2),
            "measured": case.peak_gib,
            "error": round(error, 4),
        }
        for case, error in ordered
    ]
    result["refused_rows"] = [f"{row.label}: {reason}" for row, reason in refused[:WORST]]
    return {"finetune": result}


def finetune_text(result: dict[str, object]) -> str:
    """The same as a small table."""
    judged = result["finetune"]
    assert isinstance(judged, dict)
    lines = [f"{'':28}{'rows':>6}{'refused':>9}{'median':>9}{'p90':>9}{'bias':>9}"]
    for name in ("all", *METHODS):
        lines.append(_line(name, judged[name]))
    for kind in ("readings", "classes", "frameworks"):
        lines.append(kind)
        lines += [_line(f"  {name}", summary) for name, summary in judged[kind].items()]
    lines.append("worst")
    for row in judged["worst"]:
        lines.append(
            f"  {row['error']:+.0%}  {row['predicted']} for {row['measured']}: {row['row']}"
        )
    lines += [f"  refused: {row}" for row in judged["refused_rows"]]
    return "\n".join(lines)


def _summary(errors: list[float], refused: int) -> dict[str, float | int | None]:
    sizes = sorted(abs(error) for error in errors)
    signed = sorted(errors)
    return {
        "count": len(errors),
        "refused": refused,
        "median": quantile(sizes, 0.5) if sizes else None,
        "p90": quantile(sizes, 0.9) if sizes else None,
        "bias": quantile(signed, 0.5) if signed else None,
    }


def _by(pairs: list[tuple[str, float]]) -> dict[str, dict[str, float | int | None]]:
    names = sorted({name for name, _ in pairs})
    return {name: _summary([error for at, error in pairs if at == name], 0) for name in names}


def _line(name: str, summary: dict[str, float | int | None]) -> str:
    cells = "".join(
        f"{'-' if summary[key] is None else format(summary[key], '.1%'):>9}"
        for key in ("median", "p90", "bias")
    )
    return f"{name[:27]:28}{summary['count']:>6}{summary['refused']:>9}{cells}"
