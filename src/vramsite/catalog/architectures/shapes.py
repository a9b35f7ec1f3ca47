"""From config.json keys to checked shapes: text keys, attention widths, layer groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vramsite.catalog.architectures.json_value import shown
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.numeric import floor, index
from vramsite.sizing.records import Architecture, LayerGroup

MOST_LAYERS = 4096.0


def text_keys(config: Keys) -> Keys:
    """The keys of the language model: a nested `text_config` overrides the keys beside it."""
    if not config.has("text_config"):
        return config
    nested = config.sub("text_config")
    return config.under(nested)


def whole(keys: Keys, key: str, default: float | None = None, *, least: float = 1.0) -> float:
    """A whole number of at least `least`: a width, a count of heads or of layers."""
    value = keys.number(key, default)
    if value != floor(value) or value < least:
        message = f"is {value:g}; a whole number from {least:g} up is needed"
        raise ArchitectureError(f"{keys.path}.{key}", message, "whole")
    return value


def per_layer(
    keys: Keys, key: str, layer_count: float, default: float | None = None
) -> list[float]:
    """A number for every layer, whether config.json gives one number or a list of them."""
    if keys.is_list(key):
        return keys.numbers(key, layer_count)
    value = keys.number(key, default)
    return [value for _ in every_layer(layer_count)]


def layer_types(keys: Keys, layer_count: float, known: Sequence[str]) -> list[str]:
    """`layer_types`, checked for its length and for names that the reader knows."""
    names = keys.texts("layer_types", layer_count)
    for place, name in enumerate(names):
        if name not in known:
            raise ArchitectureError(
                f"{keys.path}.layer_types[{place}]",
                f"is {shown(name)}; known are {', '.join(known)}",
            )
    return names


def every_nth_full(keys: Keys, layer_count: float, interval: float, other: str) -> list[str]:
    """`layer_types`, or the pattern behind it: every `interval`-th layer is full attention."""
    if keys.has("layer_types"):
        return layer_types(keys, layer_count, ("full_attention", other))
    return [
        "full_attention" if (layer + 1.0) % interval == 0.0 else other
        for layer in every_layer(layer_count)
    ]


def every_layer(layer_count: float) -> list[float]:
    """The indices of all layers. ArchitectureError for more than any model has."""
    if layer_count > MOST_LAYERS:
        message = f"gives {layer_count:g} layers; at most {MOST_LAYERS:g} are believed"
        raise ArchitectureError("config.num_hidden_layers", message, "layers")
    return [float(number) for number in range(index(layer_count))]


def layers_after(layer_count: float, extra: float) -> list[float]:
    """The indices of so many more layers."""
    return [layer_count + layer for layer in every_layer(extra)]


def layers_where(flags: Sequence[bool]) -> list[float]:
    """The indices at which a condition holds."""
    return [float(place) for place, flag in enumerate(flags) if flag]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionShape:
    """Heads and their sizes of one kind of attention layer."""

    query_heads: float
    kv_heads: float
    k_head_size: float
    v_head_size: float

    @property
    def q_width(self) -> float:
        """Width of all query heads together."""
        return self.query_heads * self.k_head_size

    @property
    def k_width(self) -> float:
        """Width of all keys of a token."""
        return self.kv_heads * self.k_head_size

    @property
    def v_width(self) -> float:
        """Width of all values of a token."""
        return self.kv_heads * self.v_head_size

    @property
    def output_width(self) -> float:
        """Width that the output projection reads."""
        return self.query_heads * self.v_head_size

    def group(
        self, kind: str = "full", *, window_tokens: float = 0.0, count: float = 1.0
    ) -> LayerGroup:
        """Layers that cache these keys and values (or, `shared`, read another layer's)."""
        cached = kind != "shared"
        return LayerGroup(
            kind=kind,
            count=count,
            k_width=self.k_width if cached else 0.0,
            v_width=self.v_width if cached else 0.0,
            window_tokens=window_tokens,
            query_heads=self.query_heads,
            kv_heads=self.kv_heads,
            k_head_size=self.k_head_size,
            v_head_size=self.v_head_size,
        )


def attention_shape(
    keys: Keys,
    *,
    heads_key: str = "num_attention_heads",
    kv_heads_key: str = "num_key_value_heads",
    head_size_key: str = "head_dim",
) -> AttentionShape:
    """Grouped-query attention; a head size left out is `hidden_size / num_attention_heads`."""
    query_heads = whole(keys, heads_key)
    kv_heads = whole(keys, kv_heads_key, query_heads)
    if query_heads % kv_heads != 0:
        raise ArchitectureError(
            f"{keys.path}.{kv_heads_key}",
            f"is {kv_heads:g}, which does not divide {heads_key} {query_heads:g}",
        )
    if keys.has(head_size_key):
        head_size = whole(keys, head_size_key)
    else:
        width = whole(keys, "hidden_size")
        if width % query_heads != 0:
            raise ArchitectureError(
                f"{keys.path}.{heads_key}",
                f"is {query_heads:g}, which does not divide hidden_size {width:g}; "
                f"give {head_size_key}",
            )
        head_size = width / query_heads
    return AttentionShape(
        query_heads=query_heads, kv_heads=kv_heads, k_head_size=head_size, v_head_size=head_size
    )


def merge_layers(layers: Sequence[LayerGroup]) -> tuple[list[LayerGroup], list[float]]:
    """Groups with their counts and the order of layers, from one group (count 1) a layer."""
    kinds: list[LayerGroup] = []
    order: list[float] = []
    for layer in layers:
        if layer not in kinds:
            kinds.append(layer)
        order.append(float(kinds.index(layer)))
    groups = [
        replace(kind, count=float(order.count(float(place)))) for place, kind in enumerate(kinds)
    ]
    return groups, order


def assemble(
    source: ArchitectureSource,
    *,
    embedding_width: float,
    vocabulary: float,
    tied_embeddings: bool,
    attention_heads: float,
    layers: Sequence[LayerGroup],
    tensors: TensorList,
    dense_ffn_width: float = 0.0,
    expert_count: float = 0.0,
    experts_used: float = 0.0,
    expert_ffn_width: float = 0.0,
    shared_expert_ffn_width: float = 0.0,
    prediction_layers: float = 0.0,
) -> Architecture:
    """The Architecture of one group a layer and a finished tensor list.

    Raises ArchitectureError where a token is to pass more experts than there are.
    """
    if experts_used > expert_count:
        raise ArchitectureError(
            source.config.path,
            f"a token passes {experts_used:g} experts, but there are only {expert_count:g}",
        )
    groups, order = merge_layers(layers)
    return Architecture(
        model_type=source.model_type,
        gguf_arch=source.gguf_arch,
        embedding_width=embedding_width,
        vocabulary=vocabulary,
        layer_count=float(len(layers)),
        context_max_tokens=source.context_max_tokens,
        tied_embeddings=tied_embeddings,
        attention_heads=attention_heads,
        dense_ffn_width=dense_ffn_width,
        expert_count=expert_count,
        experts_used=experts_used,
        expert_ffn_width=expert_ffn_width,
        shared_expert_ffn_width=shared_expert_ffn_width,
        groups=groups,
        layer_order=order,
        tensors=tensors.tensors,
        prediction_layers=prediction_layers,
    )
