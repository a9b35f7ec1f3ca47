"""Which published runs stand beside an estimate, on made-up rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from made_up_report import gpu, model
from test_measured import ROW

from vramsite.catalog import MeasurementRow
from vramsite.report import nearest
from vramsite.report.nearest import Nearest

MODELS = {
    "small-8b": model("small-8b"),
    "alike-9b": model("alike-9b", params_active_b=9.0),
    "big-70b": model("big-70b", params_active_b=70.0),
}
GPUS = {
    "mid-12gb": gpu("mid-12gb", 12.0, 400.0),
    "sister-16gb": gpu("sister-16gb", 16.0, 500.0),
    "stranger-24gb": gpu("stranger-24gb", 24.0, 500.0, family="acme-two"),
    "crawler-24gb": gpu("crawler-24gb", 24.0, 500.0, family="acme-two", bandwidth_gb_s=100.0),
}
SISTER = replace(ROW, id="m2", gpu_id="sister-16gb")
ALIKE = replace(ROW, id="m3", model_id="alike-9b", model_name="a 9B", params_active_b=9.0)
STRANGER = replace(ROW, id="m4", gpu_id="stranger-24gb")


def found(
    monkeypatch: pytest.MonkeyPatch, *rows: MeasurementRow, gpu_id: str = "mid-12gb"
) -> Nearest:
    monkeypatch.setattr(nearest, "measurements", lambda _: list(rows))
    catalog = SimpleNamespace(data_dir=Path(), models=MODELS, gpus=GPUS)
    return nearest.Published(catalog).nearest("small-8b", gpu_id)  # type: ignore[arg-type]


def test_two_runs_of_the_pair_itself_need_no_others(monkeypatch):
    shown = found(monkeypatch, SISTER, ROW, replace(ROW, id="m9", quant="Q8_0"), ALIKE)
    assert shown.own == 2
    assert [(row.other, row.format) for row in shown.rows] == [("", "Q4_K_M"), ("", "Q8_0")]


def test_beside_one_run_the_family_is_shown_by_name(monkeypatch):
    shown = found(monkeypatch, ALIKE, SISTER, ROW)
    assert [row.other for row in shown.rows] == ["", "Card sister-16gb"]
    assert shown.own == 1


def test_without_the_family_like_models_on_the_device(monkeypatch):
    shown = found(monkeypatch, ALIKE, STRANGER)
    assert [row.other for row in shown.rows] == ["Acme alike-9b", "Card stranger-24gb"]
    assert shown.own == 0


@pytest.mark.parametrize(
    "change",
    [
        {"model_id": "big-70b", "params_active_b": 70.0},  # reads nine times as much
        {"gpu_id": "crawler-24gb"},  # a fifth of the bandwidth, another family
        {"gpu_count": 2},
        {"batch": 8.0},
        {"usable": False},
        {"speculative": True},
        {"offload": "partial"},
    ],
)
def test_what_is_not_like_the_pair_is_not_shown(monkeypatch, change):
    assert found(monkeypatch, replace(ROW, **change)).none


def test_prompt_speed_is_that_of_the_same_run(monkeypatch):
    prompt = replace(ROW, id="m5", metric="prefill_tps", value=2000.0, prompt_tokens=2048.0)
    short = replace(prompt, id="m6", value=900.0, prompt_tokens=64.0)
    elsewhere = replace(prompt, id="m7", source="https://example.org/other")
    assert found(monkeypatch, ROW, short, prompt, elsewhere).rows[0].prompt_tps == 2000.0
    assert found(monkeypatch, ROW, elsewhere).rows[0].prompt_tps is None


def test_four_rows_at_most_and_unlike_ones_first(monkeypatch):
    rows = [replace(ROW, id=f"m{n}", context_tokens=float(n)) for n in range(6)]
    other = replace(ROW, id="m8", quant="Q8_0", source="https://example.org/other")
    shown = found(monkeypatch, *rows, other)
    assert len(shown.rows) == 4
    assert shown.rows[1].format == "Q8_0"


def test_only_an_unusual_back_end_is_named(monkeypatch):
    rows = (ROW, replace(ROW, id="m5", quant="Q8_0", backend="vulkan"))
    assert [row.backend for row in found(monkeypatch, *rows).rows] == ["", "vulkan"]


def test_other_models_are_shown_once_each(monkeypatch):
    again = replace(ALIKE, id="m5", context_tokens=8192.0)
    shown = found(monkeypatch, ALIKE, again)
    assert [row.context_tokens for row in shown.rows] == [8192.0]  # nearest to the page's own


def test_a_source_is_linked_once_in_a_row(monkeypatch):
    shown = found(monkeypatch, ROW, replace(ROW, id="m5", context_tokens=4096.0))
    assert [row.same_source for row in shown.rows] == [False, True]
