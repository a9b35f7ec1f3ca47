"""Paged caches on made-up layers whose bytes can be counted by hand."""

from __future__ import annotations

import pytest

from vramsite.sizing.cache import CacheType
from vramsite.sizing.errors import SizingError
from vramsite.sizing.profiles import EngineProfile, profile_of
from vramsite.sizing.records import Architecture, LayerGroup, Settings
from vramsite.sizing.vllm_memory import page_tokens, pool_tokens, sequence_bytes, work

FULL = LayerGroup(
    kind="full", count=2.0, k_width=512.0, v_width=512.0, kv_heads=4.0, k_head_size=128.0
)
WINDOW = LayerGroup(
    kind="window",
    count=3.0,
    k_width=512.0,
    v_width=512.0,
    kv_heads=4.0,
    k_head_size=128.0,
    window_tokens=1024.0,
)
LATENT = LayerGroup(kind="latent", count=2.0, k_width=576.0, kv_heads=1.0)
RECURRENT = LayerGroup(
    kind="recurrent", count=6.0, recurrent_elements=524288.0, conv_elements=16384.0
)


def architecture(*groups: LayerGroup) -> Architecture:
    return Architecture(
        model_type="made-up",
        gguf_arch="made-up",
        embedding_width=1000.0,
        vocabulary=50000.0,
        layer_count=sum(group.count for group in groups),
        context_max_tokens=131072.0,
        tied_embeddings=False,
        attention_heads=8.0,
        dense_ffn_width=4000.0,
        expert_count=0.0,
        experts_used=0.0,
        expert_ffn_width=0.0,
        shared_expert_ffn_width=0.0,
        groups=list(groups),
        layer_order=[],
        tensors=[],
    )


def profile(**other: object) -> EngineProfile:
    values: dict[str, object] = {
        "engine": "made-up",
        "layout": "pages",
        "cache_types": [
            CacheType(name="f16", block_elements=1.0, block_bytes=2.0, quantised=False),
            CacheType(name="fp8", block_elements=1.0, block_bytes=1.0, quantised=False),
        ],
        "page_tokens": 16.0,
        "utilization": 0.9,
        "counts_work": True,
        "full_windows": False,
        "host_embedding": False,
        "state_element_bytes": 4.0,
        "conv_element_bytes": 2.0,
        "states_per_sequence": 1.0,
        "states_in_pages": True,
        "step_tokens": 2048.0,
        "step_sequences": 256.0,
        "step_tokens_large": 8192.0,
        "step_sequences_large": 1024.0,
        "large_device_bytes": 70.0 * 2**30,
        "embedding_copies": 4.0,
        "ffn_copies": 3.0,
        "logits_copies": 5.0,
        "work_low": 0.5,
        "work_high": 2.0,
        "graph_bytes": 0.0,
        "link_bytes": 1000000.0,
        "padded_formats": [],
        "padded_embedding": 1.0,
        "padded_ffn": 1.0,
    }
    return EngineProfile(**{**values, **other})  # type: ignore[arg-type]


def settings(gpus: float = 1.0, kv: str = "f16") -> Settings:
    return Settings(kv_type_k=kv, kv_type_v=kv, gpus=gpus, split="tensor")


def test_full_layers_take_whole_pages() -> None:
    # 2 layers x (512 + 512) elements x 2 bytes = 4,096 bytes a token; 100 tokens: 7 pages of 16
    one = sequence_bytes(architecture(FULL), settings(), profile(), 100.0)
    assert one == 7 * 16 * 4096


def test_a_byte_an_element_halves_it() -> None:
    assert sequence_bytes(architecture(FULL), settings(kv="fp8"), profile(), 100.0) == 7 * 16 * 2048


def test_a_window_keeps_itself_and_one_step() -> None:
    # 3 layers x 2,048 bytes a token; 1,024 + 2,048 tokens however long the sequence is
    one = sequence_bytes(architecture(WINDOW), settings(), profile(), 100000.0)
    assert one == 3072 * 3 * 2048
    whole = sequence_bytes(architecture(WINDOW), settings(), profile(full_windows=True), 100000.0)
    assert whole == 100000 * 3 * 2048


@pytest.mark.parametrize(("gpus", "share"), [(1.0, 1.0), (2.0, 0.5), (4.0, 0.25), (8.0, 0.25)])
def test_heads_are_dealt_out_and_then_repeated(gpus: float, share: float) -> None:
    # 4 KV heads: 8 devices hold one each, every head twice
    one = sequence_bytes(architecture(FULL), settings(gpus), profile(), 16.0)
    assert one == 16 * 4096 * share


def test_a_latent_is_kept_whole_on_each_device() -> None:
    # 2 layers x 576 elements x 2 bytes
    for gpus in (1.0, 8.0):
        one = sequence_bytes(architecture(LATENT), settings(gpus), profile(), 16.0)
        assert one == 16 * 2 * 576 * 2


def test_pages_grow_until_one_holds_a_state() -> None:
    # a state: 524,288 x 4 + 16,384 x 2 = 2,129,920 bytes; a token of a layer: 2,048 bytes -> 1,040
    hybrid = architecture(FULL, RECURRENT)
    assert page_tokens(hybrid, settings(), profile()) == 1040.0
    # one page in each of the 2 full layers, one state in each of the 6 others
    assert sequence_bytes(hybrid, settings(), profile(), 1.0) == 1040 * 4096 + 6 * 2129920
    assert page_tokens(hybrid, settings(), profile(states_in_pages=False)) == 16.0


def test_tokens_of_a_pool() -> None:
    # 1,000,000 bytes / 4,096 = 244.1 tokens -> 15 pages of 16
    assert pool_tokens(architecture(FULL), settings(), profile(), 1000000.0, 16.0) == 240.0
    assert pool_tokens(architecture(FULL), settings(), profile(), 0.0, 16.0) == 0.0


def test_working_memory_of_a_step() -> None:
    # 2,048 tokens x 2 bytes x (4 x 1,000 + 3 x 4,000) + 256 x 5 x 50,000 x 4 bytes
    found = work(architecture(FULL), settings(), profile(), 24.0 * 2**30)
    assert found.bytes == 2048 * 2 * 16000 + 256 * 5 * 50000 * 4
    assert (found.low_bytes, found.high_bytes) == (found.bytes * 0.5, found.bytes * 2.0)
    # a large device takes steps of 8,192 tokens and 1,024 sequences
    large = work(architecture(FULL), settings(), profile(), 80.0 * 2**30)
    assert large.bytes == 4 * found.bytes
    # four devices share the feed-forward and need the library's buffers
    four = work(architecture(FULL), settings(4.0), profile(), None)
    assert four.bytes == 2048 * 2 * (4000 + 3000) + 256 * 5 * 50000 * 4 + 1000000


def test_an_engine_or_a_type_without_a_profile_is_refused() -> None:
    assert profile_of([profile()], "made-up").page_tokens == 16.0
    with pytest.raises(SizingError, match="engine_without_profile"):
        profile_of([profile()], "other")
    with pytest.raises(SizingError, match="unknown_cache_type"):
        sequence_bytes(architecture(FULL), settings(kv="q5_1"), profile(), 1.0)
