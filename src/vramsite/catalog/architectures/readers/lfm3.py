"""LFM 2-style hybrids of Liquid AI: short convolutions between full and windowed attention."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import dense_ffn, gqa_attention, norms
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    layer_types,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture, LayerGroup


@reader("lfm3")
def read_lfm3(source: ArchitectureSource) -> Architecture:
    """LFM3: a gate per head on the attention output, norms after both halves of a layer.

    A convolution layer keeps the last `conv_L_cache - 1` inputs of each sequence.
    """
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    kernel = whole(keys, "conv_L_cache", least=2)
    kinds = layer_types(keys, len(layers), ("conv", "full_attention", "sliding_attention"))
    tied = keys.flag("tie_word_embeddings", True)
    bias = keys.flag("conv_bias", False)
    shape = attention_shape(keys)
    convolutions = layers_where([kind == "conv" for kind in kinds])
    attention = layers_where([kind != "conv" for kind in kinds])
    tensors = TensorList()
    tensors.matrix("token_embd", "token_embedding", width, vocabulary)
    tensors.vector("token_embd_norm", "norm", width)  # the final norm goes by this name
    if not tied:
        tensors.matrix("output", "output", width, vocabulary)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    if keys.flag("use_sandwich_norm", True):
        norms(tensors, width, layers, "post_attention_norm", "post_ffw_norm")
    gqa_attention(tensors, width, shape, attention, qk_norm="head")
    if keys.flag("use_attention_gate", True):
        tensors.matrix("attn_gate", "attention", width, shape.query_heads, layers=attention)
    for role, row_width, rows, fixed_type in (
        ("shortconv.conv", kernel, width, "F32"),
        ("shortconv.in_proj", width, 3 * width, ""),
        ("shortconv.out_proj", width, width, ""),
    ):
        tensors.matrix(
            role, "recurrent", row_width, rows, layers=convolutions, fixed_type=fixed_type
        )
        if bias:
            tensors.vector(f"{role}.bias", "recurrent", rows, layers=convolutions)
    dense_ffn(tensors, width, ffn_width, layers)
    convolution = LayerGroup(kind="recurrent", count=1.0, conv_elements=(kernel - 1) * width)
    window = shape.group("window", window_tokens=whole(keys, "sliding_window"))
    others = [shape.group() if kind == "full_attention" else window for kind in kinds]
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[
            convolution if kind == "conv" else other
            for kind, other in zip(kinds, others, strict=True)
        ],
        tensors=tensors,
        dense_ffn_width=ffn_width,
    )
