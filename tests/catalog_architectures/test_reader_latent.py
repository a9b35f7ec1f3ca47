"""Latent attention and its indexers: cache rows as logged, tensors as files hold them."""

from __future__ import annotations

import pytest
from config_reading import by_role, cell_bytes, kinds, of_class, parameters, read

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.sizing.records import Architecture

DEEPSEEK_V3: dict[str, object] = {
    "first_k_dense_replace": 3,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "kv_lora_rank": 512,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_attention_heads": 128,
    "num_experts_per_tok": 8,
    "num_hidden_layers": 61,
    "num_nextn_predict_layers": 1,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "vocab_size": 129280,
}
INDEXER = {"index_head_dim": 128, "index_n_heads": 64, "index_topk": 2048}
GLM_53: dict[str, object] = {
    **DEEPSEEK_V3,
    "hidden_size": 6144,
    "intermediate_size": 12288,
    "num_attention_heads": 64,
    "num_hidden_layers": 78,
    "q_lora_rank": 2048,
    "qk_nope_head_dim": 192,
    "qk_head_dim": 256,
    "v_head_dim": 256,
    "vocab_size": 154880,
    "index_head_dim": 128,
    "index_n_heads": 32,
    "index_topk": 2048,
    "indexer_types": ["full"] * 2 + ["full", "shared", "shared", "shared"] * 19,
}
MISTRAL_LARGE_4: dict[str, object] = {
    **DEEPSEEK_V3,
    **INDEXER,
    "first_k_dense_replace": 1,
    "hidden_size": 6144,
    "num_attention_heads": 64,
    "num_hidden_layers": 72,
    "q_lora_rank": None,
    "qk_nope_head_dim": 64,
    "no_rope_layer_interval": 4,
    "kv_source_layers": [35 if at > 35 and at % 4 == 3 else at for at in range(72)],
}


def index_elements(arch: Architecture) -> float:
    """Elements of index keys that one token adds on all layers."""
    return sum(group.count * group.index_k_width for group in arch.groups)


def test_latent_row_is_shared_by_all_heads() -> None:
    arch = read("deepseek_v3", DEEPSEEK_V3)
    assert kinds(arch) == ["latent"] * 61
    assert cell_bytes(arch, "latent") == 70272  # published for V3 in fp16
    assert arch.groups[0].v_width == 0


def test_latent_projection_is_split_into_one_matrix_a_head() -> None:
    arch = read("deepseek_v3", {**DEEPSEEK_V3, "num_nextn_predict_layers": 0})
    keys, values = by_role(arch, "attn_k_b"), by_role(arch, "attn_v_b")
    assert (keys.row_width, keys.rows, keys.experts) == (128, 512, 128)
    assert (values.row_width, values.rows, values.experts) == (512, 128, 128)


def test_deepseek2_files_keep_gate_and_up_of_the_experts_together() -> None:
    arch = read("kimi_k2", {**DEEPSEEK_V3, "num_nextn_predict_layers": 0})
    joined = by_role(arch, "ffn_gate_up_exps")
    assert (joined.row_width, joined.rows, joined.experts) == (7168, 4096, 256)
    assert joined.layers == [float(at) for at in range(3, 61)]


def test_prediction_layer_of_deepseek_stays_out_of_the_file() -> None:
    block = of_class(read("deepseek_v3", DEEPSEEK_V3), "prediction_head")
    assert parameters(block) == 684489845504 - 671026419200
    assert not any(tensor.in_gguf or tensor.loaded for tensor in block)


def test_prediction_layer_of_glm_is_in_the_file_but_skipped() -> None:
    block = of_class(read("glm_moe_dsa", GLM_53), "prediction_head")
    assert parameters(block) == 753329940480 - 743377019904
    assert all(tensor.in_gguf and tensor.layers == [78] for tensor in block)
    # llama.cpp skips the layer, but for the norm of its indexer keys
    assert {tensor.role for tensor in block if tensor.loaded} == {
        "indexer.k_norm",
        "indexer.k_norm.bias",
    }


def test_every_layer_of_v32_caches_an_index_key() -> None:
    arch = read("deepseek_v32", {**DEEPSEEK_V3, **INDEXER, "num_nextn_predict_layers": 0})
    assert index_elements(arch) == 61 * 128
    assert arch.groups[0].selected_entries == 2048
    weights = by_role(arch, "indexer.proj")
    assert (weights.fixed_type, weights.converted_type) == ("", "F32")


def test_shared_indexers_have_no_tensors_and_no_keys() -> None:
    arch = read("glm_moe_dsa", GLM_53)
    assert index_elements(arch) == 21 * 128
    assert cell_bytes(arch, "latent") == 2 * 44928  # 44,928 elements a token
    main = [t for t in arch.tensors if t.role == "indexer.attn_k" and t.tensor_class == "indexer"]
    assert len(main[0].layers) == 21


def test_glm_without_a_list_has_an_indexer_in_each_layer() -> None:
    config = {key: value for key, value in GLM_53.items() if key != "indexer_types"}
    assert index_elements(read("glm_moe_dsa", config)) == 78 * 128


def test_mistral_layers_borrow_a_latent() -> None:
    arch = read("mistral_large4", MISTRAL_LARGE_4)
    assert kinds(arch).count("shared") == 9
    # 54 rotated layers of 576 elements and 9 without the rotary part
    assert cell_bytes(arch, "latent") == 71424
    down = [tensor for tensor in arch.tensors if tensor.role == "attn_kv_a_mqa"]
    assert sorted((tensor.rows, len(tensor.layers)) for tensor in down) == [(512, 9), (576, 54)]


def test_nested_text_config_reads_like_a_flat_one() -> None:
    flat = read("deepseek_v3", DEEPSEEK_V3)
    nested = read("deepseek_v3", {"hidden_size": 1, "text_config": DEEPSEEK_V3})
    assert nested == flat


@pytest.mark.parametrize(
    ("model_type", "config", "key"),
    [
        ("deepseek_v3", {"first_k_dense_replace": 62}, "config.first_k_dense_replace"),
        ("deepseek_v3", {"num_experts_per_tok": 257}, "config.num_experts_per_tok"),
        ("deepseek_v3", {"qk_head_dim": 128}, "config.qk_head_dim"),
        ("deepseek_v32", {}, "config.index_n_heads"),
        ("glm_moe_dsa", {**INDEXER, "indexer_types": ["full"]}, "config.indexer_types"),
        ("glm_moe_dsa", {**INDEXER, "indexer_types": ["shared"] * 61}, "config.indexer_types[0]"),
        ("glm_moe_dsa", {**INDEXER, "indexer_types": ["half"] * 61}, "config.indexer_types[0]"),
        (
            "mistral_large4",
            {**INDEXER, "kv_source_layers": [1, *range(1, 61)]},
            "config.kv_source_layers[0]",
        ),
    ],
)
def test_contradictions_name_their_key(
    model_type: str, config: dict[str, object], key: str
) -> None:
    with pytest.raises(ArchitectureError) as error:
        read(model_type, {**DEEPSEEK_V3, **config})
    assert error.value.key == key
