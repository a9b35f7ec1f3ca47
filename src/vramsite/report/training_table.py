"""The fine-tuning table of a page: the model's needs once, the device's verdict in each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.finetune_view import TrainingVerdict, finetune_view, pair_finetune

if TYPE_CHECKING:
    from vramsite.report.book import Book
    from vramsite.sizing.records import Term

SHOWN = 2  # recommended devices in a row
TRAINED = frozenset({"adapters", "gradients", "optimizer"})


@dataclass(frozen=True, slots=True)
class MethodRow:
    """Peak of a method on one device of any size; the three parts make up the total."""

    name: str
    total_bytes: float
    weights_bytes: float
    training_bytes: float
    activation_bytes: float
    recommended: list[TrainingVerdict]


@dataclass(frozen=True, slots=True)
class MethodTable:
    """What is the same on all pages of a model; `experts_bytes` is what adapters on the routed
    experts add to the first method, None without such experts."""

    rows: list[MethodRow]
    sequence_tokens: float
    rank: float
    judged: int
    median_error: float
    experts_bytes: float | None


@dataclass(frozen=True, slots=True)
class Training:
    """The section of one pair; `start` is the first method that has files to start with."""

    table: MethodTable
    rows: list[tuple[MethodRow, TrainingVerdict]]
    start: TrainingVerdict | None


def training_of(book: Book, model_id: str, gpu_id: str, least: int = 1) -> Training | None:
    """The section for a page of this pair, on `least` or more devices.

    None for a model without a tensor list.
    """
    table = method_table(book, model_id)
    if table is None:
        return None
    verdicts = {found.method: found for found in pair_finetune(book, model_id, gpu_id, least)}
    startable = [found for found in verdicts.values() if found.recipes]
    return Training(
        table=table,
        rows=[(row, verdicts[row.name]) for row in table.rows],
        start=startable[0] if startable else None,
    )


def method_table(book: Book, model_id: str) -> MethodTable | None:
    """The part that is the same on all pages of a model."""
    key = ("training_table", model_id)
    known = book.memo.get(key)
    if isinstance(known, MethodTable):
        return known
    view = finetune_view(book, model_id)
    if view is None:
        return None
    rows = []
    for method in view.methods:
        weights = _sum(method.memory.terms, {"weights"})
        trained = _sum(method.memory.terms, TRAINED)
        total = method.memory.allocated_bytes
        rows.append(
            MethodRow(
                name=method.method,
                total_bytes=total,
                weights_bytes=weights,
                training_bytes=trained,
                activation_bytes=max(total - weights - trained, 0.0),
                recommended=method.recommended[:SHOWN],
            )
        )
    first = view.methods[0]
    more = first.with_experts_bytes
    table = MethodTable(
        rows=rows,
        sequence_tokens=view.sequence_tokens,
        rank=view.rank,
        judged=view.rows,
        median_error=view.median_error,
        experts_bytes=None if more is None else more - first.memory.allocated_bytes,
    )
    book.memo[key] = table
    return table


def _sum(terms: list[Term], names: frozenset[str] | set[str]) -> float:
    total = 0.0
    for term in terms:
        if term.name in names:
            total += term.device_bytes
    return total
