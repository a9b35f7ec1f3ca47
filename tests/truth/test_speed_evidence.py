"""Predicted against published speeds: the errors the site states, and what a judge's file gives."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.calibration import load_calibration
from vramsite.evidence.measurement_file import MeasurementFileError
from vramsite.evidence.speed import judge, text_report

DATA = Path(__file__).parents[2] / "data"
SPEEDS = ("decode.csv", "prefill.csv", "time_to_first_token.csv")


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


@pytest.fixture(scope="module")
def found(catalog: Catalog, tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("rows") / "speeds.csv"
    lines = [(DATA / "measurements" / name).read_text().splitlines(True) for name in SPEEDS]
    path.write_text("".join([lines[0][0], *(line for part in lines for line in part[1:])]))
    return judge(catalog, path, DATA)


@pytest.mark.parametrize(
    ("metric", "cut", "median", "p90"),
    [
        ("decode_tps", "single", 0.10, 0.35),
        ("decode_tps", "engine:llama.cpp", 0.08, 0.35),
        ("decode_tps", "gpus:several", 0.25, 1.0),
        ("decode_tps", "streams:several", 0.25, 1.0),
        ("prefill_tps", "single", 0.20, 0.60),
    ],
)
def test_errors_on_our_own_rows(found, metric: str, cut: str, median: float, p90: float) -> None:  # type: ignore[no-untyped-def]
    entry = found[metric][cut]
    assert entry["count"] > 50
    assert entry["median"] <= median
    assert entry["p90"] <= p90
    assert 0.9 < entry["bias"] < 1.1


@pytest.mark.parametrize(
    ("metric", "cut", "median", "p90"),
    [
        ("decode_tps", "single", 0.10, 0.35),
        ("decode_tps", "single, llama.cpp", 0.08, 0.35),
        ("decode_tps", "batch", 0.25, 1.0),
        ("decode_tps", "several", 0.25, 1.0),
        ("prefill_tps", "single", 0.20, 0.60),
    ],
)
def test_errors_on_rows_whose_source_was_left_out(
    metric: str, cut: str, median: float, p90: float
) -> None:
    """The promise of docs/speed.md, on what `vramsite calibrate` wrote down with its fit."""
    errors = load_calibration(DATA.resolve()).errors
    [entry] = [line for line in errors if (line.metric, line.cut) == (metric, cut)]
    judged = entry.source_left_out
    assert judged.median <= median
    assert judged.p90 <= p90
    assert judged.coverage is not None
    assert 0.75 <= judged.coverage <= 0.85
    assert entry.in_sample.median < judged.median


def test_intervals_hold_more_than_they_promise_on_rows_that_were_fitted(found) -> None:  # type: ignore[no-untyped-def]
    for metric in ("decode_tps", "prefill_tps"):
        assert 0.8 <= found[metric]["single"]["coverage"] < 1.0


def test_most_rows_are_predicted(found) -> None:  # type: ignore[no-untyped-def]
    for cuts in found.values():
        assert cuts["all"]["refused"] <= 0.03 * cuts["all"]["count"]


def test_less_evidence_never_narrows_an_interval() -> None:
    calibration = load_calibration(DATA.resolve())
    for kind in ("single", "batch", "several", "offload", "prompt"):
        for engine in ("llama.cpp", "other"):
            rows = {
                entry.level: entry
                for entry in calibration.intervals
                if entry.kind == kind and entry.engine == engine
            }
            order = [rows[level] for level in ("device", "family", "engine", "all")]
            assert [entry.low for entry in order] == sorted((e.low for e in order), reverse=True)
            assert [entry.high for entry in order] == sorted(e.high for e in order)


def outside_file(tmp_path: Path, **changes: str) -> Path:
    """The first usable single-stream row of decode.csv with other cells, as a file of its own."""
    with (DATA / "measurements" / "decode.csv").open(encoding="utf-8") as source:
        row = next(r for r in csv.DictReader(source) if r["usable"] == "1" and r["model_id"])
    path = tmp_path / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, list(row))
        writer.writeheader()
        writer.writerow({**row, **changes})
    return path


def test_a_model_without_a_page_is_refused_and_counted(catalog: Catalog, tmp_path: Path) -> None:
    cuts = judge(catalog, outside_file(tmp_path, model_id="no-such-model"), DATA)["decode_tps"]
    assert cuts["all"]["count"] == 0
    assert cuts["all"]["refused"] == 1
    assert cuts["all"]["median"] is None


def test_rows_without_ids_or_not_usable_are_not_judged(catalog: Catalog, tmp_path: Path) -> None:
    for cells in ({"gpu_id": ""}, {"usable": "0"}):
        cuts = judge(catalog, outside_file(tmp_path, **cells), DATA)["decode_tps"]
        assert set(cuts) == {"all", "single"}
        assert (cuts["all"]["count"], cuts["all"]["refused"]) == (0, 0)


def test_flags_may_be_words(catalog: Catalog, tmp_path: Path) -> None:
    cuts = judge(catalog, outside_file(tmp_path, usable="True"), DATA)["decode_tps"]
    assert cuts["all"]["count"] == 1


def test_a_value_that_is_no_number_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    cuts = judge(catalog, outside_file(tmp_path, value="fast"), DATA)["decode_tps"]
    assert cuts["all"]["refused"] == 1


def test_every_cut_has_the_same_keys(catalog: Catalog, tmp_path: Path) -> None:
    cuts = judge(catalog, outside_file(tmp_path), DATA)["decode_tps"]
    assert {"all", "single", "streams:one", "gpus:one", "offload:none"} <= set(cuts)
    for entry in cuts.values():
        assert list(entry) == ["count", "refused", "median", "p90", "bias", "coverage"]


def test_the_table_names_every_cut(catalog: Catalog, tmp_path: Path) -> None:
    cuts = judge(catalog, outside_file(tmp_path), DATA)
    text = text_report(cuts)
    assert all(cut in text for cut in cuts["decode_tps"])


def test_a_file_without_the_columns_says_which(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("model_id,value\nx,1\n")
    with pytest.raises(MeasurementFileError, match="no column gpu_id, engine, metric"):
        judge(catalog, path, DATA)
