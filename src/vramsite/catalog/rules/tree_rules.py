"""House rules across the files of a folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from vramsite.catalog.faults import Fault
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.loader import Entry
from vramsite.catalog.model_record import ModelRecord

R = TypeVar("R", ModelRecord, GpuRecord)


def ids_are_unique(entries: Iterable[Entry[R]]) -> Iterator[Fault]:
    """An id names one entry, whatever the vendor's folder."""
    seen: dict[str, str] = {}
    for entry in entries:
        other = seen.setdefault(entry.record.id, entry.document.shown)
        if other != entry.document.shown:
            message = f"the id {entry.record.id} is also that of {other}; rename one of the two"
            yield entry.document.fault((), message)


def names_are_unique(entries: Iterable[Entry[R]]) -> Iterator[Fault]:
    """Two entries with one name cannot be told apart on a page."""
    seen: dict[str, str] = {}
    for entry in entries:
        other = seen.setdefault(entry.record.name.casefold(), entry.document.shown)
        if other != entry.document.shown:
            message = f"found {entry.record.name}; is also the name in {other}"
            yield entry.document.fault(("name",), message)
