"""Reads evidence from CSV files of others: which of three kinds it is, and its typed cells.

A file is recognised by its header, not by its name: llama.cpp's memory breakdown ("memory"), sizes
of quantised files ("weights"), or published measurements ("measurements"). Further columns are
ignored; what cannot be read is one RowsError with file, line and column, but a row of measurements,
of which others tell nothing, is set aside alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeVar

from vramsite.catalog.faults import shortened
from vramsite.catalog.measurement_row import COLUMNS as MEASUREMENT_COLUMNS
from vramsite.catalog.measurement_row import MeasurementRow
from vramsite.catalog.measurements import read_row

MOST_FILE_BYTES = 64 * 2**20
MOST_ROWS = 500_000
MOST_FAULTS = 10  # shown at once

_NEEDED: dict[str, tuple[str, ...]] = {
    "memory": ("model", "quant", "placement", "n_ctx", "n_seq", "type_k", "type_v", "n_ubatch"),
    "measurements": ("model_id", "engine", "metric", "value"),
    "weights": ("model", "quant", "bytes"),
    # Our own evidence file of where weights lie; the configuration of the context is no matter.
    "placement": ("model", "quant", "placement", "weights_device_bytes"),
}
# What an outside file may leave out, and what is then taken.
_MEASUREMENT_DEFAULTS = {
    "same_shape": "0",
    "model_name": "-",
    "gpu_name": "-",
    "gpu_count": "1",
    "offload": "unknown",
    "speculative": "0",
    "per": "total",
    "usable": "1",
    "source": "-",
}
MEMORY_TERMS = (
    "weights_device_bytes",
    "weights_host_bytes",
    "kv_bytes",
    "recurrent_bytes",
    "compute_device_bytes",
    "compute_host_bytes",
    "output_bytes",
)


class RowsError(ValueError):
    """A file of rows that cannot be read; the message names file, line and what to write."""


@dataclass(frozen=True, slots=True)
class AccountingRow:
    """One configuration and what llama.cpp's own breakdown says about it."""

    line: int
    model: str
    quant: str
    placement: str
    n_ctx: float
    n_seq: float
    kv_unified: bool
    n_ubatch: float
    type_k: str
    type_v: str
    flash_attention: bool
    swa_full: bool
    n_outputs_max: float
    measured: dict[str, float]  # of MEMORY_TERMS those that the row gives
    error: str

    @property
    def label(self) -> str:
        """Names the row in a list of the worst."""
        name = f"line {self.line}: {self.model} {self.quant}, {self.placement}"
        if self.measured and not any(term in self.measured for term in MEMORY_TERMS[2:]):
            return name  # weights know no context
        parts = [
            name,
            f"{self.n_ctx:.0f} tokens",
            f"{self.n_seq:.0f} sequences{' (unified)' if self.kv_unified else ''}",
            f"K {self.type_k}, V {self.type_v}, micro-batch {self.n_ubatch:.0f}",
            f"{self.n_outputs_max:.0f} outputs",
        ]
        if not self.flash_attention:
            parts.append("no flash attention")
        if self.swa_full:
            parts.append("full window cache")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class WeightRow:
    """The tensor bytes of one model in one format."""

    line: int
    model: str
    quant: str
    imatrix: bool
    measured: dict[str, float]  # bytes, n_params, n_tensors, fallback_tensors

    @property
    def label(self) -> str:
        """Names the row in a list of the worst."""
        matrix = " with an importance matrix" if self.imatrix else ""
        return f"line {self.line}: {self.model} {self.quant}{matrix}"


@dataclass(frozen=True, slots=True)
class RowsFile:
    """All rows of one file; only the list of its kind is filled."""

    kind: str  # memory, weights, measurements, placement (accounting of weights only)
    accounting: list[AccountingRow]
    weights: list[WeightRow]
    measurements: list[MeasurementRow]
    # Rows of measurements that cannot be read: metric as written, and the reason
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def read_rows(path: Path) -> RowsFile:
    """The rows of a file of any of the three kinds. Raises RowsError."""
    header, table = _table(path)
    kind = _kind(path, header)
    reader = _Reader(path)
    result = RowsFile(kind=kind, accounting=[], weights=[], measurements=[])
    for line, cells in table:
        if kind == "memory":
            reader.keep(result.accounting, line, cells, _accounting_row)
        elif kind == "placement":
            reader.keep(result.accounting, line, cells, _placement_row)
        elif kind == "weights":
            reader.keep(result.weights, line, cells, _weight_row)
        else:
            reader.keep(result.measurements, line, cells, _measurement_row, result.unreadable)
    reader.finish()
    return result


def file_text(path: Path) -> str:
    """A file of rows as text. Raises RowsError for one that is missing, too large or no text."""
    try:
        if not path.is_file():
            raise RowsError(f"{path}: no such file")
        if path.stat().st_size > MOST_FILE_BYTES:
            raise RowsError(f"{path}: larger than {MOST_FILE_BYTES // 2**20} MiB; split it")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RowsError(f"{path}: not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise RowsError(f"{path}: cannot be read: {error.strerror}") from error


def _table(path: Path) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    text = file_text(path)
    if "\0" in text:
        raise RowsError(f"{path}: holds zero bytes; it is no CSV file")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
    except csv.Error as error:
        raise RowsError(f"{path}:1: not valid CSV: {error}") from error
    if not any(header):
        raise RowsError(f"{path}:1: no header line")
    twice = {name for name in header if name and header.count(name) > 1}
    if twice:
        raise RowsError(f"{path}:1: column {sorted(twice)[0]!r} is there twice")
    return header, _cells(path, header, reader)


def _cells(path: Path, header: list[str], reader: _Lines) -> Iterator[tuple[int, dict[str, str]]]:
    count = 0
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            count += 1
            if count > MOST_ROWS:
                raise RowsError(f"{path}: more than {MOST_ROWS} rows; split it")
            if len(cells) != len(header):
                raise RowsError(
                    f"{path}:{reader.line_num}: {len(cells)} cells, the header has {len(header)}"
                )
            stripped = (cell.strip() for cell in cells)
            yield reader.line_num, dict(zip(header, stripped, strict=True))
    except csv.Error as error:
        raise RowsError(f"{path}:{reader.line_num}: not valid CSV: {error}") from error


def _kind(path: Path, header: list[str]) -> str:
    present = set(header)
    for kind, needed in _NEEDED.items():
        if present.issuperset(needed):
            return kind
    closest = max(_NEEDED, key=lambda kind: _share(present, _NEEDED[kind]))
    missing = ", ".join(name for name in _NEEDED[closest] if name not in present)
    kinds = "; ".join(f"{kind}: {', '.join(needed)}" for kind, needed in _NEEDED.items())
    raise RowsError(
        f"{path}:1: not a file of rows that can be judged. Nearest is {closest}, where {missing} "
        f"is missing. Needed columns are, {kinds}"
    )


def _share(present: set[str], needed: tuple[str, ...]) -> float:
    return len(present.intersection(needed)) / len(needed)


class _Lines(Protocol):
    """What the csv module's reader is."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class _FaultError(ValueError):
    def __init__(self, column: str, message: str) -> None:
        super().__init__(f"{column}: {message}")


R = TypeVar("R")


class _Reader:
    """Reads rows and gathers their faults, so that all are shown at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._faults: list[str] = []
        self._rows = 0

    def keep(
        self,
        rows: list[R],
        line: int,
        cells: dict[str, str],
        read: Callable[[int, dict[str, str]], R],
        unreadable: list[tuple[str, str]] | None = None,
    ) -> None:
        self._rows += 1
        try:
            rows.append(read(line, cells))
        except _FaultError as fault:
            if unreadable is not None:
                unreadable.append((cells["metric"], f"line {line}: {fault}"))
                return
            self._faults.append(f"{self._path}:{line}: {fault}")
            if len(self._faults) >= MOST_FAULTS:
                self.finish()

    def finish(self) -> None:
        if self._faults:
            raise RowsError("\n".join(self._faults))
        if self._rows == 0:
            raise RowsError(f"{self._path}: has a header and no rows")


def _accounting_row(line: int, cells: dict[str, str]) -> AccountingRow:
    sequences = _number(cells, "n_seq", least=1.0)
    return AccountingRow(
        line=line,
        model=_text(cells, "model"),
        quant=_text(cells, "quant"),
        placement=_text(cells, "placement"),
        n_ctx=_number(cells, "n_ctx", least=1.0),
        n_seq=sequences,
        kv_unified=_flag(cells, "kv_unified"),
        n_ubatch=_number(cells, "n_ubatch", least=1.0),
        type_k=_text(cells, "type_k"),
        type_v=_text(cells, "type_v"),
        flash_attention=_flag(cells, "flash_attn_used", default=True),
        swa_full=_flag(cells, "swa_full"),
        n_outputs_max=_number(cells, "n_outputs_max", least=1.0, default=sequences),
        measured=_measured(cells, MEMORY_TERMS),
        error=cells.get("error", ""),
    )


def _placement_row(line: int, cells: dict[str, str]) -> AccountingRow:
    any_context = {
        "n_ctx": "256",
        "n_seq": "1",
        "n_ubatch": "256",
        "type_k": "f16",
        "type_v": "f16",
    }
    row = _accounting_row(line, {**cells, **any_context})
    return replace(row, measured=_measured(cells, MEMORY_TERMS[:2]))


def _weight_row(line: int, cells: dict[str, str]) -> WeightRow:
    return WeightRow(
        line=line,
        model=_text(cells, "model"),
        quant=_text(cells, "quant"),
        imatrix=_flag(cells, "imatrix"),
        measured=_measured(cells, ("bytes", "n_params", "n_tensors", "fallback_tensors")),
    )


def _measurement_row(line: int, cells: dict[str, str]) -> MeasurementRow:
    full = {name: cells.get(name, "") for name in MEASUREMENT_COLUMNS}
    for name, default in _MEASUREMENT_DEFAULTS.items():
        full[name] = full[name] or default
    full["id"] = full["id"] or f"line {line}"
    row, faults = read_row(full)
    if row is None:
        column, message = faults[0]
        raise _FaultError(column, message)
    return row


def _measured(cells: dict[str, str], names: tuple[str, ...]) -> dict[str, float]:
    return {name: _number(cells, name) for name in names if cells.get(name)}


def _text(cells: dict[str, str], column: str) -> str:
    if not cells[column]:
        raise _FaultError(column, "is empty")
    return cells[column]


def _number(
    cells: dict[str, str], column: str, *, least: float = 0.0, default: float | None = None
) -> float:
    text = cells.get(column, "")
    if not text and default is not None:
        return default
    try:
        value = float(text)
    except ValueError:
        raise _FaultError(
            column, f"found {shortened(text or 'nothing')!r}; write a number"
        ) from None
    if not least <= value < 2.0**63 or value != value // 1.0:
        found = shortened(text)
        raise _FaultError(column, f"found {found}; write a whole number, {least:.0f} or greater")
    return value


def _flag(cells: dict[str, str], column: str, *, default: bool = False) -> bool:
    text = cells.get(column, "").lower()
    if not text:
        return default
    if text in ("0", "false", "1", "true"):
        return text in ("1", "true")
    raise _FaultError(column, f"found {shortened(text)!r}; write 0 or 1")
