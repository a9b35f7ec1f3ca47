"""Caches whose size follows by hand, or that llama.cpp printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog.buffer_rules import load_cache_rules
from vramsite.sizing.cache import cache_bytes, cache_read_bytes, slot_cells, window_cells
from vramsite.sizing.errors import SizingError
from vramsite.sizing.records import Architecture, LayerGroup, Settings

RULES = load_cache_rules(Path(__file__).parents[2] / "data")
GIB = 2.0**30
MIB = 2.0**20


def architecture(*groups: LayerGroup, order: list[float] | None = None) -> Architecture:
    layers = sum(group.count for group in groups)
    return Architecture(
        model_type="made-up",
        gguf_arch="made-up",
        embedding_width=4096.0,
        vocabulary=128256.0,
        layer_count=layers,
        context_max_tokens=1048576.0,
        tied_embeddings=False,
        attention_heads=32.0,
        dense_ffn_width=14336.0,
        expert_count=0.0,
        experts_used=0.0,
        expert_ffn_width=0.0,
        shared_expert_ffn_width=0.0,
        groups=list(groups),
        layer_order=order
        or [float(place) for place, group in enumerate(groups) for _ in range(int(group.count))],
        tensors=[],
    )


def full(count: float, heads: float = 8.0, size: float = 128.0) -> LayerGroup:
    width = heads * size
    return LayerGroup(
        kind="full",
        count=count,
        k_width=width,
        v_width=width,
        query_heads=32.0,
        kv_heads=heads,
        k_head_size=size,
        v_head_size=size,
    )


LLAMA_8B = architecture(full(32.0))


def kv(arch: Architecture, **settings: object) -> float:
    return cache_bytes(arch, Settings(**settings), RULES).kv_bytes  # type: ignore[arg-type]


def test_llama_3_1_8b_at_its_longest_context() -> None:
    # llama.cpp prints "KV buffer size = 16384.00 MiB"
    assert kv(LLAMA_8B, context_tokens=131072.0) == 16 * GIB


@pytest.mark.parametrize(
    ("cache_type", "bytes_of_32"),
    [("f32", 128.0), ("bf16", 64.0), ("q8_0", 34.0), ("q5_1", 24.0), ("q4_0", 18.0)],
)
def test_types_store_blocks_of_32(cache_type: str, bytes_of_32: float) -> None:
    found = kv(LLAMA_8B, context_tokens=1024.0, kv_type_k=cache_type, kv_type_v=cache_type)
    assert found == 32 * 1024 * 2 * (1024 / 32) * bytes_of_32


def test_context_is_rounded_up_to_256_cells() -> None:
    assert kv(LLAMA_8B, context_tokens=1025.0) == 32 * 1280 * 2 * 1024 * 2.0


def test_slots_share_the_context_and_each_share_is_rounded_up() -> None:
    settings = Settings(context_tokens=10000.0, parallel=3.0)
    # 10,240 cells in three parts: 3,413 and a third, that is 3,584 cells each
    assert slot_cells(settings, RULES) == 3584.0
    unified = Settings(context_tokens=10000.0, parallel=3.0, kv_unified=True)
    assert slot_cells(unified, RULES) == 10240.0


def window(count: float, tokens: float) -> LayerGroup:
    return LayerGroup(
        kind="window",
        count=count,
        k_width=1024.0,
        v_width=1024.0,
        window_tokens=tokens,
        query_heads=8.0,
        kv_heads=4.0,
        k_head_size=256.0,
        v_head_size=256.0,
    )


def test_a_window_keeps_itself_and_one_micro_batch() -> None:
    group = window(1.0, 1024.0)
    settings = Settings(context_tokens=32768.0)
    assert window_cells(group, settings, RULES) == 1536.0
    assert window_cells(group, Settings(context_tokens=1280.0), RULES) == 1280.0
    whole = Settings(context_tokens=32768.0, full_window_cache=True)
    assert window_cells(group, whole, RULES) == 32768.0


def test_a_latent_has_no_v_of_its_own() -> None:
    latent = LayerGroup(
        kind="latent",
        count=61.0,
        k_width=576.0,
        query_heads=128.0,
        kv_heads=1.0,
        k_head_size=576.0,
        v_head_size=512.0,
    )
    # 1,152 bytes a token and layer
    assert kv(architecture(latent), context_tokens=4096.0) == 61 * 4096 * 1152.0


def test_a_latent_refuses_two_types() -> None:
    latent = LayerGroup(kind="latent", count=1.0, k_width=576.0, k_head_size=576.0)
    with pytest.raises(SizingError) as refused:
        kv(architecture(latent), kv_type_k="q8_0", kv_type_v="f16")
    assert refused.value.code == "mla_kv_types_differ"


def test_quantised_v_needs_flash_attention() -> None:
    with pytest.raises(SizingError) as refused:
        kv(LLAMA_8B, kv_type_v="q8_0", flash_attention=False)
    assert refused.value.code == "quantised_v_needs_flash_attention"


def test_recurrent_state_is_kept_per_sequence_whatever_the_context() -> None:
    recurrent = LayerGroup(
        kind="recurrent", count=3.0, recurrent_elements=524288.0, conv_elements=24576.0
    )
    arch = architecture(recurrent, full(1.0))
    for context in (4096.0, 65536.0):
        found = cache_bytes(arch, Settings(context_tokens=context, parallel=4.0), RULES)
        assert found.recurrent_bytes == 4 * 3 * (524288 + 24576) * 4.0


def test_layers_add_up_to_the_whole() -> None:
    arch = architecture(window(5.0, 1024.0), full(1.0))
    found = cache_bytes(arch, Settings(context_tokens=32768.0), RULES)
    assert found.layer_bytes == [1536 * 4096.0] * 5 + [32768 * 4096.0]
    assert sum(found.layer_bytes) == found.kv_bytes + found.recurrent_bytes


def test_one_step_reads_what_lies_before_it_but_no_more_than_the_window() -> None:
    arch = architecture(window(1.0, 1024.0), full(1.0))
    settings = Settings(context_tokens=32768.0)
    assert cache_read_bytes(arch, settings, RULES, 512.0) == 2 * 512 * 4096.0
    assert cache_read_bytes(arch, settings, RULES, 10000.0) == (1024 + 10000) * 4096.0


def test_sparse_attention_reads_all_index_keys_and_the_entries_it_selects() -> None:
    sparse = LayerGroup(
        kind="latent",
        count=1.0,
        k_width=576.0,
        k_head_size=576.0,
        v_head_size=512.0,
        kv_heads=1.0,
        index_k_width=128.0,
        selected_entries=2048.0,
    )
    settings = Settings(context_tokens=32768.0)
    found = cache_read_bytes(architecture(sparse), settings, RULES, 20000.0)
    assert found == 2048 * 576 * 2 + 20000 * 128 * 2.0
