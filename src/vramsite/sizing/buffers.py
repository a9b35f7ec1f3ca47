"""Compute buffers of llama.cpp: working memory of the graph on the device and on the host."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.cache import CacheRules, cache_type, slot_cells, window_cells
from vramsite.sizing.graph_copies import layer_copies
from vramsite.sizing.graph_memory import (
    GraphFacts,
    chosen,
    contains,
    device_graph_bytes,
    graph_layers,
    inputs_bytes,
)
from vramsite.sizing.graph_quantities import graph_quantities
from vramsite.sizing.graph_records import ModelGraph
from vramsite.sizing.placement import layer_count_on_host
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes

F32_BYTES = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedBuffers:
    """Bytes of one device and of the host, by the layers and the layers' experts on the host."""

    host_layers: float
    expert_layers: float
    device_bytes: float
    host_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferRules:
    """What the buffers depend on beside the architecture and its graph."""

    cache: CacheRules
    pipeline_copies: float = 4.0  # of the inputs, where devices work on one batch in turn
    # What was replayed for one model in one format under settings that differ in nothing but the
    # placement of layers, where it is to be kept
    keeps: bool = False
    replayed: list[ReplayedBuffers] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffers:
    """Bytes on the first device, on each device after it, on the host, and of the output buffer."""

    device_bytes: float
    later_device_bytes: float
    host_bytes: float
    output_bytes: float


def keeping(rules: BufferRules) -> BufferRules:
    """The same rules with a place to keep replays: see `BufferRules.replayed`."""
    return BufferRules(
        cache=rules.cache, pipeline_copies=rules.pipeline_copies, keeps=True, replayed=[]
    )


def compute_buffers(
    arch: Architecture, settings: Settings, weights: WeightBytes, rules: BufferRules
) -> Buffers:
    """The compute buffers under these settings.

    Replayed where the architecture's graph is known, by a coarse closed form elsewhere.
    """
    one = _one_device(arch, settings, weights, rules)
    device = one.device_bytes
    later = device
    host = one.host_bytes
    if settings.gpus > 1.0 and settings.split == "layer":
        copies = rules.pipeline_copies - 1.0  # of the inputs, beside those of one device
        masks = _mask_bytes(arch, settings, rules.cache)
        row = _tokens(settings) * arch.embedding_width * F32_BYTES
        device = device + copies * (masks + 4.0 * row)
        later = later + copies * masks + 7.0 * row
        host = host + copies * masks + 6.0 * row
    return Buffers(
        device_bytes=device,
        later_device_bytes=later,
        host_bytes=host,
        output_bytes=arch.vocabulary * settings.parallel * F32_BYTES,
    )


def _tokens(settings: Settings) -> float:
    return min(settings.ubatch_tokens, settings.context_tokens)


def _one_device(
    arch: Architecture, settings: Settings, weights: WeightBytes, rules: BufferRules
) -> ReplayedBuffers:
    host_layers = 0.0
    if settings.gpu_layers is not None:
        host_layers = layer_count_on_host(len(weights.layer_bytes) * 1.0, settings.gpu_layers)
    expert_layers = 0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers
    known = _replayed(rules.replayed, host_layers, expert_layers)
    if known is not None:
        return known
    row = _tokens(settings) * arch.embedding_width * F32_BYTES
    device = 0.0
    host = 0.0
    graph = arch.graph
    if graph is None:
        masks = _mask_bytes(arch, settings, rules.cache)
        device = masks + _coarse_bytes(arch, settings)
        host = masks + 4.0 * row
    else:
        facts = graph_facts(graph, settings, rules.cache)
        layers = graph_layers(graph, facts)
        quantities = graph_quantities(arch, settings, rules.cache, graph)
        copies = layer_copies(arch, graph, layers, settings, weights, rules.cache, quantities)
        alignment = rules.cache.device_alignment_bytes
        if settings.backend == "cpu":
            alignment = rules.cache.host_alignment_bytes
        device = device_graph_bytes(arch, graph, facts, layers, copies, quantities, alignment)
        host = inputs_bytes(chosen(graph.host, facts), quantities, rules.cache.host_alignment_bytes)
    states = _state_bytes(arch, settings)
    if (host_layers > 0.0 or not settings.kv_offload) and states > row:
        host = host + states  # else they fit where the embedding was
    if settings.backend == "cpu":
        host = device + row
        device = 0.0
    found = ReplayedBuffers(
        host_layers=host_layers,
        expert_layers=expert_layers,
        device_bytes=device,
        host_bytes=host,
    )
    if rules.keeps:
        rules.replayed.append(found)
    return found


def _replayed(
    entries: list[ReplayedBuffers], host_layers: float, expert_layers: float
) -> ReplayedBuffers | None:
    """The replay of that placement, or the one on both sides of it where these are equal.

    With more layers (or experts of more layers) on the host the buffers change at a few steps
    only: between two numbers of layers with the same buffers they stay the same.
    """
    below: ReplayedBuffers | None = None
    above: ReplayedBuffers | None = None
    for entry in entries:
        if entry.host_layers == host_layers and entry.expert_layers == expert_layers:
            return entry
        if host_layers == 0.0 and entry.host_layers == 0.0:
            if entry.expert_layers < expert_layers:
                if below is None or below.expert_layers < entry.expert_layers:
                    below = entry
            elif above is None or entry.expert_layers < above.expert_layers:
                above = entry
        if host_layers > 0.0 and entry.expert_layers == expert_layers:
            if entry.host_layers < host_layers:
                if below is None or below.host_layers < entry.host_layers:
                    below = entry
            elif above is None or entry.host_layers < above.host_layers:
                above = entry
    if below is None or above is None:
        return None
    same = below.device_bytes == above.device_bytes and below.host_bytes == above.host_bytes
    return below if same else None


def graph_facts(graph: ModelGraph, settings: Settings, rules: CacheRules) -> GraphFacts:
    """What chooses among the parts of the graph: attention, the cache's type, the back end."""
    mode = "flash"
    if not settings.flash_attention:
        mode = "plain"
    elif graph.rotated:
        if cache_type(rules, settings.kv_type_v).quantised:
            mode = "quantised"
        elif cache_type(rules, settings.kv_type_k).quantised:
            mode = "k_quantised"
    fused = settings.backend != "cpu"
    separate = contains(graph.separate_formats, settings.format)
    return GraphFacts(
        mode=mode,
        fused_router=fused and graph.fused_router,
        joined_experts=fused and graph.joined_experts and not separate,
        one_sequence=settings.parallel == 1.0,
        unified=settings.kv_unified and settings.parallel > 1.0,
        in_place=not fused,
    )


def _mask_bytes(arch: Architecture, settings: Settings, rules: CacheRules) -> float:
    """Bytes of the attention masks: one of the whole context, one of the window."""
    full = False
    window = 0.0
    for group in arch.groups:
        if group.window_tokens > 0.0:
            window = window_cells(group, settings, rules)
        elif group.k_width > 0.0:
            full = True
    cells = (slot_cells(settings, rules) if full else 0.0) + window
    return cells * _tokens(settings) * (2.0 if settings.flash_attention else F32_BYTES)


def _state_bytes(arch: Architecture, settings: Settings) -> float:
    """Recurrent states that the host works on: gathered, updated and written, and convolution's."""
    most = 0.0
    for group in arch.groups:
        most = max(most, 3.0 * group.recurrent_elements + group.conv_elements)
    return most * settings.parallel * F32_BYTES


def _coarse_bytes(arch: Architecture, settings: Settings) -> float:
    """Activations of an architecture whose graph is not known."""
    tokens = _tokens(settings)
    routed = arch.experts_used * (arch.embedding_width + 3.0 * arch.expert_ffn_width)
    widest = max(3.0 * arch.dense_ffn_width, routed) + 4.0 * arch.embedding_width
    logits = min(settings.outputs_max, tokens) * arch.vocabulary
    return F32_BYTES * max(tokens * widest, logits)
