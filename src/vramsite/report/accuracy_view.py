"""What the page on accuracy says about memory: our error by term, engine and architecture.

Nothing is typed: the figures are those of the evidence files, computed when the page is built.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.trace import note
from vramsite.evidence.memory import LOOSE, MIB, TIGHT, Judgement, own_judgements, share_within
from vramsite.evidence.statistics import Comparison, quantile

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.evidence.run_name import RunName

# The figures that llama.cpp's own breakdown and published logs give, in the order of the page.
TERMS = (
    "bytes",
    "weights_device_bytes",
    "weights_host_bytes",
    "kv_bytes",
    "recurrent_bytes",
    "compute_device_bytes",
    "compute_host_bytes",
    "output_bytes",
    "error_rows",
    "weights_mib",
    "kv_mib",
    "compute_mib",
    "total_vram_mib",
    "loaded_gib",
    "pool_gib",
    "pool_tokens",
)


@dataclass(frozen=True, slots=True)
class WorstRow:
    """The row with the largest error."""

    run: RunName | None
    predicted: float
    measured: float
    error: float


@dataclass(frozen=True, slots=True)
class ErrorLine:
    """Errors of one term in one group of rows. Errors are relative, shares between 0 and 1."""

    term: str
    engine: str
    family: str  # llama.cpp's name of the architecture; "" for all of them together
    count: int
    refused: int
    unusable: int
    exact: int
    median: float | None
    p95: float | None
    within_tight: float | None  # share within 1 % or 4 MiB; None for counts
    within_loose: float | None  # share within 5 % or 32 MiB
    worst: WorstRow | None


@dataclass(frozen=True, slots=True)
class FamilyErrors:
    """One family of architectures: figures in all, exact ones, and the terms with errors."""

    family: str
    count: int
    exact: int
    inexact: list[ErrorLine]


@dataclass(frozen=True, slots=True)
class MemoryAccuracy:
    """One line a term and engine, and below it one a family of architectures."""

    totals: list[ErrorLine]
    by_family: list[ErrorLine]
    rows: int  # judged, all terms together

    @property
    def own(self) -> tuple[int, int]:
        """Figures of llama.cpp's own breakdown, and how many of them are exact to the byte."""
        lines = [line for line in self.totals if line.term.endswith("bytes")]
        return sum(line.count for line in lines), sum(line.exact for line in lines)

    @property
    def families(self) -> list[FamilyErrors]:
        """The lines by family, those without a name last."""
        found: dict[str, list[ErrorLine]] = {}
        for line in self.by_family:
            found.setdefault(line.family, []).append(line)
        return [
            FamilyErrors(
                family=family,
                count=sum(line.count for line in lines),
                exact=sum(line.exact for line in lines),
                inexact=[line for line in lines if line.exact < line.count],
            )
            for family, lines in sorted(found.items(), key=lambda item: (not item[0], item[0]))
        ]


@dataclass(slots=True)
class _Group:
    comparisons: list[Comparison] = field(default_factory=list)
    refused: int = 0
    unusable: int = 0


_KEPT: dict[Path, MemoryAccuracy] = {}


def memory_accuracy(catalog: Catalog) -> MemoryAccuracy:
    """Our error on all evidence; computed once in a process (a few seconds)."""
    note(("files", "evidence"))
    note(("files", "measurements"))
    found = _KEPT.get(catalog.data_dir)
    if found is None:
        found = _KEPT[catalog.data_dir] = accuracy_of(
            list(own_judgements(catalog, catalog.data_dir))
        )
    return found


def accuracy_of(judgements: list[Judgement]) -> MemoryAccuracy:
    """The lines of a list of judgements."""
    totals: dict[tuple[str, str], _Group] = {}
    families: dict[tuple[str, str, str], _Group] = {}
    for judgement in judgements:
        if judgement.term not in TERMS:
            continue
        for group in (
            totals.setdefault((judgement.term, judgement.engine), _Group()),
            families.setdefault((judgement.term, judgement.engine, judgement.family), _Group()),
        ):
            if judgement.unusable:
                group.unusable += 1
            elif judgement.comparison is None:
                group.refused += 1
            else:
                group.comparisons.append(judgement.comparison)
    return MemoryAccuracy(
        totals=[_line(term, engine, "", totals[term, engine]) for term, engine in _sorted(totals)],
        by_family=[
            _line(term, engine, family, families[term, engine, family])
            for term, engine, family in sorted(families, key=_order)
            if families[term, engine, family].comparisons
        ],
        rows=sum(len(group.comparisons) for group in totals.values()),
    )


def _sorted(keys: dict[tuple[str, str], _Group]) -> list[tuple[str, str]]:
    return sorted(keys, key=_order)


def _order(key: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    return TERMS.index(key[0]), key[1:]


def _line(term: str, engine: str, family: str, group: _Group) -> ErrorLine:
    found = group.comparisons
    errors = sorted(comparison.error for comparison in found)
    sized = term.endswith(("bytes", "_mib"))
    unit = MIB if term.endswith("_mib") else 1.0
    worst = max(found, key=lambda comparison: comparison.error, default=None)
    return ErrorLine(
        term=term,
        engine=engine,
        family=family,
        count=len(found),
        refused=group.refused,
        unusable=group.unusable,
        exact=sum(error == 0.0 for error in errors),
        median=quantile(errors, 0.5) if errors else None,
        p95=quantile(errors, 0.95) if errors else None,
        within_tight=share_within(found, TIGHT, unit) if sized else None,
        within_loose=share_within(found, LOOSE, unit) if sized else None,
        worst=None
        if worst is None
        else WorstRow(worst.run, worst.predicted, worst.measured, worst.error),
    )
