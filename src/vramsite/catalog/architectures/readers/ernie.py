"""ERNIE 4.5 MoE: dense layers first, then experts chosen with a correction bias."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.readers.moe import experts_used
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    AttentionShape,
    assemble,
    attention_shape,
    every_layer,
    layers_after,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


def _prediction_layers(
    tensors: TensorList, keys: Keys, shape: AttentionShape, layers: list[float]
) -> None:
    # Dense layers behind a projection of the hidden state and the next token's embedding; two
    # norms before that, none after. The converter leaves them out.
    width = whole(keys, "hidden_size")
    block = TensorList()
    norms(block, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(block, width, shape, layers)
    dense_ffn(block, width, whole(keys, "intermediate_size"), layers)
    nextn_projection(block, width, layers, head_norm=False)
    prediction_head(tensors, block, in_gguf=False)


@reader("ernie4_5_moe")
def read_ernie_moe(source: ArchitectureSource) -> Architecture:
    """Layers `moe_layer_start_index` to `moe_layer_end_index`, both included, have experts."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "moe_intermediate_size")
    expert_count = whole(keys, "moe_num_experts")
    first = whole(keys, "moe_layer_start_index", 1, least=0)
    last = whole(keys, "moe_layer_end_index", len(layers) - 1)
    step = whole(keys, "moe_layer_interval", 1)
    shared = expert_width * whole(keys, "moe_num_shared_experts", 0, least=0)
    tied = keys.flag("tie_word_embeddings", True)
    bias = keys.flag("use_bias", False)
    shape = attention_shape(keys)
    sparse = [first <= layer <= last and (layer + 1) % step == 0 for layer in layers]
    dense = layers_where([not is_sparse for is_sparse in sparse])
    dense_width = whole(keys, "intermediate_size") if dense else 0.0
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers, qkv_bias=bias, output_bias=bias)
    if dense:
        dense_ffn(tensors, width, dense_width, dense)
    moe_ffn(
        tensors,
        width,
        expert_width,
        expert_count,
        layers_where(sparse),
        shared_ffn_width=shared,
        selection_bias=True,
    )
    extra = whole(keys, "num_nextn_predict_layers", 0, least=0)
    if extra > 0:
        behind = layers_after(len(layers), extra)
        _prediction_layers(tensors, keys, shape, behind)
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
        experts_used=experts_used(keys, "moe_k", expert_count),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared,
        prediction_layers=extra,
    )
