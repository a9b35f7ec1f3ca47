"""Phi-3, Phi-3.5 and Phi-4: fused QKV and fused gate/up. llama.cpp keeps a full cache."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import embeddings, gqa_attention, norms
from vramsite.catalog.architectures.readers.dense import rope_keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    attention_shape,
    every_layer,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


@reader("phi3")
def read_phi3(source: ArchitectureSource) -> Architecture:
    """`ffn_up` holds gate and up; LongRoPE models carry two tables of factors in the GGUF."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    rope = rope_keys(keys)
    for key, role in (("long_factor", "rope_factors_long"), ("short_factor", "rope_factors_short")):
        if rope.has(key):
            tensors.vector(role, "other", float(len(rope.numbers(key))), in_checkpoint=False)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers, fused=True)
    tensors.matrix("ffn_up", "dense_ffn", width, 2 * ffn_width, layers=layers)
    tensors.matrix("ffn_down", "dense_ffn", ffn_width, width, layers=layers)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in layers],
        tensors=tensors,
        dense_ffn_width=ffn_width,
    )
