"""The three kinds of catalog entries: which record a file holds, and how deep it lies."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.model_record import ModelRecord
from vramsite.catalog.offer_record import ProviderFile

FROM_PATH = ("id", "vendor_slug")  # taken from the path, never written


@dataclass(frozen=True, slots=True)
class FileKind:
    """One folder of entries."""

    name: str  # of its schema
    folder: str
    pattern: str
    depth: int  # folders between a file and data/
    record: type[BaseModel]
    title: str


KINDS = (
    FileKind("model", "models", "*/*.yaml", 2, ModelRecord, "An open-weight model"),
    FileKind("gpu", "gpus", "*/*.yaml", 2, GpuRecord, "A card or unified-memory machine"),
    FileKind("cloud", "cloud", "*.yaml", 1, ProviderFile, "Hourly offers of a provider"),
)


def entry_files(data_dir: Path) -> list[tuple[FileKind, Path]]:
    """All files of entries, in order."""
    return [
        (kind, path)
        for kind in KINDS
        for path in sorted((data_dir / kind.folder).glob(kind.pattern))
    ]


def kind_of(path: Path, data_dir: Path) -> FileKind | None:
    """The kind of a file below `data_dir`, None where it is no entry."""
    try:
        relative = path.resolve().relative_to(data_dir.resolve())
    except ValueError:
        return None
    for kind in KINDS:
        if relative.parts[0] == kind.folder and len(relative.parts) == kind.depth + 1:
            return kind
    return None
