"""Mixtures of experts: which layers have them, how many weights, which stay in F32."""

from __future__ import annotations

import pytest
from config_reading import by_role, of_class, parameters, read

from vramsite.catalog.architectures.keys import ArchitectureError

TINY: dict[str, object] = {
    "hidden_size": 16,
    "intermediate_size": 24,
    "moe_intermediate_size": 8,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 10,
    "num_local_experts": 6,
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "tie_word_embeddings": False,
}


def test_mixtral_experts_are_as_wide_as_a_dense_layer() -> None:
    arch = read("mixtral", TINY)
    assert parameters(of_class(arch, "routed_experts")) == 3 * 6 * 3 * 16 * 24
    router = by_role(arch, "ffn_gate_inp")
    assert (router.row_width, router.rows, router.fixed_type) == (16, 6, "F32")
    assert (arch.expert_count, arch.experts_used, arch.expert_ffn_width) == (6, 2, 24)


def test_qwen3_moe_may_keep_dense_layers() -> None:
    arch = read("qwen3_moe", {**TINY, "mlp_only_layers": [0]})
    assert by_role(arch, "ffn_up").layers == [0]
    assert by_role(arch, "ffn_up_exps").layers == [1, 2]
    assert parameters(of_class(arch, "routed_experts")) == 2 * 6 * 3 * 16 * 8


def test_gpt_oss_experts_keep_the_type_they_were_trained_in() -> None:
    config = {
        **TINY,
        "num_hidden_layers": 2,
        "sliding_window": 4,
        "layer_types": ["sliding_attention", "full_attention"],
    }
    native = read("gpt_oss", {**config, "quantization_config": {"quant_method": "mxfp4"}})
    assert by_role(native, "ffn_down_exps").fixed_type == "MXFP4"
    assert by_role(read("gpt_oss", config), "ffn_down_exps").fixed_type == ""
    assert by_role(native, "attn_sinks").row_width == 4
    assert by_role(native, "ffn_down_exps.bias").fixed_type == "F32"


def test_hunyuan_reads_lists_with_one_entry_a_layer() -> None:
    config = {
        **TINY,
        "attention_head_dim": 4,
        "moe_topk": [2, 2, 2],
        "moe_intermediate_size": [8, 8, 8],
        "num_shared_expert": [1, 1, 1],
        "use_mixed_mlp_moe": True,
    }
    arch = read("hunyuan_v1_moe", config)
    assert (arch.experts_used, arch.shared_expert_ffn_width) == (2, 24)
    with pytest.raises(ArchitectureError, match=r"config\.moe_topk"):
        read("hunyuan_v1_moe", {**config, "moe_topk": [2, 2, 1]})


ERNIE_21B: dict[str, object] = {
    "hidden_size": 2560,
    "intermediate_size": 12288,
    "num_hidden_layers": 28,
    "num_attention_heads": 20,
    "num_key_value_heads": 4,
    "vocab_size": 103424,
    "tie_word_embeddings": True,
    "moe_num_experts": 64,
    "moe_k": 6,
    "moe_num_shared_experts": 2,
    "moe_intermediate_size": 1536,
    "moe_layer_start_index": 1,
    "moe_layer_end_index": 27,
}


def test_ernie_with_and_without_its_prediction_layer() -> None:
    # published: ERNIE-4.5-21B-A3B-Thinking without the layer, -PT with it
    without = read("ernie4_5_moe", ERNIE_21B)
    with_layer = read("ernie4_5_moe", {**ERNIE_21B, "num_nextn_predict_layers": 1})
    assert parameters(without.tensors) == 21825437888
    assert parameters(with_layer.tensors) == 21948655808
    assert not any(t.in_gguf or t.loaded for t in of_class(with_layer, "prediction_head"))


def test_llama4_tower_has_871932416_parameters() -> None:
    # Scout and Maverick: published totals less their text parts
    tower = {
        "hidden_size": 1408,
        "image_size": 336,
        "intermediate_size": 5632,
        "num_attention_heads": 16,
        "num_hidden_layers": 34,
        "patch_size": 14,
        "pixel_shuffle_ratio": 0.5,
        "projector_input_dim": 4096,
        "projector_output_dim": 4096,
        "vision_output_dim": 4096,
    }
    arch = read("llama4", {**TINY, "hidden_size": 5120, "vision_config": tower})
    assert parameters(of_class(arch, "vision")) == 871932416


@pytest.mark.parametrize("model_type", ["mixtral", "qwen3_moe", "llama4"])
def test_more_experts_used_than_there_are(model_type: str) -> None:
    with pytest.raises(ArchitectureError) as caught:
        read(model_type, {**TINY, "num_experts_per_tok": 7})
    assert caught.value.key == "config.num_experts_per_tok"
