"""Hunyuan A13B: experts and a shared expert in every layer, norms on the heads."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import embeddings, gqa_attention, moe_ffn, norms
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    per_layer,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


def _same_in_every_layer(
    keys: Keys, key: str, layer_count: float, default: float | None = None
) -> float:
    values = per_layer(keys, key, layer_count, default)
    if any(value != values[0] for value in values):
        raise ArchitectureError(
            f"{keys.path}.{key}", "differs between layers, which this reader cannot describe"
        )
    return values[0]


@reader("hunyuan_v1_moe", "hunyuan")
def read_hunyuan_moe(source: ArchitectureSource) -> Architecture:
    """`moe_*` keys may be lists with one entry a layer."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    count = len(layers)
    dense_width = whole(keys, "intermediate_size")
    expert_width = _same_in_every_layer(keys, "moe_intermediate_size", count, dense_width)
    expert_count = whole(keys, "num_experts")
    shared = 0.0
    if keys.flag("use_mixed_mlp_moe", False):
        shared = dense_width * _same_in_every_layer(keys, "num_shared_expert", count, 1.0)
    used = _same_in_every_layer(keys, "moe_topk", count)
    if not 0 < used <= expert_count:
        raise ArchitectureError(
            f"{keys.path}.moe_topk", f"is {used:g}; there are {expert_count:g} experts"
        )
    tied = keys.flag("tie_word_embeddings", False)
    bias = keys.flag("attention_bias", False)
    head_key = "attention_head_dim" if keys.has("attention_head_dim") else "head_dim"
    shape = attention_shape(keys, head_size_key=head_key)
    norm_key = "use_qk_norm" if keys.has("use_qk_norm") else "qk_norm"
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(
        tensors,
        width,
        shape,
        layers,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="head" if keys.flag(norm_key, True) else "",
    )
    moe_ffn(tensors, width, expert_width, expert_count, layers, shared_ffn_width=shared)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in layers],
        tensors=tensors,
        expert_count=expert_count,
        experts_used=used,
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared,
    )
