"""Gemma 2 and 3: norms before and after each part, windowed layers between full ones."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    norms,
    vision,
    vision_blocks,
)
from vramsite.catalog.architectures.keys import Keys
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


def siglip_tower(tensors: TensorList, tower: Keys, text_width: float) -> None:
    """SigLIP with biases and a learned position for each patch, then one projection to the text."""
    width = whole(tower, "hidden_size")
    patch = whole(tower, "patch_size")
    side = whole(tower, "image_size") / patch
    vision(tensors, "v.patch_embd", whole(tower, "num_channels", 3) * patch * patch, width)
    vision(tensors, "v.patch_embd.bias", width)
    vision(tensors, "v.position_embd", width, side * side)
    vision_blocks(
        tensors,
        depth=whole(tower, "num_hidden_layers"),
        width=width,
        ffn_width=whole(tower, "intermediate_size"),
    )
    vision(tensors, "v.post_ln", width, count=2)
    vision(tensors, "mm.input_projection", width, text_width)
    vision(tensors, "mm.soft_emb_norm", width)


def read_windowed(
    source: ArchitectureSource, keys: Keys, tensors: TensorList, *, interval: float, qk_norm: str
) -> Architecture:
    """The shared text decoder: every `interval`-th layer is full, the others have a window."""
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    window = whole(keys, "sliding_window")
    kinds = every_nth_full(keys, len(layers), interval, "sliding_attention")
    tied = keys.flag("tie_word_embeddings", True)
    shape = attention_shape(keys)
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    gqa_attention(tensors, width, shape, layers, qk_norm=qk_norm)
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


@reader("gemma2")
def read_gemma2(source: ArchitectureSource) -> Architecture:
    """Gemma 2: every second layer is full, no norm on the heads."""
    keys = text_keys(source.config)
    return read_windowed(source, keys, TensorList(), interval=2, qk_norm="")


@reader("gemma3", "gemma3_text")
def read_gemma3(source: ArchitectureSource) -> Architecture:
    """Gemma 3: every sixth layer is full, norms on the heads, SigLIP for images."""
    keys = text_keys(source.config)
    tensors = TensorList()
    if source.config.has("vision_config"):
        siglip_tower(tensors, source.config.sub("vision_config"), whole(keys, "hidden_size"))
    interval = whole(keys, "sliding_window_pattern", 6)
    return read_windowed(source, keys, tensors, interval=interval, qk_norm="head")
