"""DeepSeek V3, V3.2, Kimi K2, GLM-4.7-Flash, GLM-5: latent attention, mixture of experts."""

from __future__ import annotations

from dataclasses import replace

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    moe_ffn,
    nextn_projection,
    norms,
    prediction_head,
)
from vramsite.catalog.architectures.json_value import shown
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.latent import (
    IndexerShape,
    LatentShape,
    indexer,
    indexer_shape,
    join_gate_and_up,
    latent_attention,
    latent_shape,
)
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    assemble,
    every_layer,
    layers_after,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture

_ALWAYS_LOADED = ("indexer.k_norm", "indexer.k_norm.bias")


@reader("deepseek_v3", "kimi_k2", "glm4_moe_lite")
def dense_attention(source: ArchitectureSource) -> Architecture:
    """Every token attends to all others. llama.cpp's `deepseek2` joins gate and up of experts."""
    return _read(source, has_indexer=[], joined_experts=True)


@reader("deepseek_v32")
def sparse_attention(source: ArchitectureSource) -> Architecture:
    """An indexer of its own in every layer."""
    layers = every_layer(whole(text_keys(source.config), "num_hidden_layers"))
    return _read(source, has_indexer=[True for _ in layers])


@reader("glm_moe_dsa")
def shared_indexers(source: ArchitectureSource) -> Architecture:
    """`indexer_types` says which layers own an indexer (and cache its keys): all without it."""
    keys = text_keys(source.config)
    layers = every_layer(whole(keys, "num_hidden_layers"))
    owns = [True for _ in layers]
    if keys.has("indexer_types"):
        names = keys.texts("indexer_types", len(layers))
        for place, name in enumerate(names):
            if name not in ("full", "shared"):
                message = f"is {shown(name)}; known are full, shared"
                raise ArchitectureError(f"{keys.path}.indexer_types[{place}]", message)
        owns = [name == "full" for name in names]
        if not owns[0]:
            raise ArchitectureError(
                f"{keys.path}.indexer_types[0]", "is 'shared', but no layer comes before it"
            )
    return _read(source, has_indexer=owns, prediction_in_file=True, own_vocabulary=False)


def _read(
    source: ArchitectureSource,
    *,
    has_indexer: list[bool],
    joined_experts: bool = False,
    prediction_in_file: bool = False,
    own_vocabulary: bool = True,
) -> Architecture:
    """`own_vocabulary`: prediction layers bring an embedding and an output head of their own."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    layer_count = whole(keys, "num_hidden_layers")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    dense_layers = whole(keys, "first_k_dense_replace", 0.0, least=0.0)
    if dense_layers > layer_count:
        raise ArchitectureError(
            f"{keys.path}.first_k_dense_replace",
            f"is {dense_layers:g}, more than num_hidden_layers {layer_count:g}",
        )
    extra_layers = whole(keys, "num_nextn_predict_layers", 0.0, least=0.0)
    shape = latent_shape(keys)
    own_indexer = indexer_shape(keys) if has_indexer else None

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    every = every_layer(layer_count)
    at_indexer = layers_where(has_indexer)
    _attention(tensors, width, shape, own_indexer, every, at_indexer)
    if dense_layers > 0:
        ffn_width = whole(keys, "intermediate_size")
        dense_ffn(tensors, width, ffn_width, every[: index(dense_layers)])
    _experts(tensors, keys, width, every[index(dense_layers) :])
    if extra_layers > 0:
        after = layers_after(layer_count, extra_layers)
        block = TensorList()
        _attention(block, width, shape, own_indexer, after, after if has_indexer else [])
        _experts(block, keys, width, after)
        nextn_projection(block, width, after)
        if own_vocabulary:
            for role in ("nextn.embed_tokens", "nextn.shared_head_head"):
                block.matrix(role, "prediction_head", width, vocabulary, layers=after)
        prediction_head(tensors, block, in_gguf=prediction_in_file)
        # llama.cpp skips prediction layers, but not the norm of their indexer keys.
        tensors.tensors = [
            replace(item, loaded=item.in_gguf)
            if item.tensor_class == "prediction_head" and item.role in _ALWAYS_LOADED
            else item
            for item in tensors.tensors
        ]
    if joined_experts:
        tensors.tensors = join_gate_and_up(tensors.tensors)

    flags = has_indexer if has_indexer else [False for _ in every]
    index_width = own_indexer.head_size if own_indexer is not None else 0.0
    top_k = whole(keys, "index_topk", 0.0, least=0.0) if has_indexer else 0.0
    expert_width = whole(keys, "moe_intermediate_size")
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=shape.heads,
        layers=[
            shape.group(index_k_width=index_width if owns else 0.0, selected_entries=top_k)
            for owns in flags
        ],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if dense_layers > 0 else 0.0,
        expert_count=whole(keys, "n_routed_experts"),
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0),
        prediction_layers=extra_layers,
    )


def _attention(
    tensors: TensorList,
    width: float,
    shape: LatentShape,
    own_indexer: IndexerShape | None,
    layers: list[float],
    indexer_layers: list[float],
) -> None:
    norms(tensors, width, layers, "attn_norm", "ffn_norm")
    latent_attention(tensors, width, shape, layers)
    if own_indexer is not None:
        indexer(tensors, width, shape.q_lora_rank, own_indexer, indexer_layers)


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    experts = whole(keys, "n_routed_experts")
    used = whole(keys, "num_experts_per_tok")
    if used > experts:
        raise ArchitectureError(
            f"{keys.path}.num_experts_per_tok", f"is {used:g}, more than the {experts:g} experts"
        )
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
