"""Kimi K3: delta attention with a latent-attention layer now and then, experts in a latent."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    moe_ffn,
    norms,
    shared_ffn,
    vision,
)
from vramsite.catalog.architectures.kda import DeltaShape, delta_attention, delta_shape
from vramsite.catalog.architectures.keys import ArchitectureError, Keys, no_keys
from vramsite.catalog.architectures.latent import latent_attention, latent_shape
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import assemble, every_layer, text_keys, whole
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture


@reader("kimi_linear")
def text_only(source: ArchitectureSource) -> Architecture:
    """The language model alone (`model_type` of the nested text config)."""
    return _read(source, TensorList())


@reader("kimi_k3")
def with_vision(source: ArchitectureSource) -> Architecture:
    """The language model behind its vision tower."""
    tensors = TensorList()
    architecture = _read(source, tensors)
    config = source.config
    tower = config.sub("vision_config") if config.has("vision_config") else no_keys()
    _vision_tower(tensors, tower, architecture.embedding_width)
    return architecture


def _read(source: ArchitectureSource, tensors: TensorList) -> Architecture:
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    dense_layers = index(whole(keys, "first_k_dense_replace", 0.0, least=0.0))
    delta = delta_shape(keys)
    latent = latent_shape(keys)
    full, linear = _layer_kinds(keys, layer_count)

    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    if whole(keys, "attn_res_block_size", 0.0, least=0.0) > 0:
        _residual_scores(tensors, width, every)
    full_gate = keys.sub("linear_attn_config").flag("use_full_rank_gate", False)
    delta_attention(tensors, width, delta, linear, full_gate=full_gate)
    if full_gate:
        _padding(tensors, delta, linear)
    latent_attention(tensors, width, latent, full)
    if keys.flag("mla_use_output_gate", False):
        rows = latent.heads * latent.v_head_size
        tensors.matrix("attn_gate", "attention", width, rows, layers=full)
    if dense_layers > 0:
        dense_ffn(tensors, width, whole(keys, "intermediate_size"), every[:dense_layers])
    _experts(tensors, keys, width, every[dense_layers:])

    expert_width = whole(keys, "moe_intermediate_size")
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=latent.heads,
        layers=[latent.group() if at in full else delta.group() for at in every],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if dense_layers > 0 else 0.0,
        expert_count=whole(keys, "num_experts"),
        experts_used=whole(keys, "num_experts_per_token"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "num_shared_experts", 0.0, least=0.0),
    )


def _layer_kinds(keys: Keys, layer_count: float) -> tuple[list[float], list[float]]:
    """Indices of the latent-attention and of the delta layers; config.json counts from one."""
    config = keys.sub("linear_attn_config")
    full = [number - 1 for number in config.numbers("full_attn_layers")]
    linear = [number - 1 for number in config.numbers("kda_layers")]
    if sorted(full + linear) != every_layer(layer_count):
        raise ArchitectureError(
            f"{config.path}.kda_layers",
            f"and full_attn_layers do not name each of the {layer_count:g} layers once",
        )
    return full, linear


def _residual_scores(tensors: TensorList, width: float, layers: list[float]) -> None:
    """A learned pick of earlier layers: norm and projection, which the converter multiplies."""
    for role in ("attn_res_score", "ffn_res_score"):
        tensors.vector(role, "norm", width, layers=layers)
        tensors.vector(f"{role}.norm", "norm", width, layers=layers, in_gguf=False, loaded=False)
    tensors.vector("output_res_score", "norm", width)
    tensors.vector("output_res_score.norm", "norm", width, in_gguf=False, loaded=False)


def _padding(tensors: TensorList, shape: DeltaShape, layers: list[float]) -> None:
    """The checkpoint stores the decay of heads padded to the head size; the converter cuts it."""
    extra = shape.head_size - shape.heads
    if extra > 0:
        tensors.vector(
            "ssm_a.padding", "recurrent", extra, layers=layers, in_gguf=False, loaded=False
        )


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    """Routed experts work in a narrower space, shared ones on the full width."""
    latent = whole(keys, "routed_expert_hidden_size", width)
    expert_width = whole(keys, "moe_intermediate_size")
    experts = whole(keys, "num_experts")
    routed = TensorList()
    moe_ffn(routed, latent, expert_width, experts, layers, selection_bias=True)
    tensors.matrix("ffn_gate_inp", "router", width, experts, layers=layers, fixed_type="F32")
    tensors.tensors += [item for item in routed.tensors if item.role != "ffn_gate_inp"]
    if latent != width:
        tensors.matrix("ffn_routed_down", "shared_experts", width, latent, layers=layers)
        tensors.matrix("ffn_routed_up", "shared_experts", latent, width, layers=layers)
        if keys.flag("latent_moe_use_norm", False):
            tensors.vector("ffn_routed_norm", "norm", latent, layers=layers)
    shared = whole(keys, "num_shared_experts", 0.0, least=0.0)
    if shared > 0:
        shared_ffn(tensors, width, expert_width * shared, layers)


def _vision_tower(tensors: TensorList, keys: Keys, text_width: float) -> None:
    """A vision transformer without biases, and a merger of two by two patches.

    The defaults are those of the released configuration; with them the tower has the published
    number of parameters.
    """
    width = whole(keys, "vt_hidden_size", 1024.0)
    depth = whole(keys, "vt_num_hidden_layers", 27.0)
    qkv_width = whole(keys, "qkv_hidden_size", 1536.0)
    ffn_width = whole(keys, "vt_intermediate_size", 4096.0)
    patch = whole(keys, "patch_size", 14.0)
    grid_height = whole(keys, "init_pos_emb_height", 64.0)
    grid_width = whole(keys, "init_pos_emb_width", 64.0)
    vision(tensors, "v.patch_embd", patch * patch * 3, width)
    vision(tensors, "v.position_embd", width, grid_height * grid_width)
    vision(tensors, "v.attn_qkv", width, 3 * qkv_width, count=depth)
    vision(tensors, "v.attn_out", qkv_width, width, count=depth)
    vision(tensors, "v.ffn", width, ffn_width, count=2 * depth)
    vision(tensors, "v.norm", width, count=2 * depth)
    vision(tensors, "v.post_norm", width)
    merged = 4 * width
    vision(tensors, "mm.1", merged, merged)
    vision(tensors, "mm.2", merged, text_width)
    vision(tensors, "mm.post_norm", text_width)
