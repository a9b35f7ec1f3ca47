"""Everything that is wrong with a data folder. It is the loader that a build uses."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vramsite.catalog.catalog import read_catalog
from vramsite.catalog.faults import Fault
from vramsite.catalog.measurements import read_measurements


def check(data_dir: Path, *, today: date | None = None) -> list[Fault]:
    """All faults of the catalog, its architectures and its measurements, by file and line."""
    catalog, faults = read_catalog(data_dir, today=today, architectures=True)
    known = (set(catalog.models), set(catalog.gpus)) if catalog is not None else None
    _, row_faults = read_measurements(data_dir, known=known)
    return sorted({*faults, *row_faults})
