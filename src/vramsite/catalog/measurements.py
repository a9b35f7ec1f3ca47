"""Reads data/measurements/*.csv into typed rows, with file and line for every fault."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vramsite.catalog.faults import MOST_OF_A_KIND, CatalogError, Fault, shortened
from vramsite.catalog.measurement_row import COLUMNS, METRICS, MeasurementRow
from vramsite.catalog.raw_text import UnusableError, hidden_character, read_plain
from vramsite.catalog.trace import note
from vramsite.catalog.yaml_source import shown_path

MOST_BYTES = 64 * 2**20
MOST_DEVICES = 4096
_NUMBER = re.compile(r"-?[0-9]{1,25}(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?")
Known = tuple[set[str], set[str]]  # model ids, device ids


def measurements(data_dir: Path, about: tuple[str, str] | None = None) -> list[MeasurementRow]:
    """All rows in order of their ids; with `about`, those of this model or of this device.

    Raises CatalogError with all faults.
    """
    note(("files", "measurements"))
    rows, faults = read_measurements(data_dir, about=about)
    if faults:
        raise CatalogError(faults)
    return rows


def read_measurements(
    data_dir: Path, *, known: Known | None = None, about: tuple[str, str] | None = None
) -> tuple[list[MeasurementRow], list[Fault]]:
    """The rows that are in order, and the faults of the others.

    With `known`, a row may only name models and devices of the catalog; with `about`, only rows of
    that model or that device are looked at.
    """
    data_dir = data_dir.resolve()
    rows: list[MeasurementRow] = []
    faults: list[Fault] = []
    seen: dict[str, str] = {}
    for path in sorted((data_dir / "measurements").glob("*.csv")):
        shown, before = shown_path(path, data_dir), len(faults)
        for line, cells in _table(path, shown, faults):
            if about is not None and about[0] != cells["model_id"] and about[1] != cells["gpu_id"]:
                continue
            row = _row(cells, shown, line, faults)
            if row is None:
                continue
            for key, message in _objections(row, seen, known):
                faults.append(Fault(shown, line, key, message))
            seen[row.id] = shown
            rows.append(row)
        more = len(faults) - before - MOST_OF_A_KIND
        if more > 0:
            faults[before + MOST_OF_A_KIND :] = [
                Fault(shown, 0, "", f"has {more} more faults; correct these first")
            ]
    return sorted(rows, key=lambda row: row.id), faults


def _table(path: Path, shown: str, faults: list[Fault]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        text = read_plain(path, path.parent.parent, MOST_BYTES)
    except UnusableError as error:
        faults.append(Fault(shown, error.line, "", error.message))
        return
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if tuple(header) != COLUMNS:
            wanted = ", ".join(COLUMNS)
            faults.append(Fault(shown, 1, "", f"has other columns; needed are {wanted}"))
            return
        for cells in reader:
            if len(cells) != len(COLUMNS):
                message = f"has {len(cells)} cells; {len(COLUMNS)} are needed"
                faults.append(Fault(shown, reader.line_num, "", message))
                continue
            yield reader.line_num, dict(zip(COLUMNS, cells, strict=True))
    except csv.Error as error:
        faults.append(Fault(shown, reader.line_num, "", f"is not valid CSV: {error}"))


def read_row(cells: dict[str, str]) -> tuple[MeasurementRow | None, list[tuple[str, str]]]:
    """A row of all COLUMNS, or None and its faults as (column, message)."""
    values: dict[str, Any] = {}
    faults = []
    for name, text in cells.items():
        hidden = hidden_character(text)
        try:
            if hidden:
                raise ValueError(f"holds {hidden}; take it out")
            values[name] = _READERS[name](text)
        except ValueError as error:
            faults.append((name, f"found {shortened(text) or 'nothing'}; {error}"))
    return (None if faults else MeasurementRow(**values)), faults


def _row(
    cells: dict[str, str], shown: str, line: int, faults: list[Fault]
) -> MeasurementRow | None:
    row, found = read_row(cells)
    faults.extend(Fault(shown, line, name, message) for name, message in found)
    return row


def _objections(
    row: MeasurementRow, seen: dict[str, str], known: Known | None
) -> Iterator[tuple[str, str]]:
    if row.id in seen:
        yield "id", f"found {shortened(row.id)} a second time (also in {seen[row.id]})"
    if row.metric not in METRICS:
        yield "metric", f"found {shortened(row.metric)}; must be one of {', '.join(METRICS)}"
    if row.per not in ("total", "per_user", "per_gpu"):
        yield "per", f"found {shortened(row.per)}; must be total, per_user or per_gpu"
    if row.usable == (row.unusable_reason is not None):
        yield "unusable_reason", "must be given exactly where usable is 0"
    if known is not None and row.model_id is not None and row.model_id not in known[0]:
        yield "model_id", f"found {shortened(row.model_id)}; is no model below data/models/"
    if known is not None and row.gpu_id is not None and row.gpu_id not in known[1]:
        yield "gpu_id", f"found {shortened(row.gpu_id)}; is no device below data/gpus/"


def _text(text: str) -> str:
    if not text:
        raise ValueError("must not be empty")
    return text


def _optional_text(text: str) -> str | None:
    return text or None


def _float(text: str) -> float:
    # Python also takes 1_000, and the digits of other scripts.
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("must be a number")
    return float(text)


def _number(text: str) -> float:
    value = _float(text)
    if not 0 < value < 2**53:
        raise ValueError("must be a number greater than 0")
    return value


def _optional_number(text: str) -> float | None:
    value = _float(text) if text else None
    if value is not None and not 0 <= value < 2**53:
        raise ValueError("must be a number, 0 or greater")
    return value


def _count(text: str) -> int:
    value = _float(text)
    if not 1 <= value <= MOST_DEVICES or not value.is_integer():
        raise ValueError(f"must be a whole number from 1 to {MOST_DEVICES}")
    return int(value)


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("must be 0 or 1")
    return text == "1"


def _optional_flag(text: str) -> bool | None:
    return _flag(text) if text else None


_READERS: dict[str, Callable[[str], object]] = {
    **dict.fromkeys(COLUMNS, _optional_text),
    **dict.fromkeys(
        ("id", "model_name", "gpu_name", "engine", "offload", "metric", "per", "source"), _text
    ),
    **dict.fromkeys(
        (
            "params_total_b",
            "params_active_b",
            "bits_per_weight",
            "weights_bytes",
            "context_tokens",
            "prompt_tokens",
            "batch",
            "power_limit_w",
        ),
        _optional_number,
    ),
    **dict.fromkeys(("same_shape", "speculative", "usable"), _flag),
    "flash_attention": _optional_flag,
    "gpu_count": _count,
    "value": _number,
}
