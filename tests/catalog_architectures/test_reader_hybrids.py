"""Delta attention, Mamba-2 and compressed attention: states and rows as logged."""

from __future__ import annotations

import pytest
from config_reading import by_role, cell_bytes, kinds, of_class, parameters, read, state_bytes

from vramsite.catalog.architectures.keys import ArchitectureError

FULL_LAYERS = [*range(4, 93, 4), 93]
KIMI_K3: dict[str, object] = {
    "hidden_size": 7168,
    "intermediate_size": 33792,
    "num_hidden_layers": 93,
    "num_attention_heads": 96,
    "vocab_size": 163840,
    "first_k_dense_replace": 1,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "mla_use_output_gate": True,
    "num_experts": 896,
    "num_experts_per_token": 16,
    "num_shared_experts": 2,
    "moe_intermediate_size": 3072,
    "routed_expert_hidden_size": 3584,
    "latent_moe_use_norm": True,
    "attn_res_block_size": 12,
    "linear_attn_config": {
        "full_attn_layers": FULL_LAYERS,
        "kda_layers": [at for at in range(1, 94) if at not in FULL_LAYERS],
        "head_dim": 128,
        "num_heads": 96,
        "short_conv_kernel_size": 4,
        "use_full_rank_gate": True,
    },
}
GLM_53_FLASH: dict[str, object] = {
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 45,
    "num_attention_heads": 64,
    "vocab_size": 154880,
    "first_k_dense_replace": 3,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 288,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "mhc": True,
    "hc_mult": 4,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 256,
    "qk_rope_head_dim": 0,
    "v_head_dim": 256,
    "index_n_heads": 32,
    "index_head_dim": 128,
    "index_topk": 2048,
    "index_kpool": 4,
    "index_kpool_compress": True,
    "num_nextn_predict_layers": 1,
    "layer_types": (["linear_attention"] * 3 + ["deepseek_sparse_attention"]) * 11
    + ["linear_attention"],
    "linear_attn_config": {"num_heads": 64, "head_dim": 128, "short_conv_kernel_size": 4},
}
NEMOTRON_NANO: dict[str, object] = {
    "hidden_size": 2688,
    "intermediate_size": 1856,
    "num_hidden_layers": 52,
    "num_attention_heads": 32,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "vocab_size": 131072,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
    "mamba_num_heads": 64,
    "mamba_head_dim": 64,
    "n_groups": 8,
    "ssm_state_size": 128,
    "conv_kernel": 4,
    "n_routed_experts": 128,
    "num_experts_per_tok": 6,
    "n_shared_experts": 1,
    "moe_intermediate_size": 1856,
    "moe_shared_expert_intermediate_size": 3712,
}
NEMOTRON_SUPER: dict[str, object] = {
    **NEMOTRON_NANO,
    "hidden_size": 4096,
    "num_hidden_layers": 88,
    "hybrid_override_pattern": "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*"
    "EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
    "mtp_hybrid_override_pattern": "*E",
    "num_nextn_predict_layers": 1,
    "mamba_num_heads": 128,
    "n_routed_experts": 512,
    "num_experts_per_tok": 22,
    "moe_intermediate_size": 2688,
    "moe_latent_size": 1024,
    "moe_shared_expert_intermediate_size": 5376,
}
DEEPSEEK_V4: dict[str, object] = {
    "head_dim": 512,
    "hidden_size": 4096,
    "hc_mult": 4,
    "index_head_dim": 128,
    "index_n_heads": 64,
    "index_topk": 512,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_attention_heads": 64,
    "num_experts_per_tok": 6,
    "num_hidden_layers": 43,
    "num_hash_layers": 3,
    "num_key_value_heads": 1,
    "num_nextn_predict_layers": 1,
    "o_groups": 8,
    "o_lora_rank": 1024,
    "q_lora_rank": 1024,
    "sliding_window": 128,
    "vocab_size": 129280,
    "compress_ratios": [0, 0] + [4, 128] * 20 + [4, 0],
}


def test_kimi_k3_grows_on_24_layers_and_keeps_a_state_on_69() -> None:
    arch = read("kimi_k3", KIMI_K3)
    assert kinds(arch)[:4] == ["recurrent"] * 3 + ["latent"]
    assert cell_bytes(arch, "latent") == 2 * 13824
    assert state_bytes(arch) == 464633856  # 443 MiB a sequence


def test_kimi_k3_experts_work_in_a_latent() -> None:
    arch = read("kimi_k3", KIMI_K3)
    experts = by_role(arch, "ffn_gate_exps")
    assert (experts.row_width, experts.rows, experts.experts) == (3584, 3072, 896)
    assert by_role(arch, "ffn_gate_inp").row_width == 7168
    assert arch.shared_expert_ffn_width == 6144


def test_kimi_k3_checkpoint_holds_what_the_converter_joins() -> None:
    arch = read("kimi_linear", KIMI_K3)
    unwritten = [tensor for tensor in arch.tensors if not tensor.in_gguf]
    # norms beside the residual scores (two a layer, one at the end), padding of the decay
    assert parameters(unwritten) == (2 * 93 + 1) * 7168 + 69 * 32


def test_glm_flash_caches_a_latent_and_three_index_rows() -> None:
    arch = read("glm5_next", GLM_53_FLASH)
    (sparse,) = [group for group in arch.groups if group.kind == "latent"]
    assert (sparse.count, sparse.k_width, sparse.index_k_width) == (11, 512, 384)
    assert state_bytes(arch) == 152633344  # 146 MiB a sequence
    assert by_role(arch, "ssm_g_a").fixed_type == "BF16"


def test_glm_flash_parts() -> None:
    arch = read("glm5_next", GLM_53_FLASH)
    assert parameters(of_class(arch, "vision")) == 563627008
    assert parameters(of_class(arch, "prediction_head")) == 7432592416


@pytest.mark.parametrize(
    ("config", "cell", "state"),
    [(NEMOTRON_NANO, 6144, 49930240), (NEMOTRON_SUPER, 8192, 172687360)],
)
def test_nemotron_cache_and_state(config: dict[str, object], cell: float, state: float) -> None:
    arch = read("nemotron_h", config)
    assert cell_bytes(arch, "full") == cell
    assert state_bytes(arch) == state


def test_nemotron_experts_have_no_gate_and_may_work_in_a_latent() -> None:
    arch = read("nemotron_h", NEMOTRON_SUPER)
    roles = {t.role for t in arch.tensors if t.tensor_class == "routed_experts"}
    assert roles == {"ffn_up_exps", "ffn_down_exps"}
    up = [t for t in arch.tensors if t.role == "ffn_up_exps" and t.loaded]
    assert up[0].row_width == 1024


def test_nemotron_pattern_as_names_or_letters() -> None:
    letters = str(NEMOTRON_NANO["hybrid_override_pattern"])
    names = {"M": "mamba", "*": "attention", "E": "moe"}
    spelled = {
        **NEMOTRON_NANO,
        "hybrid_override_pattern": None,
        "layers_block_type": [names[letter] for letter in letters],
    }
    assert read("nemotron_h", spelled) == read("nemotron_h", NEMOTRON_NANO)


def test_deepseek_v4_entries_a_token() -> None:
    arch = read("deepseek_v4", DEEPSEEK_V4)
    assert all(group.window_tokens == 128 and group.own_context for group in arch.groups)
    entries = {
        group.tokens_per_entry: group.count * group.compressed_k_width / group.tokens_per_entry
        for group in arch.groups
        if group.kind == "compressed"
    }
    assert entries == {4: 2688, 128: 80}
    index = sum(g.count * g.index_k_width / g.index_tokens_per_entry for g in arch.groups)
    assert index == 672


def test_deepseek_v4_compressor_state() -> None:
    arch = read("deepseek_v4", DEEPSEEK_V4)
    state = sum(4 * group.count * group.compressor_elements for group in arch.groups)
    # What a logged cache of 4,096 tokens leaves beside 768 cells of the window in 43 layers,
    # 1,024 and 256 cells of entries in 21 and 20 layers and 1,024 of index keys in 21.
    cells = 43 * 768 * 512 + 21 * 1024 * 512 + 20 * 256 * 512 + 21 * 1024 * 128
    assert state == 78790656 - 2 * cells


@pytest.mark.parametrize(
    ("model_type", "config", "key"),
    [
        ("kimi_k3", {**KIMI_K3, "num_hidden_layers": 92}, "config.linear_attn_config.kda_layers"),
        ("glm5_next", {**GLM_53_FLASH, "num_hidden_layers": 44}, "config.layer_types"),
        ("nemotron_h", {**NEMOTRON_NANO, "num_hidden_layers": 50}, "config.num_hidden_layers"),
        (
            "nemotron_h",
            {**NEMOTRON_NANO, "hybrid_override_pattern": "MX"},
            "config.hybrid_override_pattern",
        ),
        ("nemotron_h", {**NEMOTRON_NANO, "n_groups": 7}, "config.n_groups"),
        ("deepseek_v4", {**DEEPSEEK_V4, "compress_ratios": [0]}, "config.compress_ratios"),
        (
            "deepseek_v4",
            {**DEEPSEEK_V4, "compress_ratios": [8] * 43},
            "config.compress_ratios[0]",
        ),
        ("deepseek_v4", {**DEEPSEEK_V4, "o_groups": 7}, "config.o_groups"),
    ],
)
def test_contradictions_name_their_key(
    model_type: str, config: dict[str, object], key: str
) -> None:
    with pytest.raises(ArchitectureError) as error:
        read(model_type, config)
    assert error.value.key == key
