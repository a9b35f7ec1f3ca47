"""Decoders with grouped-query attention whose feed-forward is a mixture of experts."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    norms,
)
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


def experts_used(keys: Keys, key: str, expert_count: float) -> float:
    """Experts a token passes; no more than there are."""
    used = whole(keys, key)
    if used > expert_count:
        raise ArchitectureError(
            f"{keys.path}.{key}", f"is {used:g}, but there are only {expert_count:g} experts"
        )
    return used


@reader("mixtral")
def read_mixtral(source: ArchitectureSource) -> Architecture:
    """Mixtral: every layer is a mixture of full-width experts, full cache."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "intermediate_size")
    expert_count = whole(keys, "num_local_experts")
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers)
    moe_ffn(tensors, width, expert_width, expert_count, layers)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in layers],
        tensors=tensors,
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count),
        expert_ffn_width=expert_width,
    )


@reader("qwen3_moe")
def read_qwen3_moe(source: ArchitectureSource) -> Architecture:
    """Qwen 3 MoE: norms on the heads, no shared expert; `mlp_only_layers` would be dense."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "moe_intermediate_size")
    expert_count = whole(keys, "num_experts")
    step = whole(keys, "decoder_sparse_step", 1)
    only_dense = keys.numbers("mlp_only_layers") if keys.has("mlp_only_layers") else []
    tied = keys.flag("tie_word_embeddings", False)
    bias = keys.flag("attention_bias", False)
    shape = attention_shape(keys)
    sparse = [layer not in only_dense and (layer + 1) % step == 0 for layer in layers]
    dense = layers_where([not is_sparse for is_sparse in sparse])
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers, qkv_bias=bias, output_bias=bias, qk_norm="head")
    dense_width = whole(keys, "intermediate_size") if dense else 0.0
    if dense:
        dense_ffn(tensors, width, dense_width, dense)
    moe_ffn(tensors, width, expert_width, expert_count, layers_where(sparse))
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in layers],
        tensors=tensors,
        dense_ffn_width=dense_width,
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count),
        expert_ffn_width=expert_width,
    )
