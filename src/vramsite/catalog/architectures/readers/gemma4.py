"""Gemma 4: two head sizes, shared caches, per-layer embeddings, experts beside a dense layer."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.catalog.architectures.blocks import (
    dense_ffn,
    embeddings,
    gqa_attention,
    moe_ffn,
    norms,
)
from vramsite.catalog.architectures.gemma4_towers import audio_tower, unified_inputs, vision_tower
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.readers.moe import experts_used
from vramsite.catalog.architectures.registry import reader
from vramsite.catalog.architectures.shapes import (
    AttentionShape,
    assemble,
    attention_shape,
    every_layer,
    every_nth_full,
    layers_where,
    text_keys,
    whole,
)
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import Architecture, LayerGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attention:
    local: AttentionShape
    full: AttentionShape
    is_full: list[bool]
    owns_cache: list[bool]
    window_tokens: float
    keys_as_values: bool  # full layers have no value projection; values are cached all the same

    def layers(self) -> list[LayerGroup]:
        layers = []
        for full, owner in zip(self.is_full, self.owns_cache, strict=True):
            shape = self.full if full else self.local
            if not owner:
                window = 0.0 if full else self.window_tokens
                layers.append(shape.group("shared", window_tokens=window))
            elif full:
                layers.append(shape.group())
            else:
                layers.append(shape.group("window", window_tokens=self.window_tokens))
        return layers


def _attention(keys: Keys, layer_count: float) -> _Attention:
    local = attention_shape(keys)
    kv_heads = whole(keys, "num_global_key_value_heads", local.kv_heads)
    head_size = whole(keys, "global_head_dim", local.k_head_size)
    global_keys = keys.with_number("num_global_key_value_heads", kv_heads)
    global_keys = global_keys.with_number("global_head_dim", head_size)
    full = attention_shape(
        global_keys, kv_heads_key="num_global_key_value_heads", head_size_key="global_head_dim"
    )
    kinds = every_nth_full(keys, layer_count, 6, "sliding_attention")
    shared = whole(keys, "num_kv_shared_layers", 0, least=0)
    if shared >= layer_count:
        raise ArchitectureError(
            f"{keys.path}.num_kv_shared_layers",
            f"is {shared:g}; at least one of the {layer_count:g} layers has to own a cache",
        )
    return _Attention(
        local=local,
        full=full,
        is_full=[kind == "full_attention" for kind in kinds],
        owns_cache=[layer < layer_count - shared for layer in every_layer(layer_count)],
        window_tokens=whole(keys, "sliding_window"),
        keys_as_values=keys.flag("attention_k_eq_v", False),
    )


def _attention_tensors(tensors: TensorList, width: float, attention: _Attention) -> None:
    for shape, wanted in ((attention.local, False), (attention.full, True)):
        flags = [full == wanted for full in attention.is_full]
        values = not (wanted and attention.keys_as_values)
        own = layers_where(
            [flag and owner for flag, owner in zip(flags, attention.owns_cache, strict=True)]
        )
        gqa_attention(tensors, width, shape, own, qk_norm="head", with_v=values)
        # Layers that read another layer's cache keep unused K and V weights in the checkpoint.
        reading = layers_where(
            [flag and not owner for flag, owner in zip(flags, attention.owns_cache, strict=True)]
        )
        if reading:
            tensors.matrix("attn_q", "attention", width, shape.q_width, layers=reading)
            tensors.matrix("attn_output", "attention", shape.q_width, width, layers=reading)
            tensors.vector("attn_q_norm", "norm", shape.k_head_size, layers=reading)
            for role, rows in (("attn_k", shape.k_width), ("attn_v", shape.v_width)):
                if role == "attn_k" or values:
                    tensors.matrix(
                        role,
                        "attention",
                        width,
                        rows,
                        layers=reading,
                        in_gguf=False,
                        loaded=False,
                    )
            tensors.vector(
                "attn_k_norm",
                "norm",
                shape.k_head_size,
                layers=reading,
                in_gguf=False,
                loaded=False,
            )


def _per_layer_embedding(
    tensors: TensorList, keys: Keys, width: float, layers: list[float]
) -> None:
    size = whole(keys, "hidden_size_per_layer_input", 0, least=0)
    if size == 0:
        return
    every = size * len(layers)
    kind = "per_layer_embedding"
    rows = whole(keys, "vocab_size_per_layer_input", whole(keys, "vocab_size"))
    tensors.matrix("per_layer_token_embd", kind, every, rows)
    tensors.matrix("per_layer_model_proj", "other", width, every)
    tensors.vector("per_layer_proj_norm", "norm", size)
    tensors.matrix("inp_gate", "other", width, size, layers=layers)
    tensors.matrix("proj", "other", size, width, layers=layers)
    norms(tensors, width, layers, "post_norm")


def _experts(tensors: TensorList, keys: Keys, width: float, layers: list[float]) -> None:
    count = whole(keys, "num_experts")
    moe_ffn(
        tensors,
        width,
        whole(keys, "moe_intermediate_size"),
        count,
        layers,
        fused_gate_up=True,
    )
    tensors.vector("ffn_gate_inp.scale", "router", width, layers=layers)
    tensors.vector("ffn_down_exps.scale", "routed_experts", count, layers=layers)
    norms(tensors, width, layers, "pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2")


def read_text(source: ArchitectureSource, keys: Keys, tensors: TensorList) -> Architecture:
    """The text decoder of every Gemma 4."""
    width = whole(keys, "hidden_size")
    vocabulary = whole(keys, "vocab_size")
    layers = every_layer(whole(keys, "num_hidden_layers"))
    ffn_width = whole(keys, "intermediate_size")
    tied = keys.flag("tie_word_embeddings", True)
    attention = _attention(keys, len(layers))
    sparse = keys.flag("enable_moe_block", False)
    embeddings(tensors, width, vocabulary, tied=tied)
    if any(attention.is_full):
        frequencies = attention.full.k_head_size / 2
        tensors.vector("rope_freqs", "other", frequencies, in_checkpoint=False)
    norms(tensors, width, layers, "attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")
    tensors.vector("layer_output_scale", "other", 1.0, layers=layers)
    _attention_tensors(tensors, width, attention)
    double = keys.flag("use_double_wide_mlp", False)
    wide = [double and not owner for owner in attention.owns_cache]
    dense_ffn(tensors, width, ffn_width, layers_where([not is_wide for is_wide in wide]))
    if any(wide):
        dense_ffn(tensors, width, 2 * ffn_width, layers_where(wide))
    _per_layer_embedding(tensors, keys, width, layers)
    if sparse:
        _experts(tensors, keys, width, layers)
    expert_count = whole(keys, "num_experts") if sparse else 0.0
    return assemble(
        source,
        embedding_width=width,
        vocabulary=vocabulary,
        tied_embeddings=tied,
        attention_heads=attention.local.query_heads,
        layers=attention.layers(),
        tensors=tensors,
        dense_ffn_width=ffn_width * (2.0 if any(wide) else 1.0),
        expert_count=expert_count,
        experts_used=experts_used(keys, "top_k_experts", expert_count) if sparse else 0.0,
        expert_ffn_width=whole(keys, "moe_intermediate_size") if sparse else 0.0,
    )


@reader("gemma4", "gemma4_text")
def read_gemma4(source: ArchitectureSource) -> Architecture:
    """Gemma 4 with a vision tower, and an audio tower on the small ones."""
    keys = text_keys(source.config)
    width = whole(keys, "hidden_size")
    tensors = TensorList()
    if source.config.has("vision_config"):
        vision_tower(tensors, source.config.sub("vision_config"), width)
    if source.config.has("audio_config"):
        audio_tower(tensors, source.config.sub("audio_config"), width)
    return read_text(source, keys, tensors)


@reader("gemma4_unified", "gemma4_unified_text")
def read_gemma4_unified(source: ArchitectureSource) -> Architecture:
    """Gemma 4 12B: patches and audio frames are embedded without a tower."""
    keys = text_keys(source.config)
    tensors = TensorList()
    unified_inputs(tensors, source.config, whole(keys, "hidden_size"))
    return read_text(source, keys, tensors)
