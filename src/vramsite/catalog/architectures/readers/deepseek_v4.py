"""DeepSeek V4: a window of shared key-values and compressed entries beyond it, four streams.

`compress_ratios` gives a layer's attention: 0 is the window alone; 4 adds one entry for four
tokens, picked by an indexer; 128 adds one entry for 128 tokens, all of them read.
Source: llama.cpp's loader of `deepseek4` and its cache.
"""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import (
    embeddings,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.compressed import (
    CompressedShape,
    compressed_shape,
    shared_kv_attention,
)
from vramsite.catalog.architectures.hyper import hyper_connections, hyper_head
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.latent import (
    IndexerShape,
    as_converted_f32,
    indexer_shape,
)
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    every_layer,
    layers_after,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, LayerGroup

_INDEXED_RATIO = 4.0  # entries overlap: the compressor holds two windows of two halves
_RATIOS = (0.0, _INDEXED_RATIO, 128.0)


@reader("deepseek_v4")
def compressed(source: ArchitectureSource) -> Architecture:
    """Experts in every layer; the first `num_hash_layers` route by token id."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    shape = compressed_shape(keys)
    own = indexer_shape(keys)
    ratios = _ratios(keys, layer_count)
    streams = whole(keys, "hc_mult")
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    hyper_head(tensors, width, streams, "output_hc")
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    hyper_connections(tensors, width, streams, every, quantised=True)
    shared_kv_attention(tensors, width, shape, every)
    for ratio in _RATIOS[1:]:
        at = [layer for layer in every if ratios[index(layer)] == ratio]
        if at:
            _compressor(tensors, width, shape, own, ratio, at)
    hashed = min(whole(keys, "num_hash_layers", 0.0, least=0.0), layer_count)
    _experts(tensors, keys, width, every)
    _routing(tensors, keys, every, hashed)
    if extra_layers > 0:
        after = layers_after(layer_count, extra_layers)
        block = TensorList()
        norms(block, width, after, "attn_norm", "ffn_norm")
        hyper_connections(block, width, streams, after, quantised=True)
        shared_kv_attention(block, width, shape, after)
        _experts(block, keys, width, after)
        _routing(block, keys, after, 0.0)
        nextn_projection(block, width, after)
        hyper_head(block, width, streams, "nextn.hc_head", after)
        prediction_head(tensors, block, in_gguf=False)
    expert_width = whole(keys, "moe_intermediate_size")
    top_k = whole(keys, "index_topk", 0.0, least=0.0)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.heads,
        layers=[_group(shape, own, ratio, top_k) for ratio in ratios],
        tensors=tensors,
        expert_count=whole(keys, "n_routed_experts"),
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        prediction_layers=extra_layers,
    )


def _ratios(keys: Keys, layer_count: float) -> list[float]:
    """One ratio a layer; the released list goes on with those of the prediction layers."""
    ratios = keys.numbers("compress_ratios")
    if len(ratios) < layer_count:
        raise ArchitectureError(
            f"{keys.path}.compress_ratios",
            f"has {len(ratios)} entries for {layer_count:g} layers",
        )
    for place, ratio in enumerate(ratios):
        if ratio not in _RATIOS:
            raise ArchitectureError(
                f"{keys.path}.compress_ratios[{place}]", f"is {ratio:g}; known are 0, 4 and 128"
            )
    return ratios[: index(layer_count)]


def _halves(ratio: float) -> float:
    return 2.0 if ratio == _INDEXED_RATIO else 1.0


def _compressor(
    tensors: TensorList,
    width: float,
    shape: CompressedShape,
    own: IndexerShape,
    ratio: float,
    layers: list[float],
) -> None:
    """Projection and pooling gate of the entries, positions within one, and the indexer's own."""
    parts = [("attn_compressor", shape.head_size, "attention")]
    if ratio == _INDEXED_RATIO:
        parts.append(("indexer_compressor", own.head_size, "indexer"))
        tensors.matrix("indexer.proj", "indexer", width, own.heads, layers=layers)
        as_converted_f32(tensors)
        rows = own.heads * own.head_size
        tensors.matrix("indexer.attn_q_b", "indexer", shape.q_lora_rank, rows, layers=layers)
    for prefix, head_size, tensor_class in parts:
        rows = _halves(ratio) * head_size
        tensors.matrix(f"{prefix}_kv", tensor_class, width, rows, layers=layers)
        tensors.matrix(f"{prefix}_gate", tensor_class, width, rows, layers=layers)
        tensors.matrix(f"{prefix}_ape", tensor_class, rows, ratio, layers=layers)
        as_converted_f32(tensors)
        tensors.vector(f"{prefix}_norm", "norm", head_size, layers=layers)


def _group(shape: CompressedShape, own: IndexerShape, ratio: float, top_k: float) -> LayerGroup:
    """What llama.cpp keeps: the window, the entries, index keys, and the compressors' inputs.

    A compressor keeps projection and gate of the tokens that an entry pools, in F32: as many as
    the ratio, or for overlapping entries two windows of both halves.
    """
    if ratio == 0:
        return shape.group()
    halves = _halves(ratio)
    held = 2 * ratio * halves * halves
    indexed = ratio == _INDEXED_RATIO
    return shape.group(
        tokens_per_entry=ratio,
        compressor_elements=held * (shape.head_size + (own.head_size if indexed else 0.0)),
        index_k_width=own.head_size if indexed else 0.0,
        selected_entries=top_k if indexed else 0.0,
    )


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    expert_width = whole(keys, "moe_intermediate_size")
    moe_ffn(
        tensors,
        width,
        expert_width,
        whole(keys, "n_routed_experts"),
        layers,
        shared_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
    )


def _routing(tensors: TensorList, keys: Keys, layers: list[float], hashed: float) -> None:
    """Hash layers look experts up by token id; the others add a bias to the router's choice."""
    by_token = [layer for layer in layers if layer < hashed]
    scored = [layer for layer in layers if layer >= hashed]
    if by_token:
        tensors.matrix(
            "ffn_gate_tid2eid",
            "router",
            whole(keys, "num_experts_per_tok"),
            whole(keys, "vocab_size"),
            layers=by_token,
            fixed_type="I32",
        )
    if scored:
        tensors.vector("exp_probs_b.bias", "router", whole(keys, "n_routed_experts"), layers=scored)
