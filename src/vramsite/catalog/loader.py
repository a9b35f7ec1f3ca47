"""Walks the data folder and turns its files into records. One way for `build` and `check`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from vramsite.catalog.faults import Fault
from vramsite.catalog.messages import empty_faults, validation_faults
from vramsite.catalog.record import SLUG
from vramsite.catalog.yaml_source import Document, read_document, shown_path

R = TypeVar("R", bound=BaseModel)
MOST_ID_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Entry(Generic[R]):
    """A record with the file it came from, so that a later fault can name the line."""

    record: R
    document: Document


def load_vendor_tree(
    data_dir: Path, folder: str, record: type[R], faults: list[Fault]
) -> list[Entry[R]]:
    """Read `<folder>/<vendor>/<id>.yaml`. The path gives `id` and `vendor_slug`."""
    entries = []
    for vendor_dir in _children(data_dir, data_dir / folder, faults):
        if not vendor_dir.is_dir() or vendor_dir.is_symlink():
            faults.append(_stray(vendor_dir, data_dir, f"belongs into {folder}/<vendor>/"))
            continue
        for path in _children(data_dir, vendor_dir, faults):
            identity = _identity(path, data_dir, faults)
            if identity is None:
                continue
            entry = load_file(
                path, data_dir, record, faults, {"id": identity, "vendor_slug": vendor_dir.name}
            )
            if entry is not None:
                entries.append(entry)
    return sorted(entries, key=lambda entry: entry.document.path.stem)


def entry_ids(data_dir: Path, folder: str) -> list[str]:
    """Ids of the files below `<folder>/<vendor>/`, faulty ones too."""
    return sorted(path.stem for path in (data_dir / folder).glob("*/*.yaml"))


def load_flat(
    data_dir: Path, folder: str, record: type[R], faults: list[Fault]
) -> list[tuple[str, Entry[R]]]:
    """Read `<folder>/<slug>.yaml`; gives (slug, entry) in order of the slug."""
    found = []
    for path in _children(data_dir, data_dir / folder, faults):
        slug = _identity(path, data_dir, faults)
        entry = load_file(path, data_dir, record, faults) if slug else None
        if slug and entry is not None:
            found.append((slug, entry))
    return found


def load_file(
    path: Path,
    data_dir: Path,
    record: type[R],
    faults: list[Fault],
    injected: dict[str, str] | None = None,
) -> Entry[R] | None:
    """Read one file as a `record`; None, with the reasons in `faults`, where it is none."""
    document = read_document(path, data_dir, faults)
    if document is None:
        return None
    names = injected or {}
    doubled = [name for name in names if name in document.data]
    for name in doubled:
        message = "must not be written; it is taken from the path of the file"
        faults.append(document.fault((name,), message))
    faults.extend(empty_faults(document, record))
    try:
        return Entry(record.model_validate({**document.data, **names}), document)
    except ValidationError as error:
        faults.extend(validation_faults(document, record, error))
        return None


def _children(data_dir: Path, folder: Path, faults: list[Fault]) -> Iterator[Path]:
    if not folder.is_dir():
        faults.append(_stray(folder, data_dir, "is missing; the catalog needs this folder"))
        return
    yield from sorted(path for path in folder.iterdir() if not path.name.startswith("."))


def _identity(path: Path, data_dir: Path, faults: list[Fault]) -> str | None:
    if path.suffix != ".yaml" or not path.is_file():
        message = f"is no .yaml file; rename it to {path.stem}.yaml, or take it out of this folder"
        faults.append(_stray(path, data_dir, message))
        return None
    if not re.match(SLUG, path.stem) or not re.match(SLUG, path.parent.name):
        allowed = "lower-case letters, digits, '.' and '-'"
        faults.append(_stray(path, data_dir, f"the path is the id: use {allowed}"))
        return None
    if len(path.stem) > MOST_ID_CHARACTERS:
        message = f"the path is the id: use at most {MOST_ID_CHARACTERS} characters"
        faults.append(_stray(path, data_dir, message))
        return None
    return path.stem


def _stray(path: Path, data_dir: Path, message: str) -> Fault:
    return Fault(shown_path(path, data_dir), 0, "", message)
