"""The matrix of weight formats of a page: size, speed, verdict and the cheapest fitting device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import WITH_RESERVE, Book
from vramsite.report.choices import MATRIX_FORMATS, native_format, with_format
from vramsite.report.recommend import holders
from vramsite.sizing.figures import file_figures

if TYPE_CHECKING:
    from vramsite.catalog import ModelRecord
    from vramsite.sizing.records import Estimate, Settings

DYNAMIC_PREFIX = "UD-"
DYNAMIC_FILES = 3


@dataclass(frozen=True, slots=True)
class FormatRow:
    """One weight format of one model on one device.

    `bits_per_weight` is file bits over all parameters; `basis` tells how the weights were got;
    `device_id` is the cheapest device that holds it with reserve, None where none does or where
    the settings are not those that all devices were asked for.
    """

    format: str
    native: bool
    file_bytes: float
    bits_per_weight: float | None
    weights_bytes: float
    cache_bytes: float
    needed_bytes: float
    verdict: str
    decode: Estimate
    basis: str
    device_id: str | None


def listed_formats(book: Book, model: ModelRecord) -> list[str]:
    """Formats in the matrix: native, the usual ladder, and a few published dynamic files."""
    key = ("listed_formats", model.id)
    listed = book.memo.get(key)
    if isinstance(listed, list):
        return listed
    known = book.catalog.formats
    native = native_format(model)
    names = [native] if native in known else []
    names += [name for name in MATRIX_FORMATS if name not in names and name in known]
    dynamic = [
        file
        for file in model.files
        if file.format.startswith(DYNAMIC_PREFIX) and file.kind == "model" and file.format in known
    ]
    dynamic.sort(key=lambda file: (-file.bytes, file.format))
    step = max(1, len(dynamic) // DYNAMIC_FILES)
    for file in dynamic[::step][:DYNAMIC_FILES]:
        if file.format not in names:
            names.append(file.format)
    book.memo[key] = names
    return names


def format_rows(
    book: Book, model_id: str, gpu_id: str, settings: Settings, *, usual: bool
) -> list[FormatRow]:
    """Every listed format under these settings, largest file first.

    `usual`: the settings are the page's own, at which `recommend.holders` asks all devices.
    """
    model = book.catalog.models[model_id]
    native = native_format(model)
    params_total = model.params_total
    rows = []
    for name in listed_formats(book, model):
        found = book.try_brief(model_id, gpu_id, with_format(settings, name))
        if found is None:
            continue
        figures = file_figures(found.memory, found.weights_file_bytes, params_total)
        held_by = holders(book, model_id, name) if usual else []
        rows.append(
            FormatRow(
                format=name,
                native=name == native,
                file_bytes=found.weights_file_bytes,
                bits_per_weight=figures.bits_per_weight,
                weights_bytes=figures.weights_bytes,
                cache_bytes=figures.cache_bytes,
                needed_bytes=found.needed_bytes,
                verdict=found.verdict,
                decode=found.decode_tps,
                basis=figures.basis,
                device_id=held_by[0] if held_by else None,
            )
        )
    rows.sort(key=lambda row: (-row.file_bytes, row.format))
    return rows


def best_format(rows: list[FormatRow]) -> FormatRow | None:
    """The largest format that the device holds with reserve (rows: largest first)."""
    for row in rows:
        if row.verdict in WITH_RESERVE:
            return row
    return None
