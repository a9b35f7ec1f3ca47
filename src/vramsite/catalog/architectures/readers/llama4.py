"""Llama 4: a routed and a shared expert, attention in chunks with every fourth layer global."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    norms,
    vision,
    vision_blocks,
)
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.readers.dense import rope_frequencies
from vramsite.catalog.architectures.readers.moe import experts_used
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


def llama4_tower(tensors: TensorList, tower: Keys, text_width: float) -> None:
    """ViT with biases and a class token, a two-layer pixel-shuffle adapter, one projection."""
    width = whole(tower, "hidden_size")
    patch = whole(tower, "patch_size")
    side = whole(tower, "image_size") / patch
    out = whole(tower, "vision_output_dim")
    ratio = tower.number("pixel_shuffle_ratio", 0.5)
    vision(tensors, "v.patch_embd", whole(tower, "num_channels", 3) * patch * patch, width)
    vision(tensors, "v.class_embd", width)
    vision(tensors, "v.position_embd", width, side * side + 1)
    vision_blocks(
        tensors,
        depth=whole(tower, "num_hidden_layers"),
        width=width,
        ffn_width=whole(tower, "intermediate_size"),
    )
    vision(tensors, "v.pre_ln", width, count=2)
    vision(tensors, "v.post_ln", width, count=2)
    inner = whole(tower, "projector_input_dim")
    vision(tensors, "mm.mlp.1", width / (ratio * ratio), inner)
    vision(tensors, "mm.mlp.2", inner, whole(tower, "projector_output_dim"))
    vision(tensors, "mm.fc", out, text_width)


@reader("llama4", "llama4_text")
def read_llama4(source: ArchitectureSource) -> Architecture:
    """Chunked layers are cached as a window of `attention_chunk_size` tokens by llama.cpp."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "intermediate_size")
    expert_count = whole(keys, "num_local_experts")
    step = whole(keys, "interleave_moe_layer_step", 1)
    interval = whole(keys, "no_rope_layer_interval", 4)
    chunk = whole(keys, "attention_chunk_size", 8192)
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    sparse = [(layer + 1) % step == 0 for layer in layers]
    dense = layers_where([not is_sparse for is_sparse in sparse])
    tensors = TensorList()
    if source.config.has("vision_config"):
        llama4_tower(tensors, source.config.sub("vision_config"), width)
    embeddings(tensors, width, vocabulary, tied=tied)
    rope_frequencies(tensors, keys, shape.k_head_size)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers)
    dense_width = whole(keys, "intermediate_size_mlp") if dense else 0.0
    if dense:
        dense_ffn(tensors, width, dense_width, dense)
    moe_ffn(
        tensors,
        width,
        expert_width,
        expert_count,
        layers_where(sparse),
        shared_ffn_width=expert_width,
    )
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[
            shape.group()
            if (layer + 1) % interval == 0
            else shape.group("chunked", window_tokens=chunk)
            for layer in layers
        ],
        tensors=tensors,
        dense_ffn_width=dense_width,
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width,
    )
