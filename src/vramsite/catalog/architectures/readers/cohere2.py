"""Command A and Command R7B: attention and feed-forward side by side behind one norm."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import dense_ffn, embeddings, gqa_attention, norms
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    every_nth_full,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


@reader("cohere2")
def read_cohere2(source: ArchitectureSource) -> Architecture:
    """Every fourth layer is full (without positions), the others have a window."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    window = whole(keys, "sliding_window")
    interval = whole(keys, "sliding_window_pattern", 4)
    kinds = every_nth_full(keys, len(layers), interval, "sliding_attention")
    tied = keys.flag("tie_word_embeddings", True)
    bias = keys.flag("attention_bias", False)
    shape = attention_shape(keys)
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm")
    gqa_attention(tensors, width, shape, layers, qkv_bias=bias, output_bias=bias)
    dense_ffn(tensors, width, ffn_width, layers)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[
            shape.group()
            if kind == "full_attention"
            else shape.group("window", window_tokens=window)
            for kind in kinds
        ],
        tensors=tensors,
        dense_ffn_width=ffn_width,
    )
