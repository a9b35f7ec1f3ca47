"""Rows of the measurement files: typed, and each fault with its line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog.measurement_row import COLUMNS
from vramsite.catalog.measurements import read_measurements

ROW = {
    "id": "m1",
    "model_id": "toy-1b",
    "same_shape": "0",
    "model_name": "Toy",
    "params_total_b": "1",
    "gpu_id": "card-10",
    "gpu_name": "Card 10",
    "gpu_count": "1",
    "engine": "llama.cpp",
    "context_tokens": "0",
    "flash_attention": "",
    "offload": "none",
    "speculative": "0",
    "metric": "decode_tps",
    "value": "42.5",
    "per": "total",
    "usable": "1",
    "source": "https://x.example",
    "date": "2026-01",
}
KNOWN = ({"toy-1b"}, {"card-10"})


def _write(tmp_path: Path, *rows: dict[str, str]) -> Path:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    lines = [",".join(COLUMNS)]
    lines += [",".join(row.get(name, "") for name in COLUMNS) for row in rows]
    (folder / "decode.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "data"


def test_types(tmp_path: Path) -> None:
    rows, faults = read_measurements(_write(tmp_path, ROW), known=KNOWN)
    assert faults == []
    row = rows[0]
    assert (row.value, row.gpu_count, row.usable, row.same_shape) == (42.5, 1, True, False)
    assert (row.context_tokens, row.flash_attention, row.backend) == (0.0, None, None)


@pytest.mark.parametrize(
    ("column", "cell", "part"),
    [
        ("value", "-1", "greater than 0"),
        ("value", "fast", "must be a number"),
        ("value", "nan", "must be a number"),
        ("usable", "yes", "must be 0 or 1"),
        ("usable", "0", "must be given exactly where usable is 0"),
        ("gpu_count", "0", "a whole number from 1"),
        ("metric", "speed", "must be one of decode_tps"),
        ("per", "card", "must be total"),
        ("source", "", "must not be empty"),
        ("model_id", "toy-2b", "is no model"),
        ("gpu_id", "card-11", "is no device"),
    ],
)
def test_spoilt_cell(tmp_path: Path, column: str, cell: str, part: str) -> None:
    _, faults = read_measurements(_write(tmp_path, {**ROW, column: cell}), known=KNOWN)
    texts = [str(fault) for fault in faults]
    assert len(texts) == 1
    assert texts[0].startswith("data/measurements/decode.csv:2: ")
    assert part in texts[0]


def test_an_id_is_used_once(tmp_path: Path) -> None:
    _, faults = read_measurements(_write(tmp_path, ROW, ROW), known=KNOWN)
    assert [(fault.line, fault.key) for fault in faults] == [(3, "id")]


def test_other_columns_are_refused(tmp_path: Path) -> None:
    data = _write(tmp_path)
    (data / "measurements" / "decode.csv").write_text("id,value\nm1,3\n")
    rows, faults = read_measurements(data)
    assert rows == []
    assert "has other columns" in faults[0].message
