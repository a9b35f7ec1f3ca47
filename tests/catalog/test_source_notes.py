"""Notes on sources stand on pages: each says by itself where a value comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog

ROOT = Path(__file__).resolve().parents[2]
# Words of whoever collected the values, and notes that lean on a note beside them.
INTERNAL = re.compile(
    r"\b(TODO|FIXME|we|our|recalled|low trust|HF|PyPI|excerpt of|stand-in|(?<!the )same pages?"
    r"|both pages|page above|pages of bandwidth)\b|^same$",
)


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(ROOT / "data")


def test_notes_on_sources_are_for_readers(catalog: Catalog) -> None:
    notes = [
        (entry.id, key, text)
        for entry in [*catalog.models.values(), *catalog.gpus.values()]
        for key, text in entry.sources.items()
    ]
    assert len(notes) > 500
    assert [note for note in notes if INTERNAL.search(note[2])] == []
