"""Qwen 3 Next and Qwen 3.5/3.6/3.8: gated delta net layers, every fourth one full attention."""

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
from vramsite.catalog.architectures.delta_net import delta_net, delta_net_shape, qwen_tower
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.readers.moe import experts_used
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    AttentionShape,
    assemble,
    attention_shape,
    every_layer,
    every_nth_full,
    layers_after,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture


def _feed_forward(tensors: TensorList, keys: Keys, layers: list[float], *, sparse: bool) -> None:
    width = whole(keys, "hidden_size")
    if sparse:
        moe_ffn(
            tensors,
            width,
            whole(keys, "moe_intermediate_size"),
            whole(keys, "num_experts"),
            layers,
            shared_ffn_width=whole(keys, "shared_expert_intermediate_size"),
            shared_gate=True,
            fused_gate_up=True,
        )
    else:
        dense_ffn(tensors, width, whole(keys, "intermediate_size"), layers)


def _prediction_layers(
    tensors: TensorList, keys: Keys, shape: AttentionShape, layers: list[float], *, sparse: bool
) -> None:
    # Published files leave the MTP block out or ship it apart; it is a full-attention layer.
    width = whole(keys, "hidden_size")
    block = TensorList()
    norms(block, width, layers, "attn_norm", "post_attention_norm")
    gqa_attention(block, width, shape, layers, qk_norm="head", query_gate=True)
    _feed_forward(block, keys, layers, sparse=sparse)
    nextn_projection(block, width, layers)
    prediction_head(tensors, block, in_gguf=False)


def read_hybrid(
    source: ArchitectureSource,
    keys: Keys,
    tensors: TensorList,
    *,
    sparse: bool,
    joined_beta_alpha: bool = False,
) -> Architecture:
    """The shared decoder; `sparse` layers have experts and a gated shared expert."""
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    interval = whole(keys, "full_attention_interval", 4)
    kinds = every_nth_full(keys, len(layers), interval, "linear_attention")
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    delta = delta_net_shape(keys)
    full = [kind == "full_attention" for kind in kinds]
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "post_attention_norm")
    gqa_attention(tensors, width, shape, layers_where(full), qk_norm="head", query_gate=True)
    linear = layers_where([not is_full for is_full in full])
    delta_net(tensors, width, delta, linear, joined_beta_alpha=joined_beta_alpha)
    _feed_forward(tensors, keys, layers, sparse=sparse)
    extra = whole(keys, "mtp_num_hidden_layers", 0, least=0)
    if extra > 0:
        behind = layers_after(len(layers), extra)
        _prediction_layers(tensors, keys, shape, behind, sparse=sparse)
    expert_count = whole(keys, "num_experts") if sparse else 0.0
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=[shape.group() if is_full else delta.group() for is_full in full],
        tensors=tensors,
        dense_ffn_width=0.0 if sparse else whole(keys, "intermediate_size"),
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count) if sparse else 0.0,
        expert_ffn_width=whole(keys, "moe_intermediate_size") if sparse else 0.0,
        shared_expert_ffn_width=(whole(keys, "shared_expert_intermediate_size") if sparse else 0.0),
        prediction_layers=extra,
    )


def _with_tower(source: ArchitectureSource, *, sparse: bool) -> Architecture:
    tensors = TensorList()
    if source.config.has("vision_config"):
        qwen_tower(tensors, source.config.sub("vision_config"))
    return read_hybrid(source, text_keys(source.config), tensors, sparse=sparse)


@reader("qwen3_next")
def read_qwen3_next(source: ArchitectureSource) -> Architecture:
    """Qwen 3 Next and Qwen 3 Coder Next: experts in every layer, text only."""
    return read_hybrid(
        source, text_keys(source.config), TensorList(), sparse=True, joined_beta_alpha=True
    )


@reader("qwen3_5", "qwen3_5_text")
def read_qwen3_5(source: ArchitectureSource) -> Architecture:
    """Dense Qwen 3.5, 3.6 and 3.8."""
    return _with_tower(source, sparse=False)


@reader("qwen3_5_moe", "qwen3_5_moe_text")
def read_qwen3_5_moe(source: ArchitectureSource) -> Architecture:
    """Qwen 3.5, 3.6 and 3.8 with experts."""
    return _with_tower(source, sparse=True)
