"""gpt-oss: attention sinks, biases, experts trained in MXFP4, every second layer full."""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import embeddings, gqa_attention, moe_ffn, norms
from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.readers.moe import experts_used
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


def _expert_type(keys: Keys) -> str:
    # The converter passes MXFP4 blocks through; a checkpoint without them is quantised by recipe.
    if not keys.has("quantization_config"):
        return ""
    return "MXFP4" if keys.sub("quantization_config").text("quant_method", "") == "mxfp4" else ""


@reader("gpt_oss")
def read_gpt_oss(source: ArchitectureSource) -> Architecture:
    """One sink per query head, router and experts with biases."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    expert_width = whole(keys, "intermediate_size")
    expert_count = whole(keys, "num_local_experts")
    window = whole(keys, "sliding_window")
    kinds = every_nth_full(keys, len(layers), 2, "sliding_attention")
    tied = keys.flag("tie_word_embeddings", False)
    bias = keys.flag("attention_bias", True)
    shape = attention_shape(keys)
    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, layers, "attn_norm", "post_attention_norm")
    gqa_attention(tensors, width, shape, layers, qkv_bias=bias, output_bias=bias)
    tensors.vector("attn_sinks", "attention", shape.query_heads, layers=layers)
    fixed = _expert_type(source.config)
    moe_ffn(tensors, width, expert_width, expert_count, layers, fixed_type=fixed)
    tensors.vector("ffn_gate_inp.bias", "router", expert_count, layers=layers)
    for role, rows in (
        ("ffn_gate_exps.bias", expert_width),
        ("ffn_up_exps.bias", expert_width),
        ("ffn_down_exps.bias", width),
    ):
        tensors.matrix(role, "routed_experts", rows, expert_count, layers=layers, fixed_type="F32")
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
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count),
        expert_ffn_width=expert_width,
    )
