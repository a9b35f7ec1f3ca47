"""Step 3.5 and 3.7 Flash, Step 4 (Step-5 Preview): sliding and full attention, gated per head."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
    vision,
    vision_blocks,
)
from vramsite.catalog.architectures.json_value import shown, whole_number
from vramsite.catalog.architectures.keys import ArchitectureError, Keys, no_keys
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attention:
    full: AttentionShape
    sliding: AttentionShape
    is_sliding: list[bool]
    window_tokens: float
    gated: bool


@reader("step3p5")
def text_only(source: ArchitectureSource) -> Architecture:
    """The language model alone."""
    tensors = TensorList()
    return _read(source, tensors)


@reader("step3p7")
def with_vision(source: ArchitectureSource) -> Architecture:
    """The same language model behind a perception encoder."""
    tensors = TensorList()
    architecture = _read(source, tensors)
    config = source.config
    tower = config.sub("vision_config") if config.has("vision_config") else no_keys()
    _perception_encoder(tensors, tower, architecture.embedding_width)
    return architecture


@reader("step4", "step3p5v")
def sparse_text(source: ArchitectureSource) -> Architecture:
    """The language model with an indexer in its full-attention layers.

    The vision tower is left out: the published total does not fit the encoder of Step 3.7, and
    no other shape of it is known.
    """
    return _read(source, TensorList())


def _read(source: ArchitectureSource, tensors: TensorList) -> Architecture:
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    attention = _attention(keys, layer_count)
    routed = _expert_layers(keys, layer_count)
    expert_width = whole(keys, "moe_intermediate_size")
    experts = whole(keys, "moe_num_experts")
    shared_width = whole(keys, "share_expert_dim", 0.0, least=0.0)
    ffn_width = whole(keys, "intermediate_size")
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)

    embeddings(tensors, width, vocabulary, tied=tied)
    # Frequency factors of the scaled rotary embedding: made by the converter, one a pair.
    tensors.vector("rope_freqs", "other", attention.full.k_head_size / 2, in_checkpoint=False)
    _layers(tensors, width, attention.full, attention, _not(attention.is_sliding))
    _layers(tensors, width, attention.sliding, attention, layers_where(attention.is_sliding))
    if keys.has("sparse_config"):
        _indexer(tensors, keys.sub("sparse_config"), width, attention)
    dense_ffn(tensors, width, ffn_width, [at for at in every if at not in routed])
    moe_ffn(
        tensors,
        width,
        expert_width,
        experts,
        routed,
        shared_ffn_width=shared_width,
        selection_bias=True,
    )
    if extra_layers > 0:
        after = layers_after(layer_count, extra_layers)
        block = TensorList()
        _layers(block, width, attention.sliding, attention, after)
        dense_ffn(block, width, ffn_width, after)
        nextn_projection(block, width, after)
        block.matrix("nextn.shared_head_head", "prediction_head", width, vocabulary, layers=after)
        prediction_head(tensors, block, in_gguf=False)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=max(attention.full.query_heads, attention.sliding.query_heads),
        layers=[_group(keys, attention, sliding) for sliding in attention.is_sliding],
        tensors=tensors,
        dense_ffn_width=ffn_width,
        expert_count=experts,
        experts_used=whole(keys, "moe_top_k"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared_width,
        prediction_layers=extra_layers,
    )


def _attention(keys: Keys, layer_count: float) -> _Attention:
    """`attention_other_setting` holds the head counts of the sliding layers where they differ."""
    full = attention_shape(keys, kv_heads_key="num_attention_groups")
    sliding = full
    if keys.has("attention_other_setting"):
        other = keys.sub("attention_other_setting")
        sliding = attention_shape(other, kv_heads_key="num_attention_groups")
    # A released config lists the prediction layers behind the others.
    names = keys.texts("layer_types")
    trimmed = keys.with_texts("layer_types", names[: index(layer_count)])
    kinds = layer_types(trimmed, layer_count, ("full_attention", "sliding_attention"))
    return _Attention(
        full=full,
        sliding=sliding,
        is_sliding=[kind == "sliding_attention" for kind in kinds],
        window_tokens=whole(keys, "sliding_window"),
        gated=keys.flag("use_head_wise_attn_gate", False),
    )


def _group(keys: Keys, attention: _Attention, sliding: bool) -> LayerGroup:
    """A sparse layer keeps one index key for each region, and reads the regions it selects."""
    if sliding:
        return attention.sliding.group("window", window_tokens=attention.window_tokens)
    full = attention.full.group()
    if not keys.has("sparse_config"):
        return full
    sparse = keys.sub("sparse_config")
    region = whole(sparse, "region_block_size")
    return replace(
        full,
        index_k_width=whole(sparse, "num_k_heads", 1.0) * whole(sparse, "proxy_dim"),
        index_tokens_per_entry=region,
        selected_entries=whole(sparse, "topk") * region,
    )


def _indexer(tensors: TensorList, sparse: Keys, width: float, attention: _Attention) -> None:
    """Proxy queries and keys, head weights, the pooled key, and a softmax scale for each head."""
    layers = _not(attention.is_sliding)
    size = whole(sparse, "proxy_dim")
    heads = whole(sparse, "sparse_indexer_num_heads")
    key_width = whole(sparse, "num_k_heads", 1.0) * size
    for role, rows in (
        ("indexer.attn_q", heads * size),
        ("indexer.attn_k", key_width),
        ("indexer.attn_z", key_width),
        ("indexer.proj", heads),
    ):
        tensors.matrix(role, "indexer", width, rows, layers=layers)
    for role in ("indexer.q_norm", "indexer.k_norm", "indexer.k_norm.bias"):
        tensors.vector(role, "indexer", size, layers=layers)
    tensors.vector("indexer.ssmax_s", "indexer", attention.full.query_heads, layers=layers)


def _not(flags: list[bool]) -> list[float]:
    return layers_where([not flag for flag in flags])


def _layers(
    tensors: TensorList,
    width: float,
    shape: AttentionShape,
    attention: _Attention,
    layers: list[float],
) -> None:
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    gqa_attention(tensors, width, shape, layers, qk_norm="head")
    if attention.gated:
        tensors.matrix("attn_gate", "attention", width, shape.query_heads, layers=layers)


def _expert_layers(keys: Keys, layer_count: float) -> list[float]:
    """`moe_layers_enum`: indices separated by commas, or a range "first..last"."""
    text = keys.text("moe_layers_enum")
    is_range = ".." in text
    numbers: list[float] = []
    for part in text.split(".." if is_range else ","):
        number = whole_number(part)
        if number is None:
            message = f"is {shown(text)}; indices or a range are needed"
            raise ArchitectureError(f"{keys.path}.moe_layers_enum", message)
        numbers.append(number)
    layers = numbers
    if is_range and len(numbers) == 2:
        layers = [at for at in every_layer(layer_count) if numbers[0] <= at <= numbers[1]]
    if len(layers) == 0 or min(numbers) < 0 or max(numbers) >= layer_count:
        raise ArchitectureError(
            f"{keys.path}.moe_layers_enum",
            f"is {shown(text)}, outside the {layer_count:g} layers of num_hidden_layers",
        )
    return layers


def _perception_encoder(tensors: TensorList, keys: Keys, text_width: float) -> None:
    """A vision transformer with layer scales, two strided convolutions and a projection.

    Where config.json has no `vision_config`, its defaults are those of the published encoder
    (PE-lang G14, 47 layers), whose parameters add up to the published total.
    """
    width = whole(keys, "width", 1536.0)
    depth = whole(keys, "layers", 47.0)
    ffn_width = whole(keys, "intermediate_size", 8960.0)
    patch = whole(keys, "patch_size", 14.0)
    grid = whole(keys, "image_size", 728.0) / patch
    vision(tensors, "v.patch_embd", patch * patch * 3, width)
    vision(tensors, "v.position_embd", width, grid * grid)
    vision(tensors, "v.pre_norm", width, count=2)
    # Two LayerNorms with their biases, and a scale on the output of each half.
    vision_blocks(tensors, depth=depth, width=width, ffn_width=ffn_width, norm_vectors=[width] * 6)
    for step in (1.0, 2.0):
        vision(tensors, "v.downsample", width * step * 9, width * step * 2)
        vision(tensors, "v.downsample.bias", width * step * 2)
    vision(tensors, "mm.projector", width * 4, text_width)
