"""Qwen 4 (experimental): delta nets and sparse attention in hyper-connections, n-gram table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vramsite.catalog.architectures.blocks import (
    gqa_attention,
    moe_ffn,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.delta_net import delta_net, delta_net_shape, qwen_tower
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.latent import as_converted_f32
from vramsite.catalog.architectures.ngram_table import conv_state_elements, ngram_embedding
from vramsite.catalog.architectures.readers.moe import experts_used
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    AttentionShape,
    assemble,
    attention_shape,
    every_layer,
    layer_types,
    layers_after,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, LayerGroup

_SPARSE = ("full_attention", "deepseek_sparse_attention", "hybrid_indexed")


def _mixer(
    tensors: TensorList, keys: Keys, prefix: str, layers: Iterable[float], *, inject: bool
) -> None:
    """A hyper-connection: all streams are normed and mixed through a low rank to one."""
    at = list(layers)
    streams = whole(keys, "hidden_size") * whole(keys, "hc_count")
    rank = whole(keys, "hc_lowrank")
    tensors.vector(f"{prefix}_norm", "norm", streams, layers=at)
    matrices = [("down", streams, rank), ("up", rank, streams)]
    if inject:
        matrices.append(("inject", streams, whole(keys, "hc_count")))
    for name, row_width, rows in matrices:
        tensors.matrix(f"{prefix}_{name}", "other", row_width, rows, layers=at)
        as_converted_f32(tensors)


def _sparse_attention(
    tensors: TensorList, keys: Keys, shape: AttentionShape, layers: list[float]
) -> None:
    width = whole(keys, "hidden_size")
    gqa_attention(tensors, width, shape, layers, qk_norm="head", query_gate=True)
    size = whole(keys, "indexer_head_dim")
    for role, heads in (
        ("indexer.q_proj", whole(keys, "indexer_n_heads")),
        ("indexer.k_proj", whole(keys, "indexer_kv_heads", 1)),
    ):
        # quantising leaves the indexer's projections as they are
        tensors.matrix(role, "indexer", width, heads * size, layers=layers, fixed_type="F16")
    norms(tensors, size, layers, "indexer.q_norm", "indexer.k_norm")


def _halves(tensors: TensorList, keys: Keys, layers: list[float]) -> None:
    _mixer(tensors, keys, "hc_attn", layers, inject=True)
    _mixer(tensors, keys, "hc_ffn", layers, inject=True)
    moe_ffn(
        tensors,
        whole(keys, "hidden_size"),
        whole(keys, "moe_intermediate_size"),
        whole(keys, "num_experts"),
        layers,
        shared_ffn_width=whole(keys, "shared_expert_intermediate_size"),
        shared_gate=True,
        fused_gate_up=True,
    )


def _prediction(
    tensors: TensorList, keys: Keys, shape: AttentionShape, layers: list[float]
) -> None:
    width = whole(keys, "hidden_size")
    block = TensorList()
    _sparse_attention(block, keys, shape, layers)
    _halves(block, keys, layers)
    block.matrix("nextn.eh_proj", "prediction_head", 2 * width, width, layers=layers)
    norms(block, width, layers, "nextn.enorm")
    norms(block, width * whole(keys, "hc_count"), layers, "nextn.hnorm")
    _mixer(block, keys, "nextn.hc_head", layers, inject=False)
    prediction_head(tensors, block, in_gguf=False)


def _layers(
    keys: Keys, shape: AttentionShape, full: list[bool], table: list[float]
) -> list[LayerGroup]:
    # A cell of the indexer's cache holds the token's key and, side by side, the pooled one.
    pooled = whole(keys, "indexer_compress_ratio", 1) > 1
    index_width = whole(keys, "indexer_head_dim") * (2.0 if pooled else 1.0)
    sparse = replace(shape.group(), index_k_width=index_width)
    delta = delta_net_shape(keys)
    layers = []
    for place, is_full in enumerate(full):
        extra = conv_state_elements(keys) if float(place) in table else 0.0
        layers.append(sparse if is_full else delta.group(extra))
    return layers


@reader("qwen4_exp", "qwen4_exp_text")
def read_qwen4_exp(source: ArchitectureSource) -> Architecture:
    """Every `full_attention_interval`-th layer attends sparsely, the others are delta nets."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    tied = keys.flag("tie_word_embeddings", False)
    shape = attention_shape(keys)
    if keys.has("layer_types"):
        kinds = layer_types(keys, len(layers), ("linear_attention", *_SPARSE))
        full = [kind in _SPARSE for kind in kinds]
    else:
        interval = whole(keys, "full_attention_interval", 4)
        full = [(layer + 1) % interval == 0 for layer in layers]
    table: list[float] = []
    if keys.has("ple_layer_ids"):
        table = [layer - 1 for layer in keys.numbers("ple_layer_ids")]
    if any(layer not in layers or full[index(layer)] for layer in table):
        raise ArchitectureError(
            f"{keys.path}.ple_layer_ids", "must name linear attention layers, counted from 1"
        )
    tensors = TensorList()
    if source.config.has("vision_config"):
        qwen_tower(tensors, source.config.sub("vision_config"))
    tensors.matrix("token_embd", "token_embedding", width, vocabulary)
    if not tied:
        tensors.matrix("output", "output", width, vocabulary)
    _mixer(tensors, keys, "output_hc", [], inject=False)
    if table:
        ngram_embedding(tensors, keys, table)
    _sparse_attention(tensors, keys, shape, layers_where(full))
    linear = layers_where([not is_full for is_full in full])
    delta_net(tensors, width, delta_net_shape(keys), linear)
    _halves(tensors, keys, layers)
    extra = whole(keys, "mtp_num_hidden_layers", 0, least=0)
    if extra > 0:
        _prediction(tensors, keys, shape, layers_after(len(layers), extra))
    expert_count = whole(keys, "num_experts")
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.query_heads,
        layers=_layers(keys, shape, full, table),
        tensors=tensors,
        expert_count=expert_count,
        experts_used=experts_used(keys, "num_experts_per_tok", expert_count),
        expert_ffn_width=whole(keys, "moe_intermediate_size"),
        shared_expert_ffn_width=whole(keys, "shared_expert_intermediate_size"),
        prediction_layers=extra,
    )
