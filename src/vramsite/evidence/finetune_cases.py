"""Rows of evidence made ready for the engine, and what it answers for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.evidence.finetune_choice import (
    RowRefusedError,
    reading,
    row_architecture,
    row_choice,
)
from vramsite.sizing.errors import SizingError
from vramsite.sizing.finetune import fine_tune_shape
from vramsite.sizing.finetune_adapters import adapters
from vramsite.sizing.finetune_shape import train_shape

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.catalog.finetune_rules import FinetuneRulesFile
    from vramsite.evidence.finetune_rows import TrainingRow
    from vramsite.sizing.finetune_records import (
        Adapters,
        FineTune,
        FineTuneMemory,
        FineTuneRules,
        TrainShape,
    )

GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """A row with everything that does not depend on coefficients."""

    row: TrainingRow
    shape: TrainShape
    added: Adapters
    choice: FineTune
    reading: str  # allocated, reserved, shown
    peak_gib: float
    group: str
    model_class: str  # dense, moe
    experts_used_share: float

    def predicted_gib(self, rules: FineTuneRules) -> float:
        """The peak in the reading that was published."""
        memory = fine_tune_shape(self.shape, self.added, self.choice, rules)
        value = read(memory, self.reading) / GIB
        if self.row.device_gib is None:
            return value
        # What the allocator holds in spare it gives back when the device is full.
        return min(value, max(memory.allocated_bytes / GIB, self.row.device_gib))


def read(memory: FineTuneMemory, kind: str) -> float:
    """Bytes of one reading: allocated, reserved or shown."""
    if kind == "allocated":
        return memory.allocated_bytes
    return memory.reserved_bytes if kind == "reserved" else memory.shown_bytes


def training_cases(
    rows: list[TrainingRow], catalog: Catalog, rules: FinetuneRulesFile
) -> tuple[list[TrainingCase], list[tuple[TrainingRow, str]]]:
    """All rows that can be predicted, and the refused ones with the reason."""
    cases: list[TrainingCase] = []
    refused: list[tuple[TrainingRow, str]] = []
    record = rules.record()
    for row in rows:
        try:
            arch = row_architecture(row, catalog)
            choice = row_choice(row, rules)
            case = TrainingCase(
                row=row,
                shape=train_shape(arch),
                added=adapters(arch, choice.rank, choice.targets),
                choice=choice,
                reading=reading(row),
                peak_gib=row.peak_gib,
                group=row.group,
                experts_used_share=(
                    arch.experts_used / arch.expert_count if arch.expert_count > 0.0 else 0.0
                ),
                model_class="moe" if arch.expert_count > 0.0 else "dense",
            )
            case.predicted_gib(record)
        except (RowRefusedError, SizingError) as error:
            refused.append((row, str(error)))
        else:
            cases.append(case)
    return cases, refused
