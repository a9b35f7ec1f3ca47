"""GLM-4 (dense, sandwich norms) and GLM-4.5 (experts, one prediction layer in the file)."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import dense_ffn as dense_ffn_block
from vramsite.catalog.architectures.blocks import (
    embeddings,
    gqa_attention,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    AttentionShape,
    assemble,
    attention_shape,
    every_layer,
    layers_after,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture


@reader("glm4")
def dense(source: ArchitectureSource) -> Architecture:
    """Four norms a layer; gate and up projections are one tensor in checkpoint and GGUF."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    ffn_width = whole(keys, "intermediate_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    every = every_layer(whole(keys, "num_hidden_layers"))
    shape = attention_shape(keys)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    gqa_attention(tensors, width, shape, every, qkv_bias=keys.flag("attention_bias", False))
    tensors.matrix("ffn_up", "dense_ffn", width, 2 * ffn_width, layers=every)
    tensors.matrix("ffn_down", "dense_ffn", ffn_width, width, layers=every)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in every],
        tensors=tensors,
        dense_ffn_width=ffn_width,
    )


@reader("glm4_moe")
def experts(source: ArchitectureSource) -> Architecture:
    """Leading dense layers, then experts; the prediction layer has its own embedding and head."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    dense_layers = whole(keys, "first_k_dense_replace", 0.0, least=0.0)
    if dense_layers > layer_count:
        raise ArchitectureError(
            f"{keys.path}.first_k_dense_replace",
            f"is {dense_layers:g}, more than num_hidden_layers {layer_count:g}",
        )
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)
    every = every_layer(layer_count)
    shape = attention_shape(keys)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    _attention(tensors, keys, width, shape, every)
    if dense_layers > 0:
        ffn_width = whole(keys, "intermediate_size")
        dense_ffn_block(tensors, width, ffn_width, every[: index(dense_layers)])
    _moe(tensors, keys, width, every[index(dense_layers) :])
    if extra_layers > 0:
        after = layers_after(layer_count, extra_layers)
        block = TensorList()
        _attention(block, keys, width, shape, after)
        _moe(block, keys, width, after)
        nextn_projection(block, width, after)
        for role in ("nextn.embed_tokens", "nextn.shared_head_head"):
            block.matrix(role, "prediction_head", width, vocabulary, layers=after)
        prediction_head(tensors, block, in_gguf=True)
    expert_width = whole(keys, "moe_intermediate_size")
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() for _ in every],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if dense_layers > 0 else 0.0,
        expert_count=whole(keys, "n_routed_experts"),
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        prediction_layers=extra_layers,
    )


def _attention(
    tensors: TensorList, keys: Keys, width: float, shape: AttentionShape, layers: list[float]
) -> None:
    norms(tensors, width, layers, "attn_norm", "post_attention_norm")
    gqa_attention(
        tensors,
        width,
        shape,
        layers,
        qkv_bias=keys.flag("attention_bias", False),
        qk_norm="head" if keys.flag("use_qk_norm", False) else "",
    )


def _moe(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
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
