"""Compute buffers of llama.cpp: working memory of the graph on the device and on the host."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.cache import CacheRules, cache_type, slot_cells, streams, window_cells
from vramsite.sizing.errors import SizingError
from vramsite.sizing.graph_memory import (
    KnownLayer,
    ReplayTable,
    device_graph_bytes,
    host_graph_bytes,
)
from vramsite.sizing.graph_program import GraphFacts, same_choice
from vramsite.sizing.graph_quantities import graph_quantities
from vramsite.sizing.graph_records import ModelGraph
from vramsite.sizing.numeric import index
from vramsite.sizing.placement import layer_count_on_host
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes

F32_BYTES = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedBuffers:
    """Bytes of one device and of the host, by the layers and the layers' experts on the host."""

    host_layers: float
    expert_layers: float
    device_bytes: float
    host_bytes: float


@dataclass(slots=True, kw_only=True)
class KnownBuffers:
    """What is known of one model in one format under settings that differ in the placement."""

    settings: Settings
    placed: list[PlacedBuffers] = field(default_factory=list)
    host_peaks: list[float] = field(default_factory=list)  # by how much of `host_more` counts
    table: list[ReplayTable] = field(default_factory=list)  # one, where the graph is known


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferRules:
    """What the buffers depend on beside the architecture and its graph."""

    cache: CacheRules
    pipeline_copies: float = 4.0  # of the inputs, where devices work on one batch in turn
    # Whether what is worked out is kept: for one model in one format, and of it what belongs to
    # the settings asked about
    keeps: bool = False
    kept: list[KnownBuffers] = field(default_factory=list)
    own: list[KnownBuffers] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffers:
    """Bytes on the first device, on each device after it, on the host, and of the output buffer."""

    device_bytes: float
    later_device_bytes: float
    host_bytes: float
    output_bytes: float


def keeping(rules: BufferRules, kept: list[KnownBuffers]) -> BufferRules:
    """The same rules for one model in one format, under settings that differ in the placement."""
    return BufferRules(
        cache=rules.cache, pipeline_copies=rules.pipeline_copies, keeps=True, kept=kept, own=[]
    )


def forget_replays(kept: list[KnownBuffers]) -> None:
    """Let go of replays, which are large; the answers found with them stay."""
    for entry in kept:
        entry.table = [
            ReplayTable(facts=table.facts, quantities=table.quantities) for table in entry.table
        ]


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
) -> PlacedBuffers:
    host_layers = 0.0
    if settings.gpu_layers is not None:
        host_layers = layer_count_on_host(len(weights.layer_bytes) * 1.0, settings.gpu_layers)
    expert_layers = 0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers
    known = _known(arch, settings, rules)
    for entry in known.placed:
        if entry.host_layers == host_layers and entry.expert_layers == expert_layers:
            return entry
    row = _tokens(settings) * arch.embedding_width * F32_BYTES
    device = 0.0
    host = 0.0
    graph = arch.graph
    if graph is None:
        masks = _mask_bytes(arch, settings, rules.cache)
        device = masks + _coarse_bytes(arch, settings)
        host = masks + 4.0 * row
    else:
        device = device_graph_bytes(arch, graph, settings, weights, rules.cache, known.table[0])
        more = 0.0 if settings.kv_offload else 1.0
        host = known.host_peaks[index(2.0 if host_layers > 0.0 else more)]
    if settings.backend == "cpu":
        host = device + row
        device = 0.0
    found = PlacedBuffers(
        host_layers=host_layers,
        expert_layers=expert_layers,
        device_bytes=device,
        host_bytes=host,
    )
    known.placed.append(found)
    return found


def _known(arch: Architecture, settings: Settings, rules: BufferRules) -> KnownBuffers:
    """What is known under these settings: kept since the last question, or begun."""
    for entry in rules.own:
        return entry
    for entry in rules.kept:
        if _same_but_placement(entry.settings, settings):
            rules.own.append(entry)
            return entry
    graph = arch.graph
    found = KnownBuffers(settings=settings)
    if graph is not None:
        quantities = graph_quantities(arch, settings, rules.cache, graph)
        host = graph_facts(graph, settings, rules.cache, rules.cache.host_alignment_bytes)
        if _cache_names(settings, rules.cache) in graph.overfull:
            raise SizingError("graph_too_large")
        alignment = rules.cache.device_alignment_bytes
        if settings.backend == "cpu":
            alignment = rules.cache.host_alignment_bytes
        facts = graph_facts(graph, settings, rules.cache, alignment)
        layers: list[KnownLayer] = []
        for entry in rules.kept:
            for table in entry.table:
                if same_choice(table.facts, facts):
                    layers = table.layers
                    if _same_but_format(entry.settings, settings):
                        # The same graph, as long as nothing lies on the host.
                        found.host_peaks = entry.host_peaks
                        for place in entry.placed:
                            if max(place.host_layers, place.expert_layers) == 0.0:
                                found.placed.append(place)
        found.table.append(ReplayTable(facts=facts, quantities=quantities, known_layers=layers))
        if len(found.host_peaks) == 0:
            found.host_peaks = [
                host_graph_bytes(graph, quantities, host, more) for more in [0.0, 1.0, 2.0]
            ]
    if rules.keeps:
        rules.kept.append(found)
        rules.own.append(found)
    return found


def _same_but_placement(one: Settings, other: Settings) -> bool:
    """Whether nothing differs that the graph depends on, but where layers and experts lie."""
    return one.format == other.format and _same_but_format(one, other)


def _same_but_format(one: Settings, other: Settings) -> bool:
    return (
        one.context_tokens == other.context_tokens
        and one.parallel == other.parallel
        and one.outputs_max == other.outputs_max
        and one.ubatch_tokens == other.ubatch_tokens
        and one.kv_type_k == other.kv_type_k
        and one.kv_type_v == other.kv_type_v
        and one.kv_unified == other.kv_unified
        and one.kv_offload == other.kv_offload
        and one.flash_attention == other.flash_attention
        and one.full_window_cache == other.full_window_cache
        and (one.backend == "cpu") == (other.backend == "cpu")
    )


def graph_facts(
    graph: ModelGraph, settings: Settings, rules: CacheRules, alignment_bytes: float
) -> GraphFacts:
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
    separate = settings.format in graph.separate_formats
    return GraphFacts(
        mode=mode,
        fused_router=fused and graph.fused_router,
        joined_experts=fused and graph.joined_experts and not separate,
        one_sequence=settings.parallel == 1.0,
        unified=settings.kv_unified and settings.parallel > 1.0,
        in_place=not fused,
        alignment_bytes=alignment_bytes,
    )


def _cache_names(settings: Settings, rules: CacheRules) -> str:
    """The caches as ModelGraph.overfull names them."""
    return (
        ("k" if cache_type(rules, settings.kv_type_k).quantised else "")
        + ("v" if cache_type(rules, settings.kv_type_v).quantised else "")
        + ("" if streams(settings) == 1.0 else "+")
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


def _coarse_bytes(arch: Architecture, settings: Settings) -> float:
    """Activations of an architecture whose graph is not known."""
    tokens = _tokens(settings)
    routed = arch.experts_used * (arch.embedding_width + 3.0 * arch.expert_ffn_width)
    widest = max(3.0 * arch.dense_ffn_width, routed) + 4.0 * arch.embedding_width
    logits = min(settings.outputs_max, tokens) * arch.vocabulary
    return F32_BYTES * max(tokens * widest, logits)
