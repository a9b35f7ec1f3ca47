"""Grouped-query families with windows, block indexes and prediction layers."""

from __future__ import annotations

import pytest
from config_reading import by_role, cell_bytes, kinds, of_class, parameters, read

from vramsite.catalog.architectures.keys import ArchitectureError

GLM_45_AIR: dict[str, object] = {
    "hidden_size": 4096,
    "intermediate_size": 10944,
    "num_hidden_layers": 46,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151552,
    "attention_bias": True,
    "use_qk_norm": False,
    "n_routed_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 1408,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "num_nextn_predict_layers": 1,
}
MINIMAX_M2: dict[str, object] = {
    "num_hidden_layers": 62,
    "hidden_size": 3072,
    "num_attention_heads": 48,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "intermediate_size": 1536,
    "vocab_size": 200064,
    "num_experts_per_tok": 8,
    "num_local_experts": 256,
    "qk_norm_type": "per_layer",
}
MINIMAX_M3: dict[str, object] = {
    **MINIMAX_M2,
    "num_hidden_layers": 60,
    "hidden_size": 6144,
    "num_attention_heads": 64,
    "num_key_value_heads": 4,
    "dense_intermediate_size": 12288,
    "intermediate_size": 3072,
    "n_shared_experts": 1,
    "num_experts_per_tok": 4,
    "num_local_experts": 128,
    "qk_norm_type": "per_head",
    "moe_layer_freq": [0] * 3 + [1] * 57,
    "sparse_attention_config": {
        "sparse_block_size": 128,
        "sparse_index_dim": 128,
        "sparse_num_index_heads": 4,
        "sparse_topk_blocks": 16,
        "sparse_attention_freq": [1] * 60,
    },
}
STEP_35: dict[str, object] = {
    "hidden_size": 4096,
    "intermediate_size": 11264,
    "num_hidden_layers": 45,
    "num_attention_heads": 64,
    "num_attention_groups": 8,
    "attention_other_setting": {
        "num_attention_heads": 96,
        "num_attention_groups": 8,
        "head_dim": 128,
    },
    "head_dim": 128,
    "vocab_size": 128896,
    "moe_num_experts": 288,
    "moe_top_k": 8,
    "moe_intermediate_size": 1280,
    "share_expert_dim": 1280,
    "moe_layers_enum": "3..44",
    "sliding_window": 512,
    "layer_types": (["full_attention"] + ["sliding_attention"] * 3) * 11 + ["full_attention"],
    "num_nextn_predict_layers": 3,
    "use_head_wise_attn_gate": True,
}
STEP_5: dict[str, object] = {
    **STEP_35,
    "num_hidden_layers": 92,
    "num_attention_groups": 4,
    "attention_other_setting": None,
    "head_dim": 192,
    "moe_layers_enum": "3..90",
    "layer_types": (["sliding_attention"] * 3 + ["full_attention"]) * 23,
    "sparse_config": {
        "proxy_dim": 256,
        "sparse_indexer_num_heads": 16,
        "num_k_heads": 1,
        "topk": 512,
        "region_block_size": 8,
    },
}


def test_glm_45_air_cache_and_prediction_layer() -> None:
    arch = read("glm4_moe", GLM_45_AIR)
    assert cell_bytes(arch, "full") == 2 * 94208  # elements a token of its 46 layers
    block = of_class(arch, "prediction_head")
    assert parameters(block) == 110468824832 - 106852251264
    assert all(tensor.in_gguf and not tensor.loaded for tensor in block)
    assert not any(tensor.role == "attn_q_norm" for tensor in arch.tensors)


def test_glm_4_keeps_gate_and_up_in_one_matrix() -> None:
    arch = read("glm4", {**GLM_45_AIR, "attention_bias": False})
    assert by_role(arch, "ffn_up").rows == 2 * 10944
    assert {"attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"} <= {
        tensor.role for tensor in of_class(arch, "norm")
    }


def test_minimax_m2_norms_all_heads_together() -> None:
    arch = read("minimax_m2", MINIMAX_M2)
    assert cell_bytes(arch, "full") == 2 * 126976
    assert by_role(arch, "attn_q_norm").row_width == 6144
    assert arch.dense_ffn_width == 0


def test_minimax_m3_caches_index_keys_and_values_where_experts_are() -> None:
    arch = read("minimax_m3_vl", MINIMAX_M3)
    assert cell_bytes(arch, "full") == 2 * 61440
    (indexed,) = [group for group in arch.groups if group.index_k_width > 0]
    assert (indexed.count, indexed.index_k_width, indexed.index_v_width) == (57, 128, 128)
    assert indexed.selected_entries == 2048
    keys = [tensor for tensor in arch.tensors if tensor.role == "indexer.k_proj"]
    assert [(len(tensor.layers), tensor.in_gguf) for tensor in keys] == [(57, True), (3, False)]


def test_step_windows_have_more_heads_but_the_same_rows() -> None:
    arch = read("step3p5", STEP_35)
    assert kinds(arch).count("window") == 33
    assert cell_bytes(arch, "full") == 2 * 24576
    (window,) = [group for group in arch.groups if group.kind == "window"]
    assert (window.query_heads, window.k_width, window.window_tokens) == (96, 1024, 512)
    assert by_role(arch, "rope_freqs").row_width == 64


def test_step_lists_its_expert_layers_either_way() -> None:
    listed = {**STEP_35, "moe_layers_enum": ",".join(str(at) for at in range(3, 45))}
    assert read("step3p5", listed) == read("step3p5", STEP_35)


def test_step_prediction_layers_may_follow_in_the_list() -> None:
    kinds_listed = STEP_35["layer_types"]
    assert isinstance(kinds_listed, list)
    longer = {**STEP_35, "layer_types": [*kinds_listed, *["sliding_attention"] * 3]}
    assert read("step3p5", longer) == read("step3p5", STEP_35)
    block = of_class(read("step3p5", STEP_35), "prediction_head")
    assert parameters(block) == 199384301376 - 196956130368


def test_step_37_tower() -> None:
    assert parameters(of_class(read("step3p7", STEP_35), "vision")) == 1981014784


def test_step_4_keeps_an_index_key_for_eight_tokens() -> None:
    arch = read("step4", STEP_5)
    (full,) = [group for group in arch.groups if group.kind == "full"]
    assert cell_bytes(arch, "full") == 2 * 35328
    assert full.count * full.index_k_width / full.index_tokens_per_entry == 736
    assert full.selected_entries == 4096


@pytest.mark.parametrize(
    ("model_type", "config", "key"),
    [
        ("glm4_moe", {**GLM_45_AIR, "first_k_dense_replace": 47}, "config.first_k_dense_replace"),
        ("minimax_m2", {**MINIMAX_M2, "qk_norm_type": "none"}, "config.qk_norm_type"),
        ("minimax_m3_vl", {**MINIMAX_M3, "moe_layer_freq": [1]}, "config.moe_layer_freq"),
        (
            "minimax_m3_vl",
            {**MINIMAX_M3, "sparse_attention_config": None},
            "config.sparse_attention_config",
        ),
        ("step3p5", {**STEP_35, "moe_layers_enum": "3..45"}, "config.moe_layers_enum"),
        ("step3p5", {**STEP_35, "moe_layers_enum": "all"}, "config.moe_layers_enum"),
        ("step3p5", {**STEP_35, "layer_types": ["full_attention"]}, "config.layer_types"),
    ],
)
def test_contradictions_name_their_key(
    model_type: str, config: dict[str, object], key: str
) -> None:
    with pytest.raises(ArchitectureError) as error:
        read(model_type, config)
    assert error.value.key == key
