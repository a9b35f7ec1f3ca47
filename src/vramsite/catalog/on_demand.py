"""A catalog that reads the files of models and devices when they are asked for.

For a question about one pair: what it does not touch is neither read nor checked. A file that is
read is held against its record; the rules that hold between files are those of `load_catalog`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from vramsite.catalog.assumptions_record import AssumptionsRecord
from vramsite.catalog.catalog import Catalog
from vramsite.catalog.engine_record import EnginesFile
from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.format_record import QuantsFile
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.loader import load_file
from vramsite.catalog.model_record import ModelRecord
from vramsite.catalog.record import Record

R = TypeVar("R", bound=Record)


class OnDemand(dict[str, R]):
    """Records by id, each read from `<folder>/<vendor>/<id>.yaml` when it is first asked for."""

    def __init__(self, data_dir: Path, folder: str, record: type[R]) -> None:
        super().__init__()
        self._data_dir = data_dir
        self._record = record
        found = sorted((data_dir / folder).glob("*/*.yaml"), key=lambda path: path.stem)
        self._paths = {path.stem: path for path in found}

    def __missing__(self, name: str) -> R:
        path = self._paths[name]
        injected = {"id": name, "vendor_slug": path.parent.name}
        self[name] = record = _read(path, self._data_dir, self._record, injected)
        return record

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def get(self, name: str, default: Any = None) -> Any:
        """The record of an id, or `default`."""
        return self[name] if name in self._paths else default

    def keys(self) -> Any:
        """All ids."""
        return self._paths.keys()

    def values(self) -> Any:
        """All records; reads them all."""
        return [self[name] for name in self._paths]

    def items(self) -> Any:
        """All ids with their records; reads them all."""
        return [(name, self[name]) for name in self._paths]


def open_on_demand(data_dir: Path) -> Catalog:
    """The catalog without its offers. Raises CatalogError, later also from what reads an entry."""
    data_dir = data_dir.resolve()
    quants = _read(data_dir / "quants.yaml", data_dir, QuantsFile)
    engines = _read(data_dir / "engines.yaml", data_dir, EnginesFile)
    return Catalog(
        data_dir=data_dir,
        models=OnDemand(data_dir, "models", ModelRecord),
        gpus=OnDemand(data_dir, "gpus", GpuRecord),
        offers=[],
        formats={item.name: item for item in quants.formats},
        block_types=quants.block_types,
        engines={item.id: item for item in engines.engines},
        assumptions=_read(data_dir / "assumptions.yaml", data_dir, AssumptionsRecord),
    )


def _read(path: Path, data_dir: Path, record: type[R], injected: dict[str, str] | None = None) -> R:
    faults: list[Fault] = []
    entry = load_file(path, data_dir, record, faults, injected)
    if entry is None or faults:
        raise CatalogError(faults)
    return entry.record
