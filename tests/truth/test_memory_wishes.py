"""Cases where people reported what a tool said and what was measured.

Not here: bge-reranker-v2-m3 (an encoder; the catalog holds models that generate text), and the
weights and buffers of DeepSeek-V2 16B and LightOnOCR-2 (not in the catalog, or without the size of
their vision file): only what follows from their published shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.model_files import model_file
from vramsite.sizing.cache import CacheBytes, cache_bytes
from vramsite.sizing.engine import ModelFile
from vramsite.sizing.memory import account
from vramsite.sizing.records import Architecture, LayerGroup, Memory, Settings

DATA = Path(__file__).parents[2] / "data"
GIB = 2.0**30
MIB = 2.0**20


@dataclass(frozen=True)
class Case:
    file: ModelFile
    cache: CacheBytes
    memory: Memory


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def sized(catalog: Catalog, model: str, format_name: str, settings: Settings) -> Case:
    file = model_file(catalog, model, format_name)
    cache = cache_bytes(file.arch, settings, load_cache_rules(DATA))
    memory = account(
        file.arch, file.weights, cache, settings, load_buffer_rules(DATA), file.weights_basis, 0.0
    )
    return Case(file, cache, memory)


def whole(context: float, kv: str = "f16", kv_v: str = "", gpus: float = 1.0) -> Settings:
    return Settings(
        context_tokens=context,
        kv_type_k=kv,
        kv_type_v=kv_v or kv,
        gpus=gpus,
        cpu_moe_layers=0.0,
    )


def test_cache_of_deepseek_v2_lite_with_plain_attention() -> None:
    """ollama/ollama issue 5136: 8,640 MiB at 32,768 tokens where heads are cached, not latents."""
    # 27 layers, 16 heads, K 128 + 64 and V 128 a head
    heads = LayerGroup(
        kind="full",
        count=27.0,
        k_width=16 * 192.0,
        v_width=16 * 128.0,
        k_head_size=192.0,
        v_head_size=128.0,
    )
    arch = Architecture(
        model_type="deepseek_v2",
        gguf_arch="deepseek2",
        embedding_width=2048.0,
        vocabulary=102400.0,
        layer_count=27.0,
        context_max_tokens=163840.0,
        tied_embeddings=False,
        attention_heads=16.0,
        dense_ffn_width=10944.0,
        expert_count=64.0,
        experts_used=6.0,
        expert_ffn_width=1408.0,
        shared_expert_ffn_width=2816.0,
        groups=[heads],
        layer_order=[0.0] * 27,
        tensors=[],
    )
    found = cache_bytes(arch, Settings(context_tokens=32768.0), load_cache_rules(DATA))
    assert found.kv_bytes == 8640 * MIB


def test_the_table_of_qwen_flash_next_stays_on_the_host(catalog: Catalog) -> None:
    """llama-toolchest pull request 163: 103.69 GiB file, 27.45 GiB of it on the host."""
    file = model_file(catalog, "qwen3.8-flash-next", "UD-Q4_K_XL")
    assert file.file_bytes / GIB == pytest.approx(103.69, abs=0.005)
    # 26.82 GiB of them are the table of per-layer embeddings, in 4-bit blocks
    table = model_file(catalog, "qwen3.8-flash-next", "Q4_0").weights.per_layer_embedding_bytes
    assert table / GIB == pytest.approx(26.82, abs=0.005)
    # the rest is the token embedding in Q8_0
    embedding = file.arch.vocabulary * file.arch.embedding_width * 34 / 32
    assert (table + embedding) / GIB == pytest.approx(27.45, abs=0.005)
    # on the four devices: 76.23 GiB
    assert (file.file_bytes - table - embedding) / GIB == pytest.approx(76.23, abs=0.02)
    # recurrent state: 0.44 GiB for four sequences
    settings = Settings(context_tokens=4096.0, parallel=4.0, kv_unified=True)
    state = cache_bytes(file.arch, settings, load_cache_rules(DATA)).recurrent_bytes
    assert state / GIB == pytest.approx(0.44, abs=0.005)


def test_gemma_3_27b_at_85000_tokens(catalog: Catalog) -> None:
    """gpustack issue 2101: a tool said 139 GB; it runs on four RTX 2080 Ti in about 32 GB."""
    case = sized(catalog, "gemma-3-27b-it", "Q4_K_M", whole(85000.0, "q8_0", "f16", 4.0))
    assert 16.5e9 < sum(case.memory.per_device_bytes) < 32e9
    # each of the cards has 11 GiB
    assert max(case.memory.per_device_bytes) < 11 * GIB


def test_gemma_4_12b_at_128k_runs_in_24_gb(catalog: Catalog) -> None:
    """llama-toolchest pull request 58: a tool said 58 GB."""
    case = sized(catalog, "gemma-4-12b-it", "Q8_0", whole(131072.0, "q8_0"))
    assert case.file.weights.device_bytes < case.memory.device_bytes < 24e9


@pytest.mark.parametrize(
    ("context", "cache_gb"), [(4096.0, 0.40), (8192.0, 0.48), (32768.0, 0.99), (131072.0, 3.00)]
)
def test_cache_of_gemma_4_26b(catalog: Catalog, context: float, cache_gb: float) -> None:
    """ollama pull request 16958: a tool said 1.76, 3.52, 14.09 and 56.37 GB."""
    case = sized(catalog, "gemma-4-26b-a4b-it", "Q4_K_M", whole(context))
    assert case.cache.kv_bytes / 1e9 == pytest.approx(cache_gb, abs=0.005)


def test_qwen_3_5_9b_runs_on_8_gb(catalog: Catalog) -> None:
    """llmfit issue 302: a file of 5,680,529,408 bytes; a tool said 26.3 GB."""
    case = sized(catalog, "qwen3.5-9b", "Q4_K_M", whole(8192.0))
    assert case.file.file_bytes == pytest.approx(5680529408, rel=0.003)
    assert case.memory.device_bytes < 8e9
    # even the whole 262,144 tokens stay far below what the tool said
    assert sized(catalog, "qwen3.5-9b", "Q4_K_M", whole(262144.0)).memory.device_bytes < 16e9


def test_the_text_part_of_lighton_ocr(catalog: Catalog) -> None:
    """gguf-parser-go issue 21: a tool said 12.73 GiB at 16,384 tokens; it takes 3 to 4 GiB.

    Its text part has the shape of Qwen3 0.6B; the vision file (1 GiB or more) comes on top.
    """
    case = sized(catalog, "qwen3-0.6b", "Q4_K_M", whole(16384.0))
    assert case.cache.kv_bytes == 16384 * 28 * 2 * 8 * 128 * 2
    assert case.memory.device_bytes < 3 * GIB
