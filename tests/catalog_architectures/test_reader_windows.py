"""What each layer caches where not every layer keeps the whole context.

Bytes per cell are published figures (16-bit cache) of the model whose keys are given.
"""

from __future__ import annotations

import pytest
from config_reading import by_role, cell_bytes, kinds, read

from vramsite.catalog.architectures.keys import ArchitectureError

GEMMA3_27B: dict[str, object] = {
    "hidden_size": 5376,
    "intermediate_size": 21504,
    "num_hidden_layers": 62,
    "num_attention_heads": 32,
    "num_key_value_heads": 16,
    "head_dim": 128,
    "vocab_size": 262208,
    "sliding_window": 1024,
}
COMMAND_A: dict[str, object] = {
    "hidden_size": 12288,
    "intermediate_size": 36864,
    "num_hidden_layers": 64,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "vocab_size": 256000,
    "sliding_window": 4096,
}
GPT_OSS_20B: dict[str, object] = {
    "hidden_size": 2880,
    "intermediate_size": 2880,
    "num_hidden_layers": 24,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "vocab_size": 201088,
    "sliding_window": 128,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
}
SCOUT: dict[str, object] = {
    "hidden_size": 5120,
    "intermediate_size": 8192,
    "num_hidden_layers": 48,
    "num_attention_heads": 40,
    "num_key_value_heads": 8,
    "vocab_size": 202048,
    "attention_chunk_size": 8192,
    "num_local_experts": 16,
    "num_experts_per_tok": 1,
}
E2B: dict[str, object] = {
    "hidden_size": 1536,
    "intermediate_size": 6144,
    "num_hidden_layers": 35,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
    "num_global_key_value_heads": None,
    "head_dim": 256,
    "global_head_dim": 512,
    "vocab_size": 262144,
    "sliding_window": 512,
    "layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 7,
    "num_kv_shared_layers": 20,
    "hidden_size_per_layer_input": 256,
    "vocab_size_per_layer_input": 262144,
    "use_double_wide_mlp": True,
}


@pytest.mark.parametrize(
    ("model_type", "config", "window_kind", "full_bytes", "window_bytes", "window"),
    [
        ("gemma3", GEMMA3_27B, "window", 81920, 425984, 1024),
        ("cohere2", COMMAND_A, "window", 65536, 196608, 4096),
        ("gpt_oss", GPT_OSS_20B, "window", 24576, 24576, 128),
        ("llama4", SCOUT, "chunked", 49152, 147456, 8192),
        ("gemma4", E2B, "window", 6144, 12288, 512),
    ],
)
def test_bytes_of_a_cell(
    model_type: str,
    config: dict[str, object],
    window_kind: str,
    full_bytes: float,
    window_bytes: float,
    window: float,
) -> None:
    arch = read(model_type, config)
    assert cell_bytes(arch, "full") == full_bytes
    assert cell_bytes(arch, window_kind) == window_bytes
    assert [g.window_tokens for g in arch.groups if g.kind == window_kind] == [window]


def test_gemma3_ends_with_windows_behind_the_last_whole_pattern() -> None:
    assert kinds(read("gemma3", GEMMA3_27B))[-8:] == ["window"] * 5 + ["full"] + ["window"] * 2


def test_gemma2_alternates_and_starts_with_a_window() -> None:
    assert kinds(read("gemma2", GEMMA3_27B))[:4] == ["window", "full", "window", "full"]


def test_gemma4_layers_behind_the_fifteenth_read_another_cache() -> None:
    arch = read("gemma4", E2B)
    found = kinds(arch)
    assert found[:15] == (["window"] * 4 + ["full"]) * 3
    assert set(found[15:]) == {"shared"}
    assert all(g.k_width == 0 for g in arch.groups if g.kind == "shared")
    wide = [t.layers[0] for t in arch.tensors if t.role == "ffn_up" and t.rows == 12288]
    assert wide == [15]


def test_gemma4_values_are_cached_although_their_weight_is_dropped() -> None:
    config = {**E2B, "num_kv_shared_layers": 0, "num_global_key_value_heads": 1}
    arch = read("gemma4", {**config, "attention_k_eq_v": True})
    assert by_role(arch, "attn_v").layers == [float(i) for i in range(35) if i % 5 != 4]
    (full,) = [group for group in arch.groups if group.kind == "full"]
    assert (full.k_width, full.v_width) == (512, 512)


def test_gemma4_table_of_per_layer_embeddings() -> None:
    table = by_role(read("gemma4", E2B), "per_layer_token_embd")
    assert table.tensor_class == "per_layer_embedding"
    assert table.row_width * table.rows == 2348810240  # published for E2B


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({**E2B, "layer_types": ["full_attention"]}, "config.layer_types"),
        ({**E2B, "layer_types": ["linear"] * 35}, "config.layer_types[0]"),
        ({**E2B, "num_kv_shared_layers": 35}, "config.num_kv_shared_layers"),
        ({**E2B, "sliding_window": None}, "config.sliding_window"),
    ],
)
def test_contradictions_name_the_key(config: dict[str, object], key: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        read("gemma4", config)
    assert caught.value.key == key
