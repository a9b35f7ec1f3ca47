"""DeepSeek V4.1: four layers feed the long context of all others, n-gram tables beside them.

Only the layers of `kv_source_layer_ids` pool entries (and index keys); later layers read theirs.
The layers of `index_source_layer_ids` pick entries. Source: the checkpoint's tensor names and
shapes; llama.cpp does not run this architecture, its names are those of its loader.
"""

from __future__ import annotations

from vramsite.catalog.architectures.blocks import embeddings, moe_ffn, norms, vision
from vramsite.catalog.architectures.blocks import prediction_head as as_prediction_head
from vramsite.catalog.architectures.compressed import (
    CompressedShape,
    compressed_shape,
    shared_kv_attention,
)
from vramsite.catalog.architectures.hyper import hyper_connections
from vramsite.catalog.architectures.keys import ArchitectureError, Keys, no_keys
from vramsite.catalog.architectures.latent import IndexerShape, as_converted_f32, indexer_shape
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


@reader("deepseek_v41")
def shared_sources(source: ArchitectureSource) -> Architecture:
    """Experts in every layer, no dense one; three draft stages in the checkpoint."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    shape = compressed_shape(keys)
    own = indexer_shape(keys)
    streams = whole(keys, "hc_mult")
    ratios = _ratios(keys, layer_count)
    sources = _ids(keys, "kv_source_layer_ids", layer_count)
    expert_width = whole(keys, "moe_intermediate_size")
    experts = whole(keys, "n_routed_experts")

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    _block(tensors, keys, width, shape, streams, every, experts)
    for at in sources:
        if ratios[index(at)] <= 0.0:
            raise ArchitectureError(
                f"{keys.path}.kv_source_layer_ids", f"names layer {at:g}, which pools nothing"
            )
        _compressor(tensors, width, shape, own, ratios[index(at)], at)
    pickers = _ids(keys, "index_source_layer_ids", layer_count)
    rows = own.heads * own.head_size
    tensors.matrix("indexer.attn_q_b", "indexer", shape.q_lora_rank, rows, layers=pickers)
    tensors.matrix("indexer.proj", "indexer", width, own.heads, layers=pickers)
    as_converted_f32(tensors)
    _engrams(tensors, keys, width, streams, layer_count)
    stages = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)
    if stages > 0:
        _draft(tensors, keys, width, vocabulary, shape, streams, layer_count, stages)
    config = source.config
    tower = config.sub("vision_config") if config.has("vision_config") else no_keys()
    _vision_tower(tensors, tower, width)
    top_k = whole(keys, "index_topk", 0.0, least=0.0)
    groups = [_group(shape, own, ratios[index(at)], at in sources, top_k) for at in every]
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.heads,
        layers=groups,
        tensors=tensors,
        expert_count=experts,
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        prediction_layers=stages,
    )


def _ratios(keys: Keys, layer_count: float) -> list[float]:
    ratios = keys.numbers("compress_ratios")
    if len(ratios) < layer_count:
        raise ArchitectureError(
            f"{keys.path}.compress_ratios",
            f"has {len(ratios)} entries for {layer_count:g} layers",
        )
    return ratios[: index(layer_count)]


def _ids(keys: Keys, key: str, layer_count: float) -> list[float]:
    ids = keys.numbers(key)
    for place, layer in enumerate(ids):
        if layer >= layer_count:
            raise ArchitectureError(
                f"{keys.path}.{key}[{place}]", f"is {layer:g}; there are {layer_count:g} layers"
            )
    return ids


def _block(
    tensors: TensorList,
    keys: Keys,
    width: float,
    shape: CompressedShape,
    streams: float,
    layers: list[float],
    experts: float,
) -> None:
    """What every layer and every draft stage has."""
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    hyper_connections(tensors, width, streams, layers, quantised=True)
    shared_kv_attention(tensors, width, shape, layers)
    expert_width = whole(keys, "moe_intermediate_size")
    moe_ffn(
        tensors,
        width,
        expert_width,
        experts,
        layers,
        shared_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        selection_bias=True,
    )
    # Image tokens choose their experts with a bias of their own.
    tensors.vector("exp_probs_b_vl.bias", "router", experts, layers=layers)


def _compressor(
    tensors: TensorList,
    width: float,
    shape: CompressedShape,
    own: IndexerShape,
    ratio: float,
    layer: float,
) -> None:
    """Entries of this layer, and the index keys made from them; no gate where nothing pools."""
    at = [layer]
    tensors.matrix("attn_compressor_kv", "attention", width, shape.head_size, layers=at)
    if ratio > 1:
        tensors.matrix("attn_compressor_gate", "attention", width, shape.head_size, layers=at)
    tensors.vector("attn_compressor_norm", "norm", shape.head_size, layers=at)
    tensors.matrix("indexer.attn_k", "indexer", shape.head_size, own.head_size, layers=at)
    tensors.vector("indexer.k_norm", "indexer", own.head_size, layers=at)


def _engrams(
    tensors: TensorList, keys: Keys, width: float, streams: float, layer_count: float
) -> None:
    """Tables looked up by token n-gram, and what mixes their rows into the streams."""
    if not keys.has("engram_layer_ids"):
        return
    layers = _ids(keys, "engram_layer_ids", layer_count)
    table_rows = keys.numbers("engram_num_embeddings", len(layers))
    row_width = whole(keys, "engram_head_dim")
    columns = (whole(keys, "engram_max_ngram_size") - 1) * whole(keys, "engram_n_heads")
    for layer, rows in zip(layers, table_rows, strict=True):
        tensors.matrix("engram_embd", "per_layer_embedding", row_width, rows, layers=[layer])
    inputs = columns * row_width
    tensors.matrix("engram_wkv", "other", inputs, width * (streams + 1), layers=layers)
    for role in ("engram_q", "engram_k"):
        tensors.matrix(role, "other", width, streams, layers=layers, fixed_type="F32")


def _draft(
    tensors: TensorList,
    keys: Keys,
    width: float,
    vocabulary: float,
    shape: CompressedShape,
    streams: float,
    layer_count: float,
    stages: float,
) -> None:
    """Draft stages with fewer experts; the first joins target layers, the last has the heads."""
    after = layers_after(layer_count, stages)
    block = TensorList()
    experts = whole(keys, "dspark_n_routed_experts")
    _block(block, keys, width, shape, streams, after, experts)
    taps = float(len(keys.numbers("dspark_target_layer_ids")))
    rank = whole(keys, "dspark_markov_rank")
    first, last = after[:1], after[-1:]
    block.matrix("nextn.main_proj", "prediction_head", taps * width, width, layers=first)
    block.vector("nextn.main_norm", "prediction_head", width, layers=first)
    for role in ("nextn.markov_embd", "nextn.markov_head"):
        block.matrix(role, "prediction_head", rank, vocabulary, layers=last)
    block.vector("nextn.confidence", "prediction_head", width + rank, layers=last)
    block.vector("nextn.norm", "prediction_head", width, layers=last)
    as_prediction_head(tensors, block, in_gguf=False)


def _group(
    shape: CompressedShape, own: IndexerShape, ratio: float, is_source: bool, top_k: float
) -> LayerGroup:
    """A window in every layer; entries and index keys only where the layer is a source."""
    if not is_source:
        return shape.group()
    return shape.group(
        tokens_per_entry=ratio,
        index_k_width=own.head_size,
        selected_entries=top_k,
    )


def _vision_tower(tensors: TensorList, keys: Keys, text_width: float) -> None:
    """A gated vision transformer and an aligner of `downsample_ratio` squared patches.

    The defaults are those of the released configuration; with them all tensors together have the
    published number of parameters.
    """
    width = whole(keys, "hidden_size", 1024.0)
    depth = whole(keys, "num_hidden_layers", 32.0)
    ffn_width = whole(keys, "intermediate_size", 2816.0)
    patch = whole(keys, "patch_size", 14.0)
    merge = whole(keys, "downsample_ratio", 3.0)
    vision(tensors, "v.patch_embd", patch * patch * 3, width)
    vision(tensors, "v.patch_embd.bias", width)
    vision(tensors, "v.attn", width, width, count=4 * depth)
    vision(tensors, "v.attn.bias", width, count=4 * depth)
    vision(tensors, "v.ffn", width, ffn_width, count=3 * depth)
    vision(tensors, "v.norm", width, count=2 * depth)
    vision(tensors, "v.post_norm", width)
    vision(tensors, "mm.1", width * merge * merge, text_width)
    vision(tensors, "mm.2", text_width, text_width)
    vision(tensors, "mm.bias", text_width, count=2)
    vision(tensors, "mm.span", text_width, count=3)
