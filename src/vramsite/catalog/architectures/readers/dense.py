"""Decoders of the Llama shape: grouped-query attention and a gated feed-forward in every layer.

llama.cpp keeps a full cache for all of them, whatever `sliding_window` says.
"""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import dense_ffn, embeddings, gqa_attention, norms
from vramsite.catalog.architectures.keys import Keys, no_keys
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


def rope_keys(keys: Keys) -> Keys:
    """The rotary settings: `rope_scaling`, or `rope_parameters` in newer files."""
    for key in ("rope_scaling", "rope_parameters"):
        if keys.has(key):
            return keys.sub(key)
    return no_keys(f"{keys.path}.rope_scaling")


def rope_frequencies(tensors: TensorList, keys: Keys, head_size: float) -> None:
    """Llama-3 scaling is written out as one frequency factor for each pair of dimensions."""
    rope = rope_keys(keys)
    if rope.text("rope_type", rope.text("type", "")) == "llama3":
        tensors.vector("rope_freqs", "other", head_size / 2, in_checkpoint=False)


def dense_decoder(
    source: ArchitectureSource,
    keys: Keys,
    tensors: TensorList,
    *,
    qkv_bias: bool = False,
    output_bias: bool = False,
    ffn_bias: bool = False,
    qk_norm: str = "",
) -> Architecture:
    """Add the text tensors of a plain decoder and describe its layers."""
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(
        tensors,
        width,
        shape,
        layers,
        qkv_bias=qkv_bias,
        output_bias=output_bias,
        qk_norm=qk_norm,
    )
    dense_ffn(tensors, width, ffn_width, layers, bias=ffn_bias)
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


@reader("llama", "mistral")
def read_llama(source: ArchitectureSource) -> Architecture:
    """Llama 2 and 3, Mistral text models, MiniCPM 5: optional biases, no norm on the heads."""
    keys = text_keys(source.config)
    tensors = TensorList()
    rope_frequencies(tensors, keys, attention_shape(keys).k_head_size)
    bias = keys.flag("attention_bias", False)
    return dense_decoder(
        source,
        keys,
        tensors,
        qkv_bias=bias,
        output_bias=bias,
        ffn_bias=keys.flag("mlp_bias", False),
    )


@reader("qwen2")
def read_qwen2(source: ArchitectureSource) -> Architecture:
    """Qwen 2 and 2.5: biases on Q, K and V only."""
    return dense_decoder(source, text_keys(source.config), TensorList(), qkv_bias=True)


@reader("qwen3")
def read_qwen3(source: ArchitectureSource) -> Architecture:
    """Qwen 3: a norm on each query and key head instead of biases."""
    keys = text_keys(source.config)
    bias = keys.flag("attention_bias", False)
    return dense_decoder(
        source, keys, TensorList(), qkv_bias=bias, output_bias=bias, qk_norm="head"
    )
