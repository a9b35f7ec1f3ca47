"""Layers with a fixed state: its size as published or logged, and what the files hold."""

from __future__ import annotations

import pytest
from config_reading import by_role, cell_bytes, kinds, of_class, parameters, read, state_bytes

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.catalog.architectures.ngram_table import table_rows

QWEN35_27B: dict[str, object] = {
    "hidden_size": 5120,
    "intermediate_size": 17408,
    "num_hidden_layers": 64,
    "num_attention_heads": 24,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 48,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "mtp_num_hidden_layers": 1,
    "vocab_size": 248320,
}
QWEN4: dict[str, object] = {
    **QWEN35_27B,
    "hidden_size": 2560,
    "num_hidden_layers": 48,
    "num_key_value_heads": 2,
    "num_experts": 512,
    "num_experts_per_tok": 10,
    "moe_intermediate_size": 640,
    "shared_expert_intermediate_size": 640,
    "hc_count": 4,
    "hc_lowrank": 320,
    "indexer_n_heads": 4,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 128,
    "indexer_compress_ratio": 4,
    "ple_layer_ids": [2],
    "ple_embed_dim": 2560,
    "ngram_size": 3,
    "heads_per_ngram": 8,
}
LFM3: dict[str, object] = {
    "hidden_size": 2048,
    "intermediate_size": 7680,
    "num_hidden_layers": 24,
    "layer_types": ["conv", "conv", "full_attention", "conv"]
    + ["sliding_attention", "conv", "full_attention", "conv"] * 5,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "vocab_size": 128000,
    "sliding_window": 256,
    "conv_L_cache": 7,
}


def test_qwen35_keeps_a_cache_on_every_fourth_layer_only() -> None:
    arch = read("qwen3_5", QWEN35_27B)
    assert kinds(arch)[:4] == ["recurrent"] * 3 + ["full"]
    assert cell_bytes(arch, "full") == 65536
    assert state_bytes(arch) == 156893184


def test_qwen35_prediction_layer_is_in_the_checkpoint_alone() -> None:
    arch = read("qwen3_5", QWEN35_27B)
    block = of_class(arch, "prediction_head")
    assert parameters(block) == 424699392  # published for the 27B
    assert not any(tensor.in_gguf or tensor.loaded for tensor in block)
    assert (arch.prediction_layers, arch.layer_count) == (1, 64)


def test_qwen3_next_state_of_a_sequence() -> None:
    config = {
        **QWEN35_27B,
        "num_hidden_layers": 48,
        "linear_num_value_heads": 32,
        "num_experts": 512,
        "num_experts_per_tok": 10,
        "moe_intermediate_size": 512,
        "shared_expert_intermediate_size": 512,
    }
    arch = read("qwen3_next", config)
    assert state_bytes(arch) / 2**20 == pytest.approx(75.4, abs=0.05)  # as llama.cpp logs it
    assert by_role(arch, "ssm_ba").rows == 64


def test_value_heads_come_in_groups_of_a_key_head() -> None:
    with pytest.raises(ArchitectureError, match=r"config\.linear_num_key_heads"):
        read("qwen3_5", {**QWEN35_27B, "linear_num_key_heads": 15})


def test_qwen4_table_has_a_prime_of_rows_for_each_head() -> None:
    assert table_rows(10, 3, 1) == 11 + 13 + 17
    assert table_rows(11, 2, 128) == 128
    table = by_role(read("qwen4_exp", QWEN4), "per_layer_token_embd")
    assert (table.row_width, table.rows) == (160, 320001536)  # published


def test_qwen4_caches() -> None:
    arch = read("qwen4_exp", QWEN4)
    assert cell_bytes(arch, "full") == 24576
    assert sum(2 * g.count * g.index_k_width for g in arch.groups) == 12 * 2 * 256
    # published: delta net state and one row of the table's convolution
    assert state_bytes(arch) == 117669888 + 368640


@pytest.mark.parametrize("layers", [[4], [49], [2, 3]])
def test_qwen4_table_sits_on_one_linear_layer(layers: list[int]) -> None:
    with pytest.raises(ArchitectureError) as caught:
        read("qwen4_exp", {**QWEN4, "ple_layer_ids": layers})
    assert caught.value.key == "config.ple_layer_ids"


def test_lfm3_mixes_three_kinds_of_layers() -> None:
    arch = read("lfm3", LFM3)
    counts = {group.kind: group.count for group in arch.groups}
    assert counts == {"recurrent": 13, "full": 6, "window": 5}
    assert (cell_bytes(arch, "full"), cell_bytes(arch, "window")) == (12288, 10240)
    assert state_bytes(arch) == 638976
    assert round(parameters(arch.tensors) / 1e7) == 173  # the model card says 1.73B
