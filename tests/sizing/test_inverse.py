"""Backward questions: by hand on a made-up model, and by definition on a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.model_files import model_file
from vramsite.sizing.buffers import BufferRules
from vramsite.sizing.cache import CacheRules, CacheType
from vramsite.sizing.inverse import (
    device_need,
    largest_context,
    most_sequences,
    with_load,
)
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import Architecture, LayerGroup, Settings
from vramsite.sizing.weights import WeightBytes

Rules = tuple[CacheRules, BufferRules]

DATA = Path(__file__).parents[2] / "data"
GIB = 2.0**30

# Arrays without working memory: need = weights + tokens x 4,096 bytes, in steps of 256 tokens.
ARRAYS = EngineProfile(
    engine="made-up",
    layout="arrays",
    cache_types=[CacheType(name="f16", block_elements=1.0, block_bytes=2.0, quantised=False)],
    page_tokens=256.0,
    utilization=1.0,
    counts_work=False,
    full_windows=False,
    host_embedding=False,
    state_element_bytes=4.0,
    conv_element_bytes=2.0,
    states_per_sequence=1.0,
    states_in_pages=False,
    step_tokens=0.0,
    step_sequences=0.0,
    step_tokens_large=0.0,
    step_sequences_large=0.0,
    large_device_bytes=1e18,
    embedding_copies=0.0,
    ffn_copies=0.0,
    logits_copies=0.0,
    work_low=1.0,
    work_high=1.0,
    graph_bytes=0.0,
    link_bytes=0.0,
    padded_formats=[],
    padded_embedding=1.0,
    padded_ffn=1.0,
)
LAYERS = LayerGroup(kind="full", count=2.0, k_width=512.0, v_width=512.0, kv_heads=4.0)
MODEL = Architecture(
    model_type="made-up",
    gguf_arch="made-up",
    embedding_width=1024.0,
    vocabulary=1000.0,
    layer_count=2.0,
    context_max_tokens=10000.0,
    tied_embeddings=True,
    attention_heads=8.0,
    dense_ffn_width=4096.0,
    expert_count=0.0,
    experts_used=0.0,
    expert_ffn_width=0.0,
    shared_expert_ffn_width=0.0,
    groups=[LAYERS],
    layer_order=[0.0, 0.0],
    tensors=[],
)
WEIGHTS = WeightBytes(
    file_bytes=2000000.0,
    parameters=1000000.0,
    tensor_count=2.0,
    fallback_tensors=0.0,
    types=[],
    device_bytes=2000000.0,
    host_bytes=0.0,
    layer_bytes=[1000000.0, 1000000.0],
    layer_expert_bytes=[0.0, 0.0],
    layer_host_bytes=[1000000.0, 1000000.0],
    layer_expert_host_bytes=[0.0, 0.0],
    output_bytes=0.0,
    output_host_bytes=0.0,
    every_device_bytes=0.0,
    every_device_host_bytes=0.0,
    input_bytes=0.0,
    per_layer_embedding_bytes=0.0,
    routed_bytes=0.0,
    prediction_bytes=0.0,
    active_bytes_per_token=2000000.0,
    biggest_expert_tensor_bytes=0.0,
)


@pytest.fixture(scope="module")
def rules() -> tuple[CacheRules, BufferRules]:
    return load_cache_rules(DATA), load_buffer_rules(DATA)


def longest(rules: Rules, settings: Settings, limit: float) -> float | None:
    return largest_context(MODEL, WEIGHTS, settings, *rules, ARRAYS, 0.0, limit)


def test_largest_context(rules: Rules) -> None:
    # 256 tokens take 1,048,576 bytes
    assert longest(rules, Settings(), 2000000.0 + 3 * 1048576.0) == 768.0
    assert longest(rules, Settings(), 2000000.0 + 3 * 1048576.0 - 1.0) == 512.0
    # not even one step fits
    assert longest(rules, Settings(), 2000000.0) is None
    # the model ends at 10,000 tokens: 39 steps
    assert longest(rules, Settings(), 1e12) == 9984.0
    # with two sequences each gets half of it
    assert longest(rules, Settings(parallel=2.0), 2000000.0 + 6 * 1048576.0) == 768.0


def test_most_sequences(rules: Rules) -> None:
    def most(limit: float, tokens: float) -> float:
        return most_sequences(MODEL, WEIGHTS, Settings(), *rules, ARRAYS, 0.0, limit, tokens)

    # 300 tokens take two steps of 256
    assert most(2000000.0 + 10 * 1048576.0, 300.0) == 5.0
    assert most(2000000.0 + 10 * 1048576.0, 256.0) == 10.0
    assert most(2000000.0 + 1048575.0, 256.0) == 0.0
    assert most(1e15, 256.0) == 1024.0  # as far as the question goes


def test_largest_context_of_a_real_model_is_the_largest(
    rules: Rules,
) -> None:
    file = model_file(load_catalog(DATA), "qwen3-8b", "Q4_K_M")
    settings = Settings()
    limit = 8.0 * GIB
    found = largest_context(file.arch, file.weights, settings, *rules, None, 0.0, limit)
    assert found is not None
    assert 256.0 < found < file.arch.context_max_tokens

    def need(tokens: float) -> float:
        asked = with_load(settings, tokens, 1.0)
        return device_need(file.arch, file.weights, asked, *rules, None, 0.0)

    assert need(found) <= limit < need(found + 256.0)
