from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_up_report import model

from vramsite.catalog import MeasurementRow
from vramsite.report import measured

ROW = MeasurementRow(
    id="m1",
    model_id="small-8b",
    same_shape=False,
    model_name="small 8B as published",
    params_total_b=8.0,
    params_active_b=8.0,
    quant="Q4_K_M",
    quant_published="Q4_K_M",
    bits_per_weight=4.8,
    weights_bytes=4.8e9,
    gpu_id="mid-12gb",
    gpu_name="Mid",
    gpu_count=1,
    engine="llama.cpp",
    backend="cuda",
    engine_version=None,
    context_tokens=0.0,
    prompt_tokens=None,
    batch=1.0,
    kv_type="f16",
    flash_attention=True,
    offload="none",
    speculative=False,
    power_limit_w=None,
    metric="decode_tps",
    value=90.0,
    per="total",
    usable=True,
    unusable_reason=None,
    source="https://example.org/bench (file a.csv)",
    date="2026-07",
    notes=None,
)


def found(monkeypatch: pytest.MonkeyPatch, *rows: MeasurementRow) -> measured.Measured:
    monkeypatch.setattr(measured, "measurements", lambda _: list(rows))
    catalog = SimpleNamespace(data_dir=Path(), models={"small-8b": model("small-8b")})
    by_device = measured.measured_by_device(catalog)  # type: ignore[arg-type]
    return by_device.get("mid-12gb", measured.Measured([], 0))


def test_a_row_carries_the_catalogs_name_and_a_plain_address(monkeypatch):
    row = found(monkeypatch, ROW).rows[0]
    assert row.model_name == "Acme small-8b"
    assert (row.url, row.host) == ("https://example.org/bench", "example.org")


def test_a_model_the_catalog_does_not_have_keeps_its_published_name(monkeypatch):
    row = found(monkeypatch, replace(ROW, model_id=None)).rows[0]
    assert (row.model_id, row.model_name) == (None, "small 8B as published")


@pytest.mark.parametrize(
    "change",
    [
        {"metric": "prefill_tps"},
        {"usable": False},
        {"gpu_count": 2},
        {"batch": 8.0},
        {"speculative": True},
        {"offload": "partial"},
        {"per": "per_gpu"},
        {"gpu_id": None},
    ],
)
def test_what_is_not_one_stream_on_one_device_is_left_out(monkeypatch, change):
    assert found(monkeypatch, replace(ROW, **change)).count == 0


@pytest.mark.parametrize(
    "source", ["javascript:alert(1)", "a page, no address", "http://a.example"]
)
def test_only_https_becomes_a_link(monkeypatch, source):
    assert found(monkeypatch, replace(ROW, source=source)).rows[0].url is None


def test_a_span_of_dates_is_left_out(monkeypatch):
    assert found(monkeypatch, replace(ROW, date="2025-10/2026-08")).rows[0].date is None


def test_no_more_than_two_rows_a_model(monkeypatch):
    rows = [replace(ROW, id=f"m{n}", context_tokens=float(n)) for n in range(5)]
    shown = found(monkeypatch, *rows)
    assert [row.context_tokens for row in shown.rows] == [0.0, 1.0]
    assert shown.count == 5
