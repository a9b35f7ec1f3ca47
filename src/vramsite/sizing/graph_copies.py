"""What each layer's graph copies from the host: weights and caches that are not offloaded."""

from __future__ import annotations

from vramsite.sizing.cache import CacheRules, cache_type, row_bytes
from vramsite.sizing.graph_memory import LayerCopies, LayerSteps
from vramsite.sizing.graph_quantities import CELLS, WINDOW_CELLS
from vramsite.sizing.graph_records import GraphStep, ModelGraph
from vramsite.sizing.numeric import index
from vramsite.sizing.placement import layer_count_on_host
from vramsite.sizing.records import Architecture, LayerGroup, Settings
from vramsite.sizing.weights import WeightBytes


def layer_copies(
    arch: Architecture,
    graph: ModelGraph,
    layers: list[LayerSteps],
    settings: Settings,
    weights: WeightBytes,
    rules: CacheRules,
    quantities: list[float],
) -> list[LayerCopies]:
    """One entry a layer."""
    found = []
    on_host = 0.0
    if settings.gpu_layers is not None:
        on_host = layer_count_on_host(len(weights.layer_bytes) * 1.0, settings.gpu_layers)
    kept = 0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers
    for layer in range(len(graph.order)):
        whole = layer < on_host
        routed = layer < kept
        inputs = "first"
        cache: list[float] = [0.0, 0.0]
        if whole or not settings.kv_offload:
            group = arch.groups[index(arch.layer_order[layer])]
            cache = _cache_bytes(group, settings, rules, quantities)
        attention: list[float] = []
        feed_forward: list[float] = []
        if settings.backend != "cpu" and (whole or routed or not settings.kv_offload):
            own = layers[index(graph.order[layer])]
            attention = _sizes(own.attention, weights, float(layer), whole, routed, cache)
            feed_forward = _sizes(own.feed_forward, weights, float(layer), whole, routed, cache)
            if whole:
                inputs = "use"
            elif not settings.kv_offload:
                inputs = "cache"
            elif _any(attention) or _any(feed_forward):
                inputs = "experts"
        found.append(LayerCopies(attention=attention, feed_forward=feed_forward, inputs=inputs))
    return found


def _sizes(
    steps: list[GraphStep],
    weights: WeightBytes,
    layer: float,
    whole: bool,
    routed: bool,
    cache: list[float],
) -> list[float]:
    sizes = []
    for step in steps:
        if step.reads == "cache":
            sizes.append(cache[0])
            sizes.append(cache[1])
        elif step.reads == "cache_k":
            sizes.append(cache[0])
        elif step.reads == "cache_v":
            sizes.append(cache[1])
        elif step.reads != "" and step.action != "release":
            size = 0.0
            for entry in weights.layer_tensors:
                if entry.role == step.reads and (whole or (routed and entry.routed)):
                    for own in entry.layers:
                        if own == layer:
                            size = entry.size_bytes
            sizes.append(size)
    return sizes


def _cache_bytes(
    group: LayerGroup, settings: Settings, rules: CacheRules, quantities: list[float]
) -> list[float]:
    cells = quantities[WINDOW_CELLS] if group.window_tokens > 0.0 else quantities[CELLS]
    return [
        row_bytes(cache_type(rules, settings.kv_type_k), group.k_width) * cells,
        row_bytes(cache_type(rules, settings.kv_type_v), group.v_width) * cells,
    ]


def _any(sizes: list[float]) -> bool:
    found = False
    for size in sizes:
        found = found or size > 0.0
    return found
