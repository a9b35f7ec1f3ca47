"""Rows of a measurements file from anywhere: what can be read is read, the rest is refused."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path

from vramsite.catalog.measurement_row import MeasurementRow
from vramsite.evidence.rows import MOST_FILE_BYTES


class MeasurementFileError(Exception):
    """The file is no table of measurements; the message says why."""


@dataclass(frozen=True, slots=True)
class RowFault:
    """A row that is no measurement."""

    line: int
    metric: str
    message: str


_NEEDED = ("model_id", "gpu_id", "engine", "metric", "value")
_YES = ("1", "true", "yes")


def read_rows(path: Path) -> tuple[list[MeasurementRow], list[RowFault]]:
    """Rows of a CSV file with the columns of data/measurements/, in the order of the file.

    Columns that are missing count as empty. Raises MeasurementFileError where the file cannot be
    read or lacks a column that nothing can stand in for.
    """
    reader = csv.DictReader(io.StringIO(_text(path), newline=""))
    rows = []
    faults = []
    try:
        missing = [name for name in _NEEDED if name not in (reader.fieldnames or [])]
        if missing:
            raise MeasurementFileError(f"{path} has no column {', '.join(missing)}")
        for cells in reader:
            values = {key: (value or "").strip() for key, value in cells.items() if key}
            try:
                rows.append(_row(values, reader.line_num))
            except ValueError as error:
                faults.append(RowFault(reader.line_num, values.get("metric", ""), str(error)))
    except csv.Error as error:
        raise MeasurementFileError(f"{path}:{reader.line_num} is not valid CSV: {error}") from error
    return rows, faults


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise MeasurementFileError(f"{path}: no such file")
        if path.stat().st_size > MOST_FILE_BYTES:
            raise MeasurementFileError(f"{path} is larger than {MOST_FILE_BYTES // 2**20} MiB")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MeasurementFileError(f"{path} cannot be read: {error}") from error


def _row(cells: dict[str, str], line: int) -> MeasurementRow:
    def text(name: str) -> str | None:
        return cells.get(name) or None

    def number(name: str) -> float | None:
        found = cells.get(name)
        if not found:
            return None
        read = float(found) if found.isascii() else math.nan
        if not 0.0 <= read < 2.0**53:
            raise ValueError(f"{name}: found {found[:40]}; write a number from 0 up")
        return read

    value = number("value")
    if value is None or not value > 0.0:
        raise ValueError("value must be a number greater than 0")
    flash = cells.get("flash_attention", "")
    return MeasurementRow(
        id=text("id") or f"line {line}",
        model_id=text("model_id"),
        same_shape=_flag(cells, "same_shape"),
        model_name=cells.get("model_name", ""),
        params_total_b=number("params_total_b"),
        params_active_b=number("params_active_b"),
        quant=text("quant"),
        quant_published=text("quant_published"),
        bits_per_weight=number("bits_per_weight"),
        weights_bytes=number("weights_bytes"),
        gpu_id=text("gpu_id"),
        gpu_name=cells.get("gpu_name", ""),
        gpu_count=int(number("gpu_count") or 1),
        engine=cells.get("engine") or "other",
        backend=text("backend"),
        engine_version=text("engine_version"),
        context_tokens=number("context_tokens"),
        prompt_tokens=number("prompt_tokens"),
        batch=number("batch"),
        kv_type=text("kv_type"),
        flash_attention=None if flash == "" else _flag(cells, "flash_attention"),
        offload=cells.get("offload") or "none",
        speculative=_flag(cells, "speculative"),
        power_limit_w=number("power_limit_w"),
        metric=cells["metric"],
        value=value,
        per=cells.get("per") or "total",
        usable=cells.get("usable", "1").lower() in _YES,
        unusable_reason=text("unusable_reason"),
        source=cells.get("source", ""),
        date=text("date"),
        notes=text("notes"),
    )


def _flag(cells: dict[str, str], name: str) -> bool:
    return cells.get(name, "").lower() in _YES
