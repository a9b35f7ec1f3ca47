"""Weights of a made-up model, by hand: 8 layers, rows of 256 elements, blocks of llama.cpp."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.records import Architecture, LayerGroup, Tensor
from vramsite.sizing.weights import WeightBytes, quantised_weights, split_weights

DATA = Path(__file__).parents[2] / "data"
LAYERS = [float(layer) for layer in range(8)]


def matrix(
    role: str,
    tensor_class: str,
    row_width: float = 256.0,
    rows: float = 1.0,
    experts: float = 1.0,
    layers: list[float] | None = None,
    fixed_type: str = "",
    converted_type: str = "",
    least_type: str = "",
    loaded: bool = True,
) -> Tensor:
    return Tensor(
        role=role,
        tensor_class=tensor_class,
        row_width=row_width,
        rows=rows,
        experts=experts,
        layers=layers if layers is not None else [],
        fixed_type=fixed_type,
        converted_type=converted_type,
        least_type=least_type,
        loaded=loaded,
    )


def model(
    *tensors: Tensor,
    layers: float = 8.0,
    query_heads: float = 2.0,
    kv_heads: float = 2.0,
    experts: float = 0.0,
    gguf_arch: str = "llama",
    tied: bool = False,
) -> Architecture:
    group = LayerGroup(kind="full", count=layers, query_heads=query_heads, kv_heads=kv_heads)
    return Architecture(
        model_type="made_up",
        gguf_arch=gguf_arch,
        embedding_width=256.0,
        vocabulary=4.0,
        layer_count=layers,
        context_max_tokens=1024.0,
        tied_embeddings=tied,
        attention_heads=query_heads,
        dense_ffn_width=256.0,
        expert_count=experts,
        experts_used=min(2.0, experts),
        expert_ffn_width=256.0 if experts > 0 else 0.0,
        shared_expert_ffn_width=0.0,
        groups=[group],
        layer_order=[0.0 for _ in range(int(layers))],
        tensors=list(tensors),
    )


def weights(arch: Architecture, name: str, imatrix: bool = False) -> WeightBytes:
    scheme, recipes = load_quant_scheme(DATA)
    return quantised_weights(arch, recipes[name], scheme, imatrix)


def types(result: WeightBytes) -> list[tuple[str, float]]:
    return sorted((entry.type_name, entry.bytes) for entry in result.types)


def test_q8_0_has_34_bytes_for_each_32_weights() -> None:
    arch = model(matrix("output", "output"), matrix("attn_q", "attention", rows=3, layers=LAYERS))
    assert weights(arch, "Q8_0").file_bytes == (1 + 3 * 8) * 8 * 34


def test_vectors_stay_in_32_bits() -> None:
    arch = model(
        matrix("output", "output"), matrix("attn_norm", "norm", layers=LAYERS, fixed_type="F32")
    )
    assert types(weights(arch, "Q4_K_M")) == [("F32", 8 * 1024.0), ("Q6_K", 210.0)]


def test_q4_k_m_spends_more_on_outer_layers_and_every_third_between() -> None:
    # Of 8 layers: 0 (first eighth), 7 (last eighth), 3 and 6.
    arch = model(matrix("output", "output"), matrix("attn_v", "attention", layers=LAYERS))
    assert types(weights(arch, "Q4_K_M")) == [("Q4_K", 4 * 144.0), ("Q6_K", (4 + 1) * 210.0)]


def test_attention_values_are_counted_not_looked_up_by_layer() -> None:
    # Four value matrices in layers 1, 3, 5, 7 count as 0 to 3: the last and number 2 get Q6_K.
    arch = model(
        matrix("output", "output"), matrix("attn_v", "attention", layers=[1.0, 3.0, 5.0, 7.0])
    )
    assert types(weights(arch, "Q4_K_M")) == [("Q4_K", 2 * 144.0), ("Q6_K", (2 + 1) * 210.0)]


def test_q4_k_s_gives_the_first_four_value_matrices_five_bits() -> None:
    arch = model(matrix("output", "output"), matrix("attn_v", "attention", layers=LAYERS))
    assert ("Q5_K", 4 * 176.0) in types(weights(arch, "Q4_K_S"))


@pytest.mark.parametrize(("kv_heads", "type_name"), [(2.0, "Q3_K"), (1.0, "Q4_K")])
def test_q2_k_values_depend_on_query_heads_a_kv_head(kv_heads: float, type_name: str) -> None:
    arch = model(
        matrix("output", "output"),
        matrix("attn_v", "attention", layers=[0.0]),
        query_heads=4.0,
        kv_heads=kv_heads,
    )
    assert [name for name, _ in types(weights(arch, "Q2_K")) if name != "Q6_K"] == [type_name]


def test_eight_experts_keep_keys_and_values_at_eight_bits() -> None:
    arch = model(
        matrix("output", "output"),
        matrix("attn_k", "attention", layers=[0.0]),
        matrix("attn_v", "attention", layers=[0.0]),
        experts=8.0,
    )
    assert ("Q8_0", 2 * 8 * 34.0) in types(weights(arch, "Q4_K_M"))


def test_70b_models_get_five_bit_values() -> None:
    tensors = [matrix("output", "output"), matrix("attn_v", "attention", layers=[4.0])]
    large = model(*tensors, layers=80.0, query_heads=8.0, kv_heads=1.0)
    other = model(*tensors, layers=80.0, query_heads=8.0, kv_heads=1.0, gguf_arch="qwen3")
    assert ("Q5_K", 176.0) in types(weights(large, "Q3_K_S"))
    assert ("Q3_K", 110.0) in types(weights(other, "Q3_K_S"))


def test_importance_matrix_lifts_the_first_eighth_of_q4_0_down_projections() -> None:
    arch = model(matrix("output", "output"), matrix("ffn_down", "dense_ffn", layers=LAYERS))
    assert ("Q4_0", 8 * 144.0) in types(weights(arch, "Q4_0"))
    assert ("Q4_1", 160.0) in types(weights(arch, "Q4_0", imatrix=True))


def test_mxfp4_moe_takes_stacked_matrices_only() -> None:
    arch = model(
        matrix("output", "output"),
        matrix("attn_q", "attention", layers=[0.0]),
        matrix("ffn_up_exps", "routed_experts", experts=4, layers=[0.0]),
        experts=4.0,
    )
    assert types(weights(arch, "MXFP4_MOE")) == [("MXFP4", 4 * 8 * 17.0), ("Q8_0", 2 * 8 * 34.0)]


@pytest.mark.parametrize(
    ("row_width", "type_name", "row_bytes"),
    [(512.0, "Q4_K", 288.0), (320.0, "Q5_0", 220.0), (48.0, "F16", 96.0)],
)
def test_rows_of_no_whole_blocks_fall_back(
    row_width: float, type_name: str, row_bytes: float
) -> None:
    arch = model(
        matrix("output", "output"), matrix("attn_q", "attention", row_width, layers=LAYERS)
    )
    result = weights(arch, "Q4_K_M")
    assert (type_name, 8 * row_bytes) in types(result)
    assert result.fallback_tensors == (0.0 if type_name == "Q4_K" else 8.0)


def test_misaligned_output_is_q8_0_and_no_fallback() -> None:
    result = weights(model(matrix("output", "output", 320.0)), "Q4_K_M")
    assert types(result) == [("Q8_0", 340.0)]
    assert result.fallback_tensors == 0.0


def test_matrices_the_converter_writes_in_f32_shrink_only_when_quantised() -> None:
    arch = model(matrix("indexer.proj", "indexer", layers=[0.0], converted_type="F32"))
    assert types(weights(arch, "BF16")) == [("F32", 1024.0)]
    assert types(weights(arch, "Q4_K_M")) == [("Q4_K", 144.0)]


def test_floor_type_holds_below_it_only() -> None:
    arch = model(matrix("attn_q_a", "attention", layers=[0.0], least_type="Q8_0"))
    assert types(weights(arch, "Q4_K_M")) == [("Q8_0", 272.0)]
    assert types(weights(arch, "BF16")) == [("F16", 512.0)]


def test_tied_embedding_is_on_the_host_and_again_on_the_device() -> None:
    result = weights(
        model(
            matrix("token_embd", "token_embedding", 512.0, rows=64),
            matrix("output_norm", "norm", fixed_type="F32"),
            tied=True,
        ),
        "Q4_K_M",
    )
    embedding = 64 * 2 * 210.0
    assert result.file_bytes == embedding + 1024
    assert result.host_bytes == embedding
    assert result.device_bytes == embedding + 1024
    assert result.active_bytes_per_token == embedding + 420 + 1024


def test_cuda_pads_quantised_rows_to_512_elements_once_a_tensor() -> None:
    arch = model(
        matrix("token_embd", "token_embedding", rows=64),
        matrix("output", "output", rows=64),
        matrix("attn_q", "attention", rows=64, layers=LAYERS),
    )
    result = weights(arch, "Q8_0")
    # 64 rows of 272 bytes and one more row of padding, rounded up to 128.
    assert result.device_bytes == 9 * 17_792
    assert result.layer_bytes == [17_792.0] * 8
    assert result.host_bytes == 64 * 272


def test_prediction_layers_are_in_the_file_and_not_loaded() -> None:
    arch = model(
        matrix("output", "output", 512.0, rows=64),
        matrix("attn_q", "prediction_head", 512.0, rows=64, layers=[8.0], loaded=False),
    )
    result = weights(arch, "Q8_0")
    assert result.prediction_bytes == 64 * 544
    assert result.file_bytes == 2 * 64 * 544
    assert result.device_bytes == 64 * 544
    assert len(result.layer_bytes) == 9


@pytest.fixture
def mixture() -> WeightBytes:
    """Two layers of 64 x 512 attention (F16: 65,536 bytes) and four experts of the same size."""
    return weights(
        model(
            matrix("token_embd", "token_embedding", 512.0, rows=64),
            matrix("output", "output", 512.0, rows=64),
            matrix("rope_freqs", "other", 64.0, fixed_type="F32"),
            matrix("attn_q", "attention", 512.0, rows=64, layers=[0.0, 1.0]),
            matrix("ffn_up_exps", "routed_experts", 512.0, 64.0, 4.0, layers=[0.0, 1.0]),
            layers=2.0,
            experts=4.0,
        ),
        "F16",
    )


def test_active_bytes_count_the_used_share_of_experts(mixture: WeightBytes) -> None:
    # Output, two attentions, half of eight experts, RoPE factors, one row of the embedding.
    assert mixture.active_bytes_per_token == 65_536 * (1 + 2 + 4) + 256 + 1024
    assert mixture.routed_bytes == 8 * 65_536
    assert mixture.biggest_expert_tensor_bytes == 4 * 65_536


@pytest.mark.parametrize(
    ("gpu_layers", "cpu_moe_layers", "device_blocks", "host_blocks", "copies"),
    [
        (None, None, 11, 1, (1, 0)),
        (3.0, 0.0, 11, 1, (1, 0)),
        (2.0, 0.0, 6, 6, (1, 1)),
        (1.0, 0.0, 1, 11, (0, 1)),
        (0.0, 0.0, 0, 12, (0, 1)),
        (None, 1.0, 7, 5, (1, 0)),
        (None, 2.0, 3, 9, (1, 0)),
        (2.0, 2.0, 2, 10, (1, 1)),
    ],
)
def test_split_by_gpu_layers_and_cpu_moe(
    mixture: WeightBytes,
    gpu_layers: float | None,
    cpu_moe_layers: float | None,
    device_blocks: int,
    host_blocks: int,
    copies: tuple[int, int],
) -> None:
    """The output head is the last of the layers; the RoPE table is wherever a layer is."""
    split = split_weights(mixture, gpu_layers, cpu_moe_layers)
    assert split.device_bytes == device_blocks * 65_536 + copies[0] * 256
    assert split.host_bytes == host_blocks * 65_536 + copies[1] * 256


def test_checkpoint_formats_shrink_their_classes() -> None:
    recipes = load_checkpoint_recipes(DATA)
    arch = model(
        matrix("token_embd", "token_embedding", rows=64),
        matrix("attn_q", "attention", 256.0, rows=64, layers=[0.0]),
        matrix("ffn_up", "dense_ffn", 256.0, rows=64, layers=[0.0]),
        matrix("v.attn", "vision", 256.0, rows=64, loaded=False),
        tied=True,
    )
    block = 256.0 * 64
    assert checkpoint_weights(arch, recipes["BF16"]).file_bytes == 4 * 2 * block
    quarter = checkpoint_weights(arch, recipes["NVFP4"])
    assert quarter.file_bytes == 2 * 2 * block + 2 * block * 4.5 / 8
    assert quarter.device_bytes == quarter.file_bytes - 2 * block
    assert quarter.vision_bytes == 2 * block
    mlx = checkpoint_weights(arch, recipes["MLX-4BIT"])
    assert mlx.device_bytes == 3 * block * 4.5 / 8
