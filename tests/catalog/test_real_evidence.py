"""Invariants of the shipped measurements and side facts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from vramsite.catalog import Catalog, MeasurementRow, load_side
from vramsite.catalog.finetune import finetune_rows


def test_all_measurements_are_there(rows: list[MeasurementRow]) -> None:
    counts = Counter(row.metric for row in rows)
    assert len(rows) >= 3196
    assert counts["decode_tps"] >= 1666
    assert counts["prefill_tps"] >= 665
    assert counts["ttft_ms"] >= 352
    assert sum(row.usable for row in rows) >= 2255


def test_models_and_devices_exist(rows: list[MeasurementRow], catalog: Catalog) -> None:
    assert {row.model_id for row in rows if row.model_id} <= set(catalog.models)
    assert {row.gpu_id for row in rows if row.gpu_id} <= set(catalog.gpus)


def test_engines_are_listed(rows: list[MeasurementRow], catalog: Catalog) -> None:
    assert {row.engine for row in rows} - {"other"} <= set(catalog.engines)


def test_common_formats_are_listed(rows: list[MeasurementRow], catalog: Catalog) -> None:
    plain = [row for row in rows if row.usable and row.engine in ("llama.cpp", "ollama", "mlx")]
    known = [row for row in plain if row.quant in catalog.formats]
    assert len(known) > 0.97 * len(plain)


def test_decode_at_one_stream_stays_below_bandwidth(
    rows: list[MeasurementRow], catalog: Catalog
) -> None:
    # Every weight of a dense model is read once for each token.
    for row in rows:
        if not (row.usable and row.metric == "decode_tps" and row.batch == 1):
            continue
        if row.speculative or not row.gpu_id or not row.weights_bytes:
            continue
        dense = row.params_active_b == row.params_total_b
        bandwidth = catalog.gpus[row.gpu_id].bandwidth_gb_s
        if dense and bandwidth is not None:
            read = row.value * row.weights_bytes
            assert read <= 1.05 * bandwidth * 1e9 * row.gpu_count, row.id


def test_side_facts(data_dir: Path, catalog: Catalog) -> None:
    side = load_side(data_dir)
    assert len(side.electricity.prices) >= 118
    assert len(side.ram.memory_bandwidth) >= 59
    assert len(side.runtime_overhead.rows) >= 34
    assert len(side.co2.rows) >= 34
    counts = {
        (topic, name): len(rows)
        for topic, file in side.topics.items()
        for name, rows in file.lists.items()
    }
    assert len(side.hosted_api.rows) >= 918
    assert counts[("interconnect", "allreduce")] >= 120
    assert len(side.power.load) >= 223
    assert counts[("quant_quality", "rows")] >= 200
    assert counts[("speculative", "rows")] >= 170
    assert {row.model_id for row in side.hosted_api.rows} <= set(catalog.models)


def test_theoretical_bandwidth_follows_from_channels(data_dir: Path) -> None:
    for row in load_side(data_dir).ram.memory_bandwidth:
        if row.channels is not None and row.mt_s is not None:
            assert abs(row.gb_s - row.channels * 8 * row.mt_s / 1000) < 0.05, row.platform


def test_fine_tuning_peaks(data_dir: Path) -> None:
    rows = finetune_rows(data_dir)
    assert len(rows) >= 529
    assert sum(row.usable for row in rows) >= 346
