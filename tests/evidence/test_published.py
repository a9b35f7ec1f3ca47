"""Published memory figures through the engine: rows by hand, values that somebody logged."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.measurement_row import MeasurementRow
from vramsite.evidence.accounting import RowRefusedError
from vramsite.evidence.published import PublishedMemory
from vramsite.evidence.published_case import read_case
from vramsite.evidence.rows import read_rows

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def row(folder: Path, **cells: str) -> MeasurementRow:
    given = {
        "model_id": "qwen3-8b",
        "engine": "llama.cpp",
        "metric": "kv_mib",
        "value": "1",
        "quant": "Q4_K_M",
        "gpu_id": "rtx-3090",
        "context_tokens": "8192",
        **cells,
    }
    path = folder / "row.csv"
    quoted = ('"' + value.replace('"', '""') + '"' for value in given.values())
    path.write_text(",".join(given) + "\n" + ",".join(quoted) + "\n", encoding="utf-8")
    return read_rows(path).measurements[0]


@pytest.mark.parametrize(
    ("cells", "mib", "within"),
    [
        # llama.cpp logs: 36 layers x 8,192 tokens x (1,024 + 1,024) x 2 bytes
        ({}, 1152.0, 0.0),
        # published for DeepSeek V3 with a latent cache in q8_0 at 32,768 tokens: 1,166.62 MiB
        (
            {
                "model_id": "deepseek-v3-0324",
                "engine": "ik_llama.cpp",
                "kv_type": "q8_0",
                "context_tokens": "32768",
                "notes": "mla_attn=3",
            },
            1166.62,
            0.05,
        ),
        # ik_llama.cpp has no cache for windows: Gemma 3 27B at 32,768 tokens, 15,872 MiB
        (
            {"model_id": "gemma-3-27b-it", "engine": "ik_llama.cpp", "context_tokens": "32768"},
            15872.0,
            0.0,
        ),
        # published: state of Qwen3.6 27B, 149.62 MiB
        ({"model_id": "qwen3.6-27b", "kv_type": "f32-recurrent"}, 149.62, 0.01),
        # vLLM: 178,880 tokens took 8.11 GiB on each of four devices
        (
            {
                "model_id": "qwen3-235b-a22b-instruct-2507",
                "engine": "vllm",
                "gpu_count": "4",
                "per": "per_gpu",
                "context_tokens": "178880",
            },
            8.11 * 1024,
            100.0,
        ),
        # vLLM: Llama 3 8B loads 14.96 GiB, and 7.48 GiB on each of two devices
        (
            {
                "model_id": "llama-3.1-8b-instruct",
                "engine": "vllm",
                "metric": "weights_mib",
                "quant": "BF16",
                "gpu_count": "2",
                "per": "per_gpu",
            },
            7.48 * 1024,
            6.0,
        ),
    ],
)
def test_logged_figures(
    catalog: Catalog, tmp_path: Path, cells: dict[str, str], mib: float, within: float
) -> None:
    found = PublishedMemory(catalog).predict(row(tmp_path, **cells))
    assert found == pytest.approx(mib, abs=within)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"model_id": "no-such-model"}, "no-such-model is not in the catalog"),
        ({"gpu_id": "no-such-card"}, "no-such-card is not in the catalog"),
        ({"engine": "other"}, "no memory profile for the engine other"),
        ({"metric": "weights_mib", "quant": ""}, "format is not stated"),
        ({"metric": "weights_mib", "quant": "NO_SUCH"}, "no weight format 'NO_SUCH'"),
        ({"gpu_count": "2000"}, "more than 1024"),
        (
            {"model_id": "deepseek-v3-0324", "notes": "mla_attn=0"},
            "another attention mode",
        ),
        # 142 GB on one card: some of it was on the host, not said what
        (
            {
                "model_id": "qwen3-235b-a22b-instruct-2507",
                "metric": "weights_mib",
                "offload": "none",
            },
            "left on the host",
        ),
    ],
)
def test_what_cannot_be_known_is_refused(
    catalog: Catalog, tmp_path: Path, cells: dict[str, str], reason: str
) -> None:
    with pytest.raises(RowRefusedError, match=reason):
        PublishedMemory(catalog).predict(row(tmp_path, **cells))


def test_defaults_of_the_engine_at_the_time(catalog: Catalog, tmp_path: Path) -> None:
    served = {"notes": "server/endpoint run; cmd: llama-server -m model.gguf -c 4096 -fa on "}
    old = read_case(catalog, row(tmp_path, **served, date="2025-06-01")).settings
    assert (old.parallel, old.outputs_max, old.context_tokens) == (1.0, 512.0, 4096.0)
    new = read_case(catalog, row(tmp_path, **served, date="2026-08-01")).settings
    assert (new.parallel, new.kv_unified, new.outputs_max) == (4.0, True, 4.0)
    bench = {"notes": "cmd: llama-bench -m model.gguf -ub 1024 -fa 1 "}
    tested = read_case(catalog, row(tmp_path, **bench, date="2026-08-01")).settings
    assert (tested.parallel, tested.outputs_max, tested.ubatch_tokens) == (1.0, 1024.0, 1024.0)


def test_ollama_takes_its_own_context(catalog: Catalog, tmp_path: Path) -> None:
    # docs/context-length: 4,096 tokens below 24 GiB, 32,768 below 48 GiB, 262,144 from there on
    for gpu, tokens in (("rtx-5080", 4096.0), ("rtx-5090", 32768.0), ("h100-80gb-sxm", 262144.0)):
        cells = {"engine": "ollama", "gpu_id": gpu, "context_tokens": ""}
        assert read_case(catalog, row(tmp_path, **cells)).settings.context_tokens == tokens
