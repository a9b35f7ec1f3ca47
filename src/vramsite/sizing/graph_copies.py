"""What of each layer lies in host memory: weights and caches that are not offloaded."""

from __future__ import annotations

from vramsite.sizing.cache import CacheRules, cache_type, row_bytes
from vramsite.sizing.graph_program import HostLayer
from vramsite.sizing.graph_quantities import CELLS, WINDOW_CELLS
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, LayerGroup, Settings
from vramsite.sizing.weights import WeightBytes


def host_layer(
    arch: Architecture,
    settings: Settings,
    weights: WeightBytes,
    rules: CacheRules,
    quantities: list[float],
    layer: int,
    whole: bool,
    experts: bool,
    cached: bool,
) -> HostLayer:
    """What of a layer lies on the host: the whole of it, or its routed experts, and the cache."""
    held = [
        entry
        for entry in weights.layer_tensors
        if (whole or (experts and entry.routed)) and _in(entry.layers, layer * 1.0)
    ]
    group = arch.groups[index(arch.layer_order[layer])]
    cache: list[float] = []
    if cached:
        cache = _cache_bytes(group, settings, rules, quantities)
    return HostLayer(
        roles=[entry.role for entry in held],
        sizes_bytes=[entry.size_bytes for entry in held],
        cache_bytes=cache,
        shared=group.kind == "shared",
        tables=whole,
    )


def cache_layer(arch: Architecture, layer: int) -> int:
    """The layer whose cache a layer reads: its own, or the last one before of its kind."""
    group = arch.groups[index(arch.layer_order[layer])]
    owner = layer
    while owner > 0:
        other = arch.groups[index(arch.layer_order[owner])]
        if other.kind != "shared" and other.window_tokens == group.window_tokens:
            return owner
        owner = owner - 1 if group.kind == "shared" else 0
    return layer


def alike_layers(weights: WeightBytes, count: int) -> list[int]:
    """For each layer the first one whose weights have the same sizes."""
    sizes: list[list[float]] = [[] for _ in range(count)]
    for place in range(len(weights.layer_tensors)):
        entry = weights.layer_tensors[place]
        for layer in entry.layers:
            if layer < count:
                sizes[index(layer)].append(place * 1.0)
    found: list[int] = []
    for layer in range(count):
        alike = 0
        while not same_values(sizes[alike], sizes[layer]):
            alike = alike + 1
        found.append(alike)
    return found


def same_values(one: list[float], other: list[float]) -> bool:
    """Whether two lists hold the same values."""
    same = len(one) == len(other)
    place = 0
    while same and place < len(one):
        same = one[place] == other[place]
        place = place + 1
    return same


def _in(values: list[float], value: float) -> bool:
    for entry in values:
        if entry == value:
            return True
    return False


def _cache_bytes(
    group: LayerGroup, settings: Settings, rules: CacheRules, quantities: list[float]
) -> list[float]:
    """K and V as a layer reads them: its own, or those of the layer that it shares with.

    A latent row is read as K and once more as V.
    """
    cells = quantities[WINDOW_CELLS] if group.window_tokens > 0.0 else quantities[CELLS]
    k_width = group.k_width
    v_width = group.v_width
    if group.kind == "latent":
        v_width = k_width
    if group.kind == "shared":
        k_width = group.kv_heads * group.k_head_size
        v_width = group.kv_heads * group.v_head_size
    return [
        row_bytes(cache_type(rules, settings.kv_type_k), k_width) * cells,
        row_bytes(cache_type(rules, settings.kv_type_v), v_width) * cells,
    ]
