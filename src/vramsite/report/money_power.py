"""What a device and the machine around it draw: measured where it was, else said what it is."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from vramsite.catalog.power_record import WHOLE_MACHINE

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord
    from vramsite.catalog.money_assumptions import Place
    from vramsite.report.book import Book

BOARD = "GPU board"


@dataclass(frozen=True, slots=True)
class Watts:
    """Power of one device (of the whole machine for unified memory); None: not known.

    `basis`: measured (`rows` readings on this device), family (median of its family), limit (its
    power limit, an upper bound), unknown.
    """

    value: float | None
    basis: str
    rows: int = 0


UNKNOWN = Watts(None, "unknown")


@dataclass(frozen=True, slots=True)
class MachinePower:
    """Power of a machine of several devices, its host included, before the site's overhead.

    `host_w` is None where nothing is known of the host: then it is left out.
    """

    load_w: float | None
    load: Watts
    idle_w: float | None
    idle: Watts
    host_w: float | None
    host_included: bool


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
            return Watts(median(rows), "measured", len(rows))
        return Watts(limit, "limit") if limit is not None else UNKNOWN
    if limit is None:
        return UNKNOWN
    family: list[float] = []
    for share in facts.fraction_of_tdp:
        if share.phase != phase:
            continue
        if share.gpu == gpu.id:
            return Watts(limit * share.fraction_of_tdp_median, "measured", share.rows)
        sibling = book.catalog.gpus.get(share.gpu)
        if sibling is not None and sibling.family == gpu.family:
            family.append(share.fraction_of_tdp_median)
    if family:
        return Watts(limit * median(family), "family", len(family))
    return Watts(limit, "limit")


def idle_watts(book: Book, gpu_id: str) -> Watts:
    """Median of what was read from an idle device (from the whole machine for unified memory)."""
    scope = WHOLE_MACHINE if book.catalog.gpus[gpu_id].kind == "unified" else BOARD
    rows = [
        row.watts
        for row in book.money_facts().power.idle
        if row.gpu == gpu_id and row.scope.startswith(scope)
    ]
    return Watts(median(rows), "measured", len(rows)) if rows else UNKNOWN


def machine_power(book: Book, gpu_id: str, place: Place, devices: int, phase: str) -> MachinePower:
    """A machine of `devices`, all counted at load: a split by layers draws less than that."""
    load = load_watts(book, gpu_id, phase)
    idle = idle_watts(book, gpu_id)
    host = _host_watts(place, devices)
    around = host if host is not None else 0.0
    return MachinePower(
        load_w=None if load.value is None else load.value * devices + around,
        load=load,
        idle_w=None if idle.value is None else idle.value * devices + around,
        idle=idle,
        host_w=host,
        host_included=place.host_per == "included",
    )


def _host_watts(place: Place, devices: int) -> float | None:
    if place.host_per == "included":
        return 0.0
    if place.host_power is None:
        return None
    return place.host_power.value * (devices if place.host_per == "device" else 1)
