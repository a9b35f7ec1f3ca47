"""Everything that is wrong with a data folder. It is the loader that a build uses."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vramsite.catalog.catalog import read_catalog
from vramsite.catalog.faults import Fault
from vramsite.catalog.finetune import read_finetune
from vramsite.catalog.loader import entry_ids
from vramsite.catalog.measurements import read_measurements
from vramsite.catalog.rule_files import rule_file_faults
from vramsite.catalog.side import read_side


def check(data_dir: Path, *, today: date | None = None) -> list[Fault]:
    """All faults of catalog, architectures, measurements and side facts, by file and line."""
    _, faults = read_catalog(data_dir, today=today, architectures=True)
    # Ids are those of the files: a slip in one entry is one fault, not one a measurement of it.
    known = (set(entry_ids(data_dir, "models")), set(entry_ids(data_dir, "gpus")))
    _, row_faults = read_measurements(data_dir, known=known)
    gpu_ids = frozenset(entry_ids(data_dir, "gpus"))
    _, side_faults = read_side(data_dir, today=today, gpu_ids=gpu_ids)
    _, finetune_faults = read_finetune(data_dir)
    rules = rule_file_faults(data_dir.resolve())
    return sorted({*faults, *row_faults, *side_faults, *finetune_faults, *rules})
