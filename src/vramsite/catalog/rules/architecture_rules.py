"""House rules that need the model's layers and tensors: its reader must understand its config."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from vramsite.catalog.architectures import (
    ArchitectureError,
    ArchitectureSource,
    read_architecture,
)
from vramsite.catalog.faults import Fault
from vramsite.catalog.loader import Entry
from vramsite.catalog.model_record import ModelRecord

SourceOf = Callable[[ModelRecord], ArchitectureSource]


def architecture_faults(
    entries: Iterable[Entry[ModelRecord]], source_of: SourceOf
) -> Iterator[Fault]:
    """What the reader of each model's `model_type` objects to, at the key it names."""
    for entry in entries:
        try:
            read_architecture(source_of(entry.record))
        except ArchitectureError as error:
            keys = tuple(error.key.split("."))
            yield entry.document.fault(keys, error.message)
