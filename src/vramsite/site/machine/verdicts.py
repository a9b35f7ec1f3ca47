"""verdicts.csv: every pair in a line, put together from the workers' parts."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from vramsite.report.api_json import VERDICT_KEYS, verdict_json
from vramsite.site.machine.encode import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from vramsite.report.book import Book

FOLDER = "verdicts"
COLUMNS = ("model", "model_name", "device", "device_name", *VERDICT_KEYS[2:])
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula: one that begins like it gets an apostrophe.

    Source: OWASP, CSV Injection.
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_text(rows: list[tuple[object, ...]]) -> str:
    """Lines after RFC 4180; a number as it is, what is not known as an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        writer.writerow(
            "" if cell is None else safe(cell) if isinstance(cell, str) else whole(cell)
            for cell in row
        )
    return out.getvalue()


def model_part(book: Book, model_id: str) -> bytes:
    """The lines of one model, devices in the order of the catalog."""
    name = book.catalog.models[model_id].name
    rows = []
    for gpu_id, gpu in book.catalog.gpus.items():
        line = verdict_json(book.summary(model_id, gpu_id))
        rest = [line[key] for key in VERDICT_KEYS[2:]]
        rows.append((model_id, name, gpu_id, gpu.name, *rest))
    return csv_text(rows).encode()


def verdicts(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The whole file in parts: the names of the columns, then a part a model."""
    yield csv_text([COLUMNS]).encode()
    yield from parts
