"""Outputs of benchmarks become rows; what cannot be is refused with the reason."""
# ruff: noqa: E501 (tables and logs as the programs print them)

from __future__ import annotations

import csv
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.catalog import Catalog
from vramsite.catalog.check import check
from vramsite.catalog.measurements import measurements
from vramsite.contribute.add_measurement import (
    AddedRows,
    Stated,
    measured_rows,
    update_counts,
    write_rows,
)
from vramsite.contribute.llama_bench import backend_name, format_name
from vramsite.contribute.measured import MeasurementError

TODAY = date(2026, 11, 30)
STATED = Stated(model_id="llama-2-7b", gpu_id="rtx-4090", source="https://example.org/run")

# The table that llama-bench prints, with figures of the size that discussion 15013 of llama.cpp has.
TABLE = """\
ggml_cuda_init: found 1 CUDA devices:
| model                  |     size |  params | backend | ngl | fa |            test |             t/s |
| ---------------------- | -------: | ------: | ------- | --: | -: | --------------: | --------------: |
| llama 7B Q4_0          | 3.56 GiB |  6.74 B | CUDA    |  99 |  1 |           pp512 | 14770.57 ± 50.1 |
| llama 7B Q4_0          | 3.56 GiB |  6.74 B | CUDA    |  99 |  1 |           tg128 |   188.96 ± 0.12 |
| llama 7B Q4_0          | 3.56 GiB |  6.74 B | CUDA    |  99 |  1 |   tg128 @ d4096 |   150.10 ± 0.30 |
| llama 7B Q4_0          | 3.56 GiB |  6.74 B | CUDA    |  99 |  1 |     pp512+tg128 |   450.10 ± 0.30 |

build: 79c1160b0 (6123)
"""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(Path(__file__).parents[2] / "data")


def rows_of(catalog: Catalog, place: Path, text: str, stated: Stated = STATED) -> AddedRows:
    path = place / "output.txt"
    path.write_text(text, encoding="utf-8")
    return measured_rows(catalog, path, stated, TODAY)


def table(*lines: str) -> str:
    head = "| model | size | params | backend | ngl | test | t/s |\n|---|---|---|---|---|---|---|\n"
    return head + "\n".join(lines) + "\n"


def test_markdown_of_llama_bench(catalog: Catalog, tmp_path: Path) -> None:
    added = rows_of(catalog, tmp_path, TABLE)
    assert added.refused == []
    assert added.left_out == ["pp512+tg128: neither pp nor tg alone"]
    (prefill,) = added.rows["prefill.csv"]
    flat, deep = added.rows["decode.csv"]
    assert (prefill["value"], prefill["prompt_tokens"], prefill["metric"]) == (
        "14770.6",
        "512",
        "prefill_tps",
    )
    assert (flat["value"], flat["context_tokens"], flat["prompt_tokens"]) == ("188.96", "0", "")
    assert (deep["value"], deep["context_tokens"]) == ("150.1", "4096")
    expected = {
        "model_id": "llama-2-7b",
        "gpu_id": "rtx-4090",
        "quant": "Q4_0",
        "backend": "cuda",
        "engine_version": "79c1160b0 (6123)",
        "flash_attention": "1",
        "offload": "none",
        "weights_bytes": "3822520893",
        "params_total_b": "6.74",
        "date": "2026-11-30",
        "source": "https://example.org/run",
    }
    assert {key: flat[key] for key in expected} == expected


BENCH: dict[str, Any] = {
    "build_commit": "79c1160b0",
    "build_number": 6123,
    "gpu_info": "NVIDIA GeForce RTX 4090",
    "backends": "CUDA",
    "model_filename": "models/llama-2-7b.Q4_0.gguf",
    "model_type": "llama 7B Q4_0",
    "model_size": 3825065984,
    "model_n_params": 6738415616,
    "n_ubatch": 512,
    "type_k": "q8_0",
    "type_v": "q8_0",
    "n_gpu_layers": 99,
    "flash_attn": True,
    "n_prompt": 0,
    "n_gen": 128,
    "n_depth": 2048,
    "test_time": "2026-08-09T10:00:00Z",
    "avg_ts": 170.5,
}


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
def test_json_and_csv_of_llama_bench(catalog: Catalog, tmp_path: Path, form: str) -> None:
    if form == "json":
        text = json.dumps([BENCH])
    elif form == "jsonl":
        text = json.dumps(BENCH) + "\n" + json.dumps(BENCH | {"n_gen": 32, "avg_ts": 171.5})
    else:
        values = BENCH | {"flash_attn": 1}
        text = ",".join(values) + "\n" + ",".join(f'"{value}"' for value in values.values())
    added = rows_of(catalog, tmp_path, text)
    assert added.refused == []
    row = added.rows["decode.csv"][0]
    assert row["value"] == "170.5"
    assert row["context_tokens"] == "2048"
    assert row["kv_type"] == "q8_0"
    assert row["gpu_name"] == "NVIDIA GeForce RTX 4090"
    assert row["date"] == "2026-08-09"
    assert row["weights_bytes"] == "3825065984"


LOG = """\
build: 6925 (13b339bcd) with cc (Ubuntu) for x86_64-linux-gnu
llama_model_loader: loaded meta data with 30 key-value pairs and 291 tensors from llama-2-7b.Q4_0.gguf
load_tensors: offloaded 33/33 layers to GPU
llama_context: n_seq_max     = 1
llama_context: n_ctx         = 4096
llama_context: flash_attn    = enabled
llama_kv_cache: size = 2048.00 MiB (  4096 cells,  32 layers,  1/1 seqs), K (f16): 1024.00 MiB, V (f16): 1024.00 MiB
llama_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
llama_memory_breakdown_print: |   - CUDA0 (RTX 4090)   | 24080 = 17500 + (5712 =  3577 +    2048 +      87) +         868 |
llama_memory_breakdown_print: |   - Host               |                   101 =    70 +       0 +      31                |
"""


def test_memory_breakdown_of_llama_server(catalog: Catalog, tmp_path: Path) -> None:
    added = rows_of(catalog, tmp_path, LOG)
    assert added.refused == []
    rows = {row["metric"]: row for row in added.rows["memory.csv"]}
    assert {name: row["value"] for name, row in rows.items()} == {
        "total_vram_mib": "5712",
        "weights_mib": "3577",
        "kv_mib": "2048",
        "compute_mib": "87",
    }
    row = rows["kv_mib"]
    assert row["context_tokens"] == "4096"
    assert row["engine_version"] == "13b339bcd (6925)"
    assert row["kv_type"] == "f16"
    assert row["backend"] == "cuda"
    assert row["gpu_count"] == "1"


VLLM: dict[str, Any] = {
    "date": "20260809-101500",
    "backend": "vllm",
    "model_id": "meta-llama/Llama-2-7b-hf",
    "num_prompts": 100,
    "completed": 100,
    "max_concurrency": 8,
    "total_input_tokens": 51200,
    "total_output_tokens": 12800,
    "mean_ttft_ms": 90.0,
    "median_ttft_ms": 80.0,
    "median_tpot_ms": 20.0,
}


def test_result_of_vllm_bench_serve(catalog: Catalog, tmp_path: Path) -> None:
    stated = Stated(model_id="llama-2-7b", gpu_id="rtx-4090", source="x", quant="BF16")
    added = rows_of(catalog, tmp_path, json.dumps(VLLM), stated)
    assert added.refused == []
    (decode,) = added.rows["decode.csv"]
    assert (decode["value"], decode["per"], decode["batch"]) == ("50", "per_user", "8")
    assert (decode["engine"], decode["context_tokens"]) == ("vllm", "512")
    (first,) = added.rows["time_to_first_token.csv"]
    assert (first["value"], first["usable"]) == ("80", "0")
    assert first["unusable_reason"] == "requests wait for each other"


def test_vllm_without_concurrency_tells_nothing(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="--max-concurrency"):
        rows_of(catalog, tmp_path, json.dumps(VLLM | {"max_concurrency": None}))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        # 1,008 GB/s over 3.82 GB of weights is less than 264 tokens a second.
        ("| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 290 |", "moves at most 1,008"),
        # Twice 6.5 x 10**9 weights for each token; the card does 661 x 10**12 at its best.
        ("| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | pp512 | 60000 |", "at most 661"),
        ("| qwen3 8B Q4_0 | 4.4 GiB | 8.19 B | CUDA | 99 | tg128 | 120 |", "8.19 B parameters"),
        ("| llama 7B mystery | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 120 |", "give --quant"),
    ],
)
def test_impossible_rows_are_refused(
    catalog: Catalog, tmp_path: Path, line: str, reason: str
) -> None:
    added = rows_of(catalog, tmp_path, table(line))
    assert added.rows == {}
    (refused,) = added.refused
    assert reason in refused


def test_what_the_device_cannot_hold_is_refused(catalog: Catalog, tmp_path: Path) -> None:
    line = "| llama 70B Q4_K - Medium | 39.59 GiB | 70.55 B | CUDA | 99 | tg128 | 15 |"
    stated = Stated(model_id="llama-3.3-70b-instruct", gpu_id="rtx-4090", source="x")
    (refused,) = rows_of(catalog, tmp_path, table(line), stated).refused
    assert "do not fit 1 x rtx-4090" in refused
    partial = table(line.replace("| 99 |", "| 40 |"))
    assert rows_of(catalog, tmp_path, partial, stated).rows["decode.csv"][0]["offload"] == "partial"
    log = LOG.replace("5712 =", "25712 =")
    (refused,) = rows_of(catalog, tmp_path, log).refused
    assert "25,712 MiB" in refused


def test_no_published_row_is_called_impossible(catalog: Catalog, real_data: Path) -> None:
    """The limits are physics, so no usable row of the evidence may cross them."""
    from vramsite.contribute.measured import Measured
    from vramsite.contribute.plausible import Run, objection
    from vramsite.report.sizer import Sizer

    sizer = Sizer(catalog)
    judged = 0
    for row in measurements(real_data):
        if not (row.usable and row.model_id and row.gpu_id and row.quant):
            continue
        figure = Measured(
            metric=row.metric,  # type: ignore[arg-type]
            value=row.value,
            batch=row.batch or 1.0,
            per=row.per,
            prompt_tokens=row.prompt_tokens,
            weights_bytes=row.weights_bytes,
        )
        run = Run(row.model_id, row.gpu_id, row.gpu_count, row.quant, row.offload, row.speculative)
        assert objection(sizer, run, figure) is None, row.id
        judged += 1
    assert judged > 1500


def test_the_same_row_twice_is_refused(data: Path, tmp_path: Path) -> None:
    catalog = load_catalog(data)
    write_rows(data, rows_of(catalog, tmp_path, TABLE))
    added = rows_of(catalog, tmp_path, TABLE)
    assert added.rows == {}
    assert len(added.refused) == 3
    assert all("is there already, as m" in line for line in added.refused)


def test_written_rows_pass_the_check_and_are_counted(data: Path, tmp_path: Path) -> None:
    catalog = load_catalog(data)
    before = len(measurements(data))
    write_rows(data, rows_of(catalog, tmp_path, TABLE))
    assert check(data) == []
    assert len(measurements(data)) == before + 3
    with (data / "measurements" / "decode.csv").open(encoding="utf-8", newline="") as file:
        count = sum(1 for _ in csv.reader(file)) - 1
    readme = (data / "measurements" / "README.md").read_text(encoding="utf-8")
    assert f"| `decode.csv` | {count:,} |" in readme


def test_counts_of_the_readme_are_right(data: Path) -> None:
    before = (data / "measurements" / "README.md").read_text(encoding="utf-8")
    update_counts(data / "measurements")
    assert (data / "measurements" / "README.md").read_text(encoding="utf-8") == before


def test_a_file_of_another_kind_says_what_is_read(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(MeasurementError, match="llama-bench output"):
        rows_of(catalog, tmp_path, "tokens per second: 90\n")


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("llama 7B Q4_0", "Q4_0"),
        ("qwen3 8B Q4_K - Medium", "Q4_K_M"),
        ("qwen3 8B Q3_K - Large", "Q3_K_L"),
        ("gpt-oss 20B MXFP4 MoE", "MXFP4"),
        ("glm4moe 355B.A32B IQ2_XXS - 2.0625 bpw", "IQ2_XXS"),
        ("qwen3 8B BF16", "BF16"),
        ("qwen3 8B", None),
    ],
)
def test_format_as_llama_cpp_prints_it(printed: str, name: str | None) -> None:
    assert format_name(printed) == name


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("CUDA", "cuda"),
        ("Metal,BLAS", "metal"),
        ("ROCm0", "rocm"),
        ("Vulkan", "vulkan"),
        ("", None),
    ],
)
def test_backend_as_llama_cpp_prints_it(printed: str, name: str | None) -> None:
    assert backend_name(printed) == name
