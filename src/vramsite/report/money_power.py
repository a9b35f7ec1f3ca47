"""What a device draws: measured where it was, else said what it is."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from vramsite.catalog.power_record import WHOLE_MACHINE
from vramsite.sizing.cost_inputs import Watts

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord
    from vramsite.report.book import Book

BOARD = "GPU board"


UNKNOWN = Watts(value=None, basis="unknown")


def load_watts(book: Book, gpu_id: str, phase: str) -> Watts:
    """Draw of a device while it works; phase is decode, decode_batched or prefill."""
    key = ("load_watts", gpu_id, phase)
    known = book.memo.get(key)
    if not isinstance(known, Watts):
        known = book.memo[key] = _load_watts(book, book.catalog.gpus[gpu_id], phase)
    return known


def _load_watts(book: Book, gpu: GpuRecord, phase: str) -> Watts:
    facts = book.money_facts().power
    limit = gpu.tdp_w
    if gpu.kind == "unified":
        rows = [
            row.watts
            for row in facts.load
            if row.gpu == gpu.id and row.scope.startswith(WHOLE_MACHINE) and row.watts is not None
        ]
        if rows:
            return Watts(value=median(rows), basis="measured", rows=float(len(rows)))
        return Watts(value=limit, basis="limit") if limit is not None else UNKNOWN
    if limit is None:
        return UNKNOWN
    family: list[float] = []
    for share in facts.fraction_of_tdp:
        if share.phase != phase:
            continue
        if share.gpu == gpu.id:
            watts = limit * share.fraction_of_tdp_median
            return Watts(value=watts, basis="measured", rows=float(share.rows))
        sibling = book.catalog.gpus.get(share.gpu)
        if sibling is not None and sibling.family == gpu.family:
            family.append(share.fraction_of_tdp_median)
    if family:
        return Watts(value=limit * median(family), basis="family", rows=float(len(family)))
    return Watts(value=limit, basis="limit")


def idle_watts(book: Book, gpu_id: str) -> Watts:
    """Median of what was read from an idle device (from the whole machine for unified memory)."""
    scope = WHOLE_MACHINE if book.catalog.gpus[gpu_id].kind == "unified" else BOARD
    rows = [
        row.watts
        for row in book.money_facts().power.idle
        if row.gpu == gpu_id and row.scope.startswith(scope)
    ]
    return Watts(value=median(rows), basis="measured", rows=float(len(rows))) if rows else UNKNOWN
