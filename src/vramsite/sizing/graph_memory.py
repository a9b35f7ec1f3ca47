"""The compute buffer a graph needs: its layers replayed on the allocator.

What a layer does to a layout follows from the layout, the layer's program and what comes and goes
beside it, so that a turn that was seen is not replayed again: layers of one kind soon leave the
layout as they found it, and another placement of the layers meets few new turns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.cache import CacheRules
from vramsite.sizing.graph_copies import alike_layers, cache_layer, host_layer, same_values
from vramsite.sizing.graph_program import (
    COPY,
    GraphFacts,
    HostLayer,
    LayerProgram,
    add_steps,
    aligned_bytes,
    chosen,
    layer_program,
    resized,
)
from vramsite.sizing.graph_records import ModelGraph
from vramsite.sizing.heap import (
    Heap,
    copied,
    drop,
    empty_heap,
    free,
    oldest,
    rename,
    same_layout,
    take,
)
from vramsite.sizing.numeric import index
from vramsite.sizing.placement import layer_count_on_host
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes

NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLayer:
    """A program and the layers that it is for."""

    kind: float
    alike: int  # weights on the host as those of that layer; NONE: no weights on the host
    whole: bool
    cached: bool  # the cache that it reads is on the host
    first: bool
    last: bool
    program: LayerProgram


@dataclass(slots=True, kw_only=True)
class _Beside:
    """What comes and goes with a layer beside its own steps: inputs, copies for later layers."""

    layer: int
    names: list[str] = field(default_factory=list)
    sizes_bytes: list[float] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)  # with which part of the layer they come
    frees: list[str] = field(default_factory=list)  # inputs that no later layer uses
    key: str = ""  # all of this, but for the layer and the sizes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A layer replayed from a layout: the layout after it, and the peak."""

    layer: int  # place in ReplayTable.layers
    beside: int  # place in ReplayTable.besides, NONE for nothing
    after: int  # place in ReplayTable.layouts
    peak: float


@dataclass(slots=True, kw_only=True)
class _Layout:
    """A layout between two layers, and the turns from it."""

    heap: Heap
    turns: list[_Turn] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class ReplayTable:
    """What was replayed of a model in one format under settings that differ in the placement."""

    facts: GraphFacts
    quantities: list[float]
    alike: list[int] = field(default_factory=list)
    layers: list[KnownLayer] = field(default_factory=list)
    besides: list[_Beside] = field(default_factory=list)
    layouts: list[_Layout] = field(default_factory=list)
    known_layers: list[KnownLayer] = field(default_factory=list)  # of a table that differs in sizes


@dataclass(slots=True, kw_only=True)
class _Way:
    """The way through the layers under one placement."""

    layers: list[int]  # places in ReplayTable.layers
    besides: list[_Beside]  # of some layers; the first one: before all layers
    known: list[str]  # inputs used so far
    part: int = -1  # the layer in which the last part began; -1: before all of them
    start: float = 0.0  # the how manieth part of that layer it was


def host_graph_bytes(
    graph: ModelGraph, quantities: list[float], facts: GraphFacts, more: float
) -> float:
    """Peak of the host's buffer: inputs, and the first `more` of what it may hold beside."""
    program = LayerProgram()
    add_steps(program, chosen(graph.host, facts), quantities, facts, HostLayer())
    for place in range(index(more)):
        add_steps(program, graph.host_more[place].flash, quantities, facts, HostLayer())
    heap = empty_heap()
    _replay(heap, program, _Beside(layer=NONE))
    return heap.peak


def device_graph_bytes(
    arch: Architecture,
    graph: ModelGraph,
    settings: Settings,
    weights: WeightBytes,
    rules: CacheRules,
    table: ReplayTable,
) -> float:
    """Peak of the device's compute buffer for one micro-batch of a prompt."""
    way = _way(arch, graph, settings, weights, rules, table)
    heap = _with_inputs(graph, table, way)
    peak = heap.peak
    at = _layout(table, heap)
    for layer in range(len(way.layers)):
        place = way.layers[layer]
        beside = NONE
        for entry in way.besides:
            if entry.layer == layer:
                beside = _beside(table, entry)
        found: _Turn | None = None
        for turn in table.layouts[at].turns:
            if turn.layer == place and turn.beside == beside:
                found = turn
        if found is None:
            heap = copied(table.layouts[at].heap)
            entry = _Beside(layer=layer) if beside == NONE else table.besides[beside]
            _replay(heap, table.layers[place].program, entry)
            found = _Turn(layer=place, beside=beside, after=_layout(table, heap), peak=heap.peak)
            table.layouts[at].turns.append(found)
        at = found.after
        peak = max(peak, found.peak)
    return peak


def _layout(table: ReplayTable, heap: Heap) -> int:
    """Place of a layout among those met."""
    now = copied(heap)
    place = len(table.layouts) - 1
    while place >= 0:
        if same_layout(table.layouts[place].heap, now):
            return place
        place = place - 1
    table.layouts.append(_Layout(heap=now))
    return len(table.layouts) - 1


def _beside(table: ReplayTable, beside: _Beside) -> int:
    """Place of what comes and goes among what did."""
    for place in range(len(table.besides)):
        entry = table.besides[place]
        if (
            entry.key == beside.key
            and same_values(entry.sizes_bytes, beside.sizes_bytes)
            and same_values(entry.starts, beside.starts)
        ):
            return place
    table.besides.append(beside)
    return len(table.besides) - 1


def _way(
    arch: Architecture,
    graph: ModelGraph,
    settings: Settings,
    weights: WeightBytes,
    rules: CacheRules,
    table: ReplayTable,
) -> _Way:
    """The program of each layer, and what comes and goes beside them."""
    hosted = settings.backend != "cpu"
    on_host = 0.0
    if settings.gpu_layers is not None and hosted:
        on_host = layer_count_on_host(len(weights.layer_bytes) * 1.0, settings.gpu_layers)
    kept = settings.cpu_moe_layers
    expert_layers = 0.0 if kept is None or not hosted else kept
    count = len(graph.order)
    if len(table.alike) == 0 and max(on_host, expert_layers) > 0.0:
        table.alike = alike_layers(weights, count)
    way = _Way(layers=[], besides=[_Beside(layer=NONE)], known=[])
    for layer in range(count):
        kind = graph.order[layer]
        whole = layer < on_host
        alike = table.alike[layer] if layer < max(on_host, expert_layers) else NONE
        cached = hosted and (cache_layer(arch, layer) < on_host or not settings.kv_offload)
        last = layer == count - 1
        place = len(table.layers) - 1
        while place >= 0:
            entry = table.layers[place]
            if (
                entry.kind == kind
                and entry.alike == alike
                and entry.whole == whole
                and entry.cached == cached
                and entry.first == (layer == 0)
                and entry.last == last
            ):
                break
            place = place - 1
        if place < 0:
            program = _known_program(table, kind, layer == 0) if not last else None
            if alike != NONE or cached or program is None:
                host = HostLayer()
                if alike != NONE or cached:
                    hosts = alike != NONE
                    host = host_layer(
                        arch,
                        settings,
                        weights,
                        rules,
                        table.quantities,
                        layer,
                        whole,
                        hosts,
                        cached,
                    )
                program = layer_program(arch, graph, layer, table.facts, table.quantities, host)
            place = len(table.layers)
            table.layers.append(
                KnownLayer(
                    kind=kind,
                    alike=alike,
                    whole=whole,
                    cached=cached,
                    first=layer == 0,
                    last=last,
                    program=program,
                )
            )
        way.layers.append(place)
        _pass(way, table.layers[place].program, layer)
    _free(table, way)
    return way


def _known_program(table: ReplayTable, kind: float, first: bool) -> LayerProgram | None:
    """That of a layer with nothing on the host, if it was made in other sizes."""
    for entry in table.known_layers:
        if (
            entry.kind == kind
            and entry.first == first
            and entry.alike == NONE
            and not entry.cached
            and not entry.last
        ):
            return resized(entry.program, table.facts, table.quantities)
    return None


def _pass(way: _Way, program: LayerProgram, layer: int) -> None:
    """Note what comes with this layer's parts, or with the part before it."""
    for size in program.first_copies:
        _come(way, way.part, way.start, COPY, size)
    for place in range(len(program.uses)):
        name = program.uses[place]
        if name not in way.known:
            way.known.append(name)
            begun = program.use_starts[place]
            if begun > 0.0:
                _come(way, layer, begun - 1.0, name, 0.0)
            else:
                _come(way, way.part, way.start, name, 0.0)
    if program.starts > 0.0:
        way.part = layer
        way.start = program.starts - 1.0


def _come(way: _Way, layer: int, start: float, name: str, size_bytes: float) -> None:
    beside = _of_layer(way, layer)
    beside.names.append(name)
    beside.sizes_bytes.append(size_bytes)
    beside.key = beside.key + "+" + name
    beside.starts.append(start)


def _of_layer(way: _Way, layer: int) -> _Beside:
    for entry in way.besides:
        if entry.layer == layer:
            return entry
    way.besides.append(_Beside(layer=layer))
    return way.besides[len(way.besides) - 1]


def _free(table: ReplayTable, way: _Way) -> None:
    """Note the inputs that a layer is the last to use; the last layer frees its own."""
    seen: list[str] = []
    before = NONE
    layer = len(way.layers) - 1
    while layer >= 0:
        if way.layers[layer] != before:
            before = way.layers[layer]
            for name in table.layers[before].program.releases:
                if name not in seen:
                    seen.append(name)
                    if layer < len(way.layers) - 1:
                        beside = _of_layer(way, layer)
                        beside.frees.append(name)
                        beside.key = beside.key + "-" + name
        layer = layer - 1


def _with_inputs(graph: ModelGraph, table: ReplayTable, way: _Way) -> Heap:
    """The layout before the first layer. Inputs that come later get their sizes."""
    heap = empty_heap()
    early = way.besides[0]
    for step in chosen(graph.inputs, table.facts):
        if step.action == "take":
            size = aligned_bytes(step, table.quantities, table.facts)
            for beside in way.besides:
                for place in range(len(beside.names)):
                    if beside.names[place] == step.name:
                        beside.sizes_bytes[place] = size
            # Of copies for several layers only the first comes before a part begins; without a
            # device there are no copies
            copies = way.part < 0 and not table.facts.in_place
            first = copies or oldest(heap, step.name) < 0
            if (step.name in early.names and first) or step.name not in graph.layer_inputs:
                take(heap, step.name, size)
        else:
            drop(heap, step.name)
    for place in range(len(early.names)):
        if early.names[place] == COPY:
            take(heap, COPY, early.sizes_bytes[place])
    return heap


def _replay(heap: Heap, program: LayerProgram, beside: _Beside) -> None:
    """Do the ops of a layer, and what comes and goes beside them."""
    start = 0.0
    places: list[int] = []  # of its takes
    for op in program.ops:
        if op.verb == "take":
            places.append(len(heap.names))
            take(heap, op.name, program.sizes_bytes[len(places) - 1])
        elif op.verb == "start":
            for size in op.copies:
                take(heap, COPY, size)
            for place in range(len(beside.names)):
                if beside.starts[place] == start:
                    take(heap, beside.names[place], beside.sizes_bytes[place])
            start = start + 1.0
        elif op.verb == "rest":
            for name in copied(heap).names:
                if name != op.name:
                    drop(heap, name)
        elif op.verb != "release" or op.name in beside.frees:
            at = op.own
            at = places[at] if at >= 0 and op.name not in heap.before else oldest(heap, op.name)
            if op.verb == "rename":
                rename(heap, at, op.new_name)
            else:
                free(heap, at)
