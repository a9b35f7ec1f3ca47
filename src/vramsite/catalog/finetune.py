"""Published peaks of fine-tuning memory: `data/measurements/finetune.yaml`."""

from __future__ import annotations

from pathlib import Path

from pydantic import ConfigDict, Field

from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.loader import load_file
from vramsite.catalog.record import Label, PartialDate, Positive, Record, Slug, Text


class FinetuneRow(Record):
    """One published peak. Further keys (optimizer, sequence length, ...) are kept as they are."""

    model_config = ConfigDict(extra="allow")

    model: Label
    model_id: Slug | None = None
    method: Label = Field(description="lora, qlora, full, ...")
    peak_memory_gib: Positive = Field(description="per GPU, in GiB")
    published: Label = Field(description="the figure as printed")
    kind: Label = Field(description="measured or documented-requirement")
    usable: bool = Field(description="whether configuration, length and shape are all known")
    group: Label = Field(description="rows of one source; weigh by it")
    source: Text
    date: PartialDate


class FinetuneFile(Record):
    """All of data/measurements/finetune.yaml."""

    rows: list[FinetuneRow]


def read_finetune(data_dir: Path) -> tuple[list[FinetuneRow], list[Fault]]:
    """The rows, none where the file is faulty, and its faults."""
    data_dir = data_dir.resolve()
    faults: list[Fault] = []
    path = data_dir / "measurements" / "finetune.yaml"
    entry = load_file(path, data_dir, FinetuneFile, faults)
    return (entry.record.rows if entry is not None else []), faults


def finetune_rows(data_dir: Path) -> list[FinetuneRow]:
    """All rows. Raises CatalogError with all faults."""
    rows, faults = read_finetune(data_dir)
    if faults:
        raise CatalogError(faults)
    return rows
