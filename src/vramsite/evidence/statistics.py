"""Error statistics over rows of evidence, the same for every term and metric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.evidence.run_name import RunName


def quantile(ordered: list[float], share: float) -> float:
    """The value below which `share` of a sorted list lies, linear between neighbours."""
    if not ordered:
        raise ValueError("no values")
    place = (len(ordered) - 1) * share
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


@dataclass(slots=True)
class Comparison:
    """One row: what was predicted and what was measured, with words that name the row.

    `run` says the same in parts, where a page may show the row.
    """

    row: str
    predicted: float
    measured: float
    run: RunName | None = None

    @property
    def error(self) -> float:
        """Relative error; the absolute value where nothing was measured to divide by."""
        if self.measured == 0.0:
            return abs(self.predicted)
        return abs(self.predicted - self.measured) / abs(self.measured)


@dataclass(slots=True)
class TermErrors:
    """All comparisons of one term, and the rows that could not be predicted."""

    comparisons: list[Comparison] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def summary(self, worst: int = 10) -> dict[str, object]:
        """Keys count, refused, exact, median, p90, p95, max (relative errors), worst (rows)."""
        errors = sorted(comparison.error for comparison in self.comparisons)
        result: dict[str, object] = {"count": len(errors), "refused": len(self.refusals)}
        result["exact"] = sum(1 for error in errors if error == 0.0)
        for name, share in (("median", 0.5), ("p90", 0.9), ("p95", 0.95), ("max", 1.0)):
            result[name] = quantile(errors, share) if errors else None
        by_error = sorted(self.comparisons, key=lambda c: (-c.error, c.row))[:worst]
        result["worst"] = [
            {"row": c.row, "predicted": c.predicted, "measured": c.measured, "error": c.error}
            for c in by_error
        ]
        result["refused_rows"] = sorted(set(self.refusals))[:worst]
        return result
