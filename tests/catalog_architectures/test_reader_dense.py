"""Llama-shaped decoders: counts by hand, published totals, and configs that contradict."""

from __future__ import annotations

import pytest
from config_reading import by_role, kinds, of_class, parameters, read

from vramsite.catalog.architectures.keys import ArchitectureError

# 2 layers, 4 query heads and 2 KV heads of 4, width 16, FFN 24, 10 tokens
TINY: dict[str, object] = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 10,
    "tie_word_embeddings": False,
}
TINY_LAYER = 16 * 16 + 2 * 16 * 8 + 16 * 16 + 3 * 16 * 24 + 2 * 16


def test_llama_counts_two_embeddings_a_norm_and_its_layers() -> None:
    arch = read("llama", TINY)
    assert parameters(arch.tensors) == 2 * 160 + 16 + 2 * TINY_LAYER
    assert kinds(arch) == ["full", "full"]
    (group,) = arch.groups
    assert (group.k_width, group.v_width, group.query_heads) == (8, 8, 4)


def test_a_tied_model_has_no_output_tensor() -> None:
    arch = read("llama", {**TINY, "tie_word_embeddings": True})
    assert parameters(arch.tensors) == 160 + 16 + 2 * TINY_LAYER
    assert of_class(arch, "output") == []


def test_rows_are_contiguous_along_the_input_width() -> None:
    arch = read("llama", TINY)
    roles = ("token_embd", "attn_k", "ffn_up", "ffn_down")
    shapes = [(by_role(arch, role).row_width, by_role(arch, role).rows) for role in roles]
    assert shapes == [(16, 10), (16, 8), (16, 24), (24, 16)]


@pytest.mark.parametrize(
    ("model_type", "extra", "biases"),
    [
        ("qwen2", {}, 16 + 8 + 8),
        ("llama", {"attention_bias": True}, 16 + 8 + 8 + 16),
        ("llama", {"mlp_bias": True}, 24 + 24 + 16),
        ("qwen3", {}, 4 + 4),  # no bias, a norm on the heads of queries and of keys
    ],
)
def test_small_vectors_of_a_layer(model_type: str, extra: dict[str, object], biases: float) -> None:
    arch = read(model_type, {**TINY, **extra})
    assert parameters(arch.tensors) == 2 * 160 + 16 + 2 * (TINY_LAYER + biases)


@pytest.mark.parametrize("key", ["rope_scaling", "rope_parameters"])
def test_llama3_scaling_is_a_tensor_of_the_file_only(key: str) -> None:
    arch = read("llama", {**TINY, key: {"rope_type": "llama3", "factor": 8.0}})
    factors = by_role(arch, "rope_freqs")
    assert (factors.row_width, factors.in_checkpoint, factors.in_gguf) == (2, False, True)


def test_phi_fuses_its_projections() -> None:
    arch = read("phi3", TINY)
    assert by_role(arch, "attn_qkv").rows == 16 + 8 + 8
    assert by_role(arch, "ffn_up").rows == 48
    assert parameters(arch.tensors) == 2 * 160 + 16 + 2 * TINY_LAYER


def test_phi_with_long_rope_carries_two_tables_in_the_file() -> None:
    rope = {"type": "longrope", "long_factor": [1.0, 2.0], "short_factor": [1.0, 1.0]}
    arch = read("phi3", {**TINY, "rope_scaling": rope})
    assert by_role(arch, "rope_factors_long").row_width == 2
    assert not by_role(arch, "rope_factors_short").in_checkpoint


def test_text_keys_may_be_nested() -> None:
    nested = read("mistral3", {"model_type": "mistral3", "text_config": TINY})
    assert nested.tensors == read("mistral3", TINY).tensors


def test_the_window_of_qwen2_is_ignored() -> None:
    arch = read("qwen2", {**TINY, "sliding_window": 128, "use_sliding_window": False})
    assert kinds(arch) == ["full", "full"]


def test_pixtral_has_438958080_parameters() -> None:
    # Mistral Small 3.2: published total 24011361280, text part 23572403200
    tower = {
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "patch_size": 14,
        "image_size": 1540,
    }
    arch = read("mistral3", {**TINY, "hidden_size": 5120, "vision_config": tower})
    assert parameters(of_class(arch, "vision")) == 24011361280 - 23572403200
    assert not any(tensor.in_gguf for tensor in of_class(arch, "vision"))


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"num_key_value_heads": 3}, "config.num_key_value_heads"),
        ({"num_attention_heads": 6, "num_key_value_heads": 6}, "config.num_attention_heads"),
        ({"hidden_size": None}, "config.hidden_size"),
        ({"hidden_size": 16.5}, "config.hidden_size"),
        ({"vocab_size": "10"}, "config.vocab_size"),
        ({"num_hidden_layers": 0}, "config.num_hidden_layers"),
    ],
)
def test_contradictions_name_the_key(change: dict[str, object], key: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        read("llama", {**TINY, **change})
    assert caught.value.key == key
