"""Our memory figures against all evidence at once: what the judge says must stay this good."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.evidence.memory import OWN_FILES, Summaries, judge_memory, memory_text, own_judgements
from vramsite.report.accuracy_view import accuracy_of

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


@pytest.fixture(scope="module")
def judged(catalog: Catalog) -> Summaries:
    return judge_memory(catalog, DATA, None)


def share_exact(summary: dict[str, Any]) -> float:
    return float(summary["exact"]) / float(summary["count"])


def test_weights_equal_llama_quantize(judged: Summaries) -> None:
    assert judged["bytes"]["count"] >= 680
    assert judged["bytes"]["refused"] == 0
    assert share_exact(judged["bytes"]) >= 0.95
    assert judged["bytes"]["max"] <= 0.005


@pytest.mark.parametrize("term", ["weights_device_bytes", "weights_host_bytes"])
def test_weights_lie_where_llama_cpp_puts_them(judged: Summaries, term: str) -> None:
    assert judged[term]["refused"] == 0
    assert share_exact(judged[term]) >= 0.95
    assert judged[term]["max"] <= 0.005


@pytest.mark.skipif(
    not (DATA / "evidence" / OWN_FILES[0]).is_file(), reason="llama.cpp's breakdown is not there"
)
class TestBreakdown:
    """Rows of llama.cpp's own breakdown."""

    @pytest.mark.parametrize("term", ["kv_bytes", "recurrent_bytes"])
    def test_caches_are_exact(self, judged: Summaries, term: str) -> None:
        assert judged[term]["refused"] == 0
        assert judged[term]["exact"] == judged[term]["count"]

    @pytest.mark.parametrize("term", ["compute_device_bytes", "compute_host_bytes"])
    def test_compute_buffers(self, judged: Summaries, term: str) -> None:
        assert judged[term]["refused"] == 0
        assert judged[term]["within_1pct_4mib"] >= 0.95
        assert judged[term]["within_5pct_32mib"] >= 0.99

    def test_what_llama_cpp_refuses_is_refused(self, judged: Summaries) -> None:
        # MLA with different types of K and V, and graphs of more nodes than it has room for
        assert judged["error_rows"]["count"] == 15
        assert judged["error_rows"]["exact"] == 15


def test_published_caches(judged: Summaries) -> None:
    assert judged["kv_mib"]["count"] >= 60
    assert judged["kv_mib"]["median"] <= 0.0001
    assert judged["kv_mib"]["p95"] <= 0.005


def test_published_weights(judged: Summaries) -> None:
    assert judged["weights_mib"]["median"] <= 0.001


def test_published_totals(judged: Summaries) -> None:
    assert judged["total_vram_mib"]["count"] >= 77
    assert judged["total_vram_mib"]["median"] <= 0.025
    assert judged["total_vram_mib"]["p95"] <= 0.1


def test_published_compute_buffers(judged: Summaries) -> None:
    """Printed by builds of two years, of llama.cpp and of ik_llama.cpp."""
    assert judged["compute_mib"]["count"] >= 24
    assert judged["compute_mib"]["median"] <= 0.06


def test_rows_of_unknown_models_are_refused_not_skipped(catalog: Catalog, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "model,quant,bytes\nno-such-model,Q4_K_M,1\nqwen3-8b,NO_SUCH_FORMAT,1\n"
        "qwen3-8b,Q8_0,8704000000\n",
        encoding="utf-8",
    )
    found = judge_memory(catalog, DATA, path)
    assert list(found) == ["bytes"]
    assert (found["bytes"]["count"], found["bytes"]["refused"]) == (1, 2)
    # 8,190,735,360 weights in blocks of 34 bytes for 32, and norms in F32 (the published count)
    assert found["bytes"]["worst"][0]["predicted"] == pytest.approx(8190735360 * 34 / 32, rel=1e-3)
    text = memory_text(found)
    assert "no-such-model" in text
    assert "NO_SUCH_FORMAT" in text


def test_configurations_that_llama_cpp_refuses(catalog: Catalog, tmp_path: Path) -> None:
    header = "model,quant,placement,n_ctx,n_seq,n_ubatch,type_k,type_v,kv_bytes,error\n"
    where = "all layers on 1 CUDA device,4096,1,512"
    path = tmp_path / "rows.csv"
    path.write_text(
        header
        + f"deepseek-v3-0324,Q4_K_M,{where},q8_0,f16,,other types\n"
        + f"deepseek-v3-0324,Q4_K_M,{where},f16,f16,,made-up error\n"
        + f"qwen3-8b,Q4_K_M,{where},f16,f16,{4096 * 36 * 2 * 8 * 128 * 2},\n"
        + "qwen3-8b,Q4_K_M,on the moon,4096,1,512,f16,f16,1,\n",
        encoding="utf-8",
    )
    found = judge_memory(catalog, DATA, path)
    # one is refused here too, the made-up one is not
    assert (found["error_rows"]["count"], found["error_rows"]["exact"]) == (2, 1)
    assert (found["kv_bytes"]["count"], found["kv_bytes"]["exact"]) == (1, 1)
    assert "unknown placement 'on the moon'" in found["kv_bytes"]["refused_rows"]


def test_the_page_says_what_the_command_says(catalog: Catalog, judged: Summaries) -> None:
    view = accuracy_of(list(own_judgements(catalog, DATA)))
    lines = {line.term: line for line in view.totals if line.engine == "llama.cpp"}
    for term in ("bytes", "weights_device_bytes"):
        assert (lines[term].count, lines[term].median) == (
            judged[term]["count"],
            judged[term]["median"],
        )
        families = [line for line in view.by_family if line.term == term]
        assert sum(line.count for line in families) == lines[term].count
