"""MiniMax M2 (experts in every layer) and M3 (leading dense layers, block-sparse attention)."""

from __future__ import annotations

from dataclasses import replace

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    norms,
)
from vramsite.catalog.architectures.json_value import shown
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    layers_where,
    per_layer,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


@reader("minimax_m2")
def all_experts(source: ArchitectureSource) -> Architecture:
    """`intermediate_size` is an expert's width; there is no dense feed-forward."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    every = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "intermediate_size")
    experts = whole(keys, "num_local_experts")
    shared_width = whole(keys, "shared_intermediate_size", 0.0, least=0.0)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, every, qk_norm=_qk_norm(keys, "per_layer"))
    moe_ffn(
        tensors,
        width,
        expert_width,
        experts,
        every,
        shared_ffn_width=shared_width,
        selection_bias=keys.flag("use_routing_bias", True),
    )
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in every],
        tensors=tensors,
        expert_count=experts,
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared_width,
    )


@reader("minimax_m3_vl", "minimax_m3")
def block_sparse(source: ArchitectureSource) -> Architecture:
    """An index head picks blocks of tokens in the layers that `sparse_attention_freq` marks.

    llama.cpp knows the index only in the layers with experts, and caches a key and a value row
    of it there. The vision tower is left out: config.json keys do not give its shape.
    """
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    shape = attention_shape(keys)
    routed = _switches(keys, "moe_layer_freq", layer_count)
    sparse_keys = keys.sub("sparse_attention_config")
    marked = _switches(sparse_keys, "sparse_attention_freq", layer_count)
    index_size = whole(sparse_keys, "sparse_index_dim")
    index_heads = whole(sparse_keys, "sparse_num_index_heads")
    expert_width = whole(keys, "intermediate_size")
    experts = whole(keys, "num_local_experts")
    shared_width = expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0)
    dense_width = whole(keys, "dense_intermediate_size") if not all(routed) else 0.0

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, every, qk_norm=_qk_norm(keys, "per_head"))
    indexed = [own and moe for own, moe in zip(marked, routed, strict=True)]
    unread = [own and not moe for own, moe in zip(marked, routed, strict=True)]
    _index_head(tensors, width, index_heads, index_size, layers_where(indexed), in_gguf=True)
    _index_head(tensors, width, index_heads, index_size, layers_where(unread), in_gguf=False)
    if dense_width > 0:
        dense_ffn(tensors, width, dense_width, layers_where([not moe for moe in routed]))
    moe_ffn(
        tensors,
        width,
        expert_width,
        experts,
        layers_where(routed),
        shared_ffn_width=shared_width,
        selection_bias=keys.flag("use_routing_bias", True),
    )
    plain = shape.group()
    selected = whole(sparse_keys, "sparse_topk_blocks") * whole(sparse_keys, "sparse_block_size")
    with_index = replace(
        plain, index_k_width=index_size, index_v_width=index_size, selected_entries=selected
    )
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[with_index if own else plain for own in indexed],
        tensors=tensors,
        dense_ffn_width=dense_width,
        expert_count=experts,
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared_width,
    )


def _qk_norm(keys: Keys, default: str) -> str:
    if not keys.flag("use_qk_norm", True):
        return ""
    # Key and value are normed head by head with one vector, or over all heads at once.
    name = keys.text("qk_norm_type", default)
    if name not in ("per_head", "per_layer"):
        message = f"is {shown(name)}; known are per_head, per_layer"
        raise ArchitectureError(f"{keys.path}.qk_norm_type", message)
    return "head" if name == "per_head" else "full"


def _switches(keys: Keys, key: str, layer_count: float) -> list[bool]:
    return [value != 0 for value in per_layer(keys, key, layer_count, 1.0)]


def _index_head(
    tensors: TensorList,
    width: float,
    heads: float,
    head_size: float,
    layers: list[float],
    *,
    in_gguf: bool,
) -> None:
    """Queries and one key for picking blocks; quantising leaves both projections at 16 bits."""
    if not layers:
        return
    for role, rows in (("indexer.q_proj", heads * head_size), ("indexer.k_proj", head_size)):
        tensors.matrix(
            role, "indexer", width, rows, layers=layers, in_gguf=in_gguf, fixed_type="BF16"
        )
    for role in ("indexer.q_norm", "indexer.k_norm"):
        tensors.vector(role, "indexer", head_size, layers=layers, in_gguf=in_gguf)
