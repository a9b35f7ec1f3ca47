"""GLM-5.3 Flash: delta attention, sparse latent attention every fourth layer, four streams."""

from __future__ import annotations

from dataclasses import replace

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
    vision,
)
from vramsite.catalog.architectures.hyper import hyper_connections
from vramsite.catalog.architectures.kda import delta_attention, delta_shape
from vramsite.catalog.architectures.keys import Keys, no_keys
from vramsite.catalog.architectures.latent import (
    IndexerShape,
    LatentShape,
    indexer,
    indexer_shape,
    latent_attention,
    latent_shape,
)
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    every_layer,
    layer_types,
    layers_after,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture

# llama.cpp leaves the small projections of this architecture alone when it quantises, and gives
# the query projections at least eight bits.
_KEPT = "BF16"
_QUERY_FLOOR = "Q8_0"


@reader("glm5_next_text")
def text_only(source: ArchitectureSource) -> Architecture:
    """The language model alone (`model_type` of the nested text config)."""
    return _read(source, TensorList())


@reader("glm5_next")
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
    kinds = layer_types(keys, layer_count, ("linear_attention", "deepseek_sparse_attention"))
    is_sparse = [kind == "deepseek_sparse_attention" for kind in kinds]
    delta = delta_shape(keys)
    latent = latent_shape(keys)
    own_indexer = indexer_shape(keys)
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)

    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    if keys.flag("mhc", False):
        streams = whole(keys, "hc_mult")
        hyper_connections(tensors, width, streams, every, quantised=False)
    linear = layers_where([not sparse for sparse in is_sparse])
    delta_attention(tensors, width, delta, linear, full_gate=False, small_type=_KEPT)
    _sparse_attention(tensors, keys, width, latent, own_indexer, layers_where(is_sparse))
    if dense_layers > 0:
        dense_ffn(tensors, width, whole(keys, "intermediate_size"), every[:dense_layers])
    _experts(tensors, keys, width, every[dense_layers:])
    if extra_layers > 0:
        after = layers_after(layer_count, extra_layers)
        block = TensorList()
        norms(block, width, after, "attn_norm", "ffn_norm")
        _sparse_attention(block, keys, width, latent, own_indexer, after)
        _experts(block, keys, width, after)
        nextn_projection(block, width, after)
        prediction_head(tensors, block, in_gguf=False)

    # A row of the index cache holds a token's key and pooling gate, and the key of its pool.
    sparse = latent.group(
        index_k_width=3 * own_indexer.head_size, selected_entries=whole(keys, "index_topk")
    )
    expert_width = whole(keys, "moe_intermediate_size")
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=latent.heads,
        layers=[sparse if own else delta.group() for own in is_sparse],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if dense_layers > 0 else 0.0,
        expert_count=whole(keys, "n_routed_experts"),
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        prediction_layers=extra_layers,
    )


def _sparse_attention(
    tensors: TensorList,
    keys: Keys,
    width: float,
    latent: LatentShape,
    own_indexer: IndexerShape,
    layers: list[float],
) -> None:
    """Latent attention and an indexer that scores pools of `index_kpool` tokens."""
    block = TensorList()
    latent_attention(block, width, latent, layers, absorbed_type=_KEPT)
    tensors.tensors += [
        replace(item, least_type=_QUERY_FLOOR) if item.role in ("attn_q_a", "attn_q_b") else item
        for item in block.tensors
    ]
    block = TensorList()
    indexer(block, width, latent.q_lora_rank, own_indexer, layers, fixed_type=_KEPT)
    tensors.tensors += [
        replace(item, fixed_type="F32", converted_type="") if item.role == "indexer.proj" else item
        for item in block.tensors
    ]
    if keys.flag("index_kpool_compress", False):
        tensors.matrix(
            "indexer.kpool_gate",
            "indexer",
            width,
            own_indexer.head_size,
            layers=layers,
            fixed_type=_KEPT,
        )
        tensors.matrix(
            "indexer.kpool_ape",
            "indexer",
            own_indexer.head_size,
            whole(keys, "index_kpool"),
            layers=layers,
            fixed_type="F32",
        )


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    expert_width = whole(keys, "moe_intermediate_size")
    moe_ffn(
        tensors,
        width,
        expert_width,
        whole(keys, "n_routed_experts"),
        layers,
        shared_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        selection_bias=True,
    )


def _vision_tower(tensors: TensorList, keys: Keys, text_width: float) -> None:
    """A vision transformer with query and key norms, and a gated merger of two by two patches.

    The defaults are those of the released configuration; with them the tower has the published
    number of parameters.
    """
    width = whole(keys, "hidden_size", 1024.0)
    depth = whole(keys, "depth", 24.0)
    heads = whole(keys, "num_heads", 16.0)
    ffn_width = whole(keys, "intermediate_size", 4096.0)
    patch = whole(keys, "patch_size", 14.0)
    frames = whole(keys, "temporal_patch_size", 2.0)
    merge = whole(keys, "spatial_merge_size", 2.0)
    out_width = whole(keys, "out_hidden_size", text_width)
    merger_width = whole(keys, "projection_intermediate_size", 10240.0)
    vision(tensors, "v.patch_embd", patch * patch * 3 * frames, width)
    vision(tensors, "v.patch_embd.bias", width)
    vision(tensors, "v.attn", width, width, count=4 * depth)
    vision(tensors, "v.attn.bias", width, count=4 * depth)
    vision(tensors, "v.attn_qk_norm", width / heads, count=2 * depth)
    vision(tensors, "v.ffn", width, ffn_width, count=3 * depth)
    vision(tensors, "v.ffn_up.bias", ffn_width, count=2 * depth)
    vision(tensors, "v.ffn_down.bias", width, count=depth)
    vision(tensors, "v.norm", width, count=2 * depth)
    vision(tensors, "v.post_norm", width)
    vision(tensors, "mm.patch_merger", width * merge * merge, out_width)
    vision(tensors, "mm.patch_merger.bias", out_width)
    vision(tensors, "mm.input", out_width, out_width)
    vision(tensors, "mm.post_norm", out_width, count=2)
    vision(tensors, "mm.ffn", out_width, merger_width, count=3)
