"""Mistral Large 4: latent attention that some layers borrow, indexers, experts.

Every `no_rope_layer_interval`-th layer caches the latent without its rotary part, and a layer
that `kv_source_layers` points elsewhere reads that layer's latent and has none of its own.
"""

from __future__ import annotations

from dataclasses import replace

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    moe_ffn,
    norms,
    vision,
    vision_blocks,
)
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.latent import (
    LatentShape,
    indexer,
    indexer_shape,
    latent_attention,
    latent_shape,
)
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import assemble, every_layer, text_keys, whole
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, LayerGroup


@reader("mistral_large4")
def borrowed_latents(source: ArchitectureSource) -> Architecture:
    """The language model and its vision tower; the draft head is not described by config.json."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    tied = keys.flag("tie_word_embeddings", False)
    layer_count = whole(keys, "num_hidden_layers")
    every = every_layer(layer_count)
    dense_layers = index(whole(keys, "first_k_dense_replace", 0.0, least=0.0))
    latent = latent_shape(keys)
    own_indexer = indexer_shape(keys)
    owners = _owners(keys, layer_count)
    unrotated = _unrotated(keys, every)
    indexed = _indexed(keys, every)

    tensors = TensorList()
    embeddings(tensors, width, vocabulary, tied=tied)
    norms(tensors, width, every, "attn_norm", "ffn_norm")
    _attention(tensors, width, latent, every, owners, unrotated)
    query_width = latent.q_lora_rank if latent.q_lora_rank > 0 else width
    indexer(tensors, width, query_width, own_indexer, indexed)
    tensors.vector("attn_ssmax", "attention", latent.heads, layers=every)
    if dense_layers > 0:
        dense_ffn(tensors, width, whole(keys, "intermediate_size"), every[:dense_layers])
    expert_width = whole(keys, "moe_intermediate_size")
    experts = whole(keys, "n_routed_experts")
    shared_width = expert_width * whole(keys, "n_shared_experts", 0.0, least=0.0)
    moe_ffn(
        tensors,
        width,
        expert_width,
        experts,
        every[dense_layers:],
        shared_ffn_width=shared_width,
        selection_bias=True,
    )
    config = source.config
    if config.has("vision_config"):
        _vision_tower(tensors, config.sub("vision_config"))
    top_k = whole(keys, "index_topk", 0.0, least=0.0)
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=latent.heads,
        layers=[
            replace(
                _group(latent, at in owners, at in unrotated),
                index_k_width=own_indexer.head_size if at in indexed else 0.0,
                selected_entries=top_k,
            )
            for at in every
        ],
        tensors=tensors,
        dense_ffn_width=whole(keys, "intermediate_size") if dense_layers > 0 else 0.0,
        expert_count=experts,
        experts_used=whole(keys, "num_experts_per_tok"),
        expert_ffn_width=expert_width,
        shared_expert_ffn_width=shared_width,
    )


def _owners(keys: Keys, layer_count: float) -> list[float]:
    """The layers that cache a latent of their own: all without `kv_source_layers`."""
    every = every_layer(layer_count)
    if not keys.has("kv_source_layers"):
        return every
    sources = keys.numbers("kv_source_layers", layer_count)
    owners = [at for at, source in zip(every, sources, strict=True) if at == source]
    for place, source in enumerate(sources):
        if source not in owners or source > place:
            message = f"is {source:g}, no earlier layer with a cache of its own"
            raise ArchitectureError(f"{keys.path}.kv_source_layers[{place}]", message)
    return owners


def _unrotated(keys: Keys, every: list[float]) -> list[float]:
    interval = whole(keys, "no_rope_layer_interval", 0.0, least=0.0)
    if interval == 0.0:
        return []
    return [at for at in every if (at + 1.0) % interval == 0.0]


def _indexed(keys: Keys, every: list[float]) -> list[float]:
    """The layers with an indexer of their own, from `indexer_types` where it is given.

    Without it the first layer of each `no_rope_layer_interval` is taken: an inference from the
    published number of active parameters, which one indexer in every layer would exceed.
    """
    if keys.has("indexer_types"):
        names = keys.texts("indexer_types", len(every))
        return [at for at, name in zip(every, names, strict=True) if name == "full"]
    interval = whole(keys, "no_rope_layer_interval", 1.0)
    return [at for at in every if at % interval == 0.0]


def _attention(
    tensors: TensorList,
    width: float,
    latent: LatentShape,
    every: list[float],
    owners: list[float],
    unrotated: list[float],
) -> None:
    """Projections of latent attention; a borrowing layer has no `attn_kv_a_mqa` and no norm.

    The rotary part of the latent has no weights in an unrotated layer; queries keep it.
    """
    block = TensorList()
    latent_attention(block, width, latent, every)
    for item in block.tensors:
        if item.role == "attn_kv_a_mqa":
            for rows, layers in (
                (latent.latent_width, [at for at in owners if at not in unrotated]),
                (latent.kv_lora_rank, [at for at in owners if at in unrotated]),
            ):
                if layers:
                    tensors.tensors.append(replace(item, rows=rows, layers=layers))
        elif item.role == "attn_kv_a_norm":
            tensors.tensors.append(replace(item, layers=owners))
        else:
            tensors.tensors.append(item)


def _group(latent: LatentShape, owns: bool, is_unrotated: bool) -> LayerGroup:
    group = latent.group()
    if not owns:
        return replace(group, kind="shared", k_width=0.0)
    return replace(group, k_width=latent.kv_lora_rank) if is_unrotated else group


def _vision_tower(tensors: TensorList, keys: Keys) -> None:
    """A Pixtral transformer, without the projector in front of the language model."""
    width = whole(keys, "hidden_size")
    patch = whole(keys, "patch_size")
    vision(tensors, "v.patch_embd", patch * patch * 3, width)
    vision(tensors, "v.pre_norm", width)
    vision_blocks(
        tensors,
        depth=whole(keys, "num_hidden_layers"),
        width=width,
        ffn_width=whole(keys, "intermediate_size"),
        biases=False,
        gated=True,
    )
