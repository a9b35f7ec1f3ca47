"""The compute buffer a graph needs: its steps replayed on the allocator, layer by layer.

What lies on the host (weights of layers or experts not offloaded, the cache) is computed on the
device all the same for the batches of a prompt (llama.cpp's op offload): copied before the step
that reads it. Each copy begins a new part of the graph, so that inputs come when they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.graph_quantities import OUTPUTS, for_outputs
from vramsite.sizing.graph_records import GraphPart, GraphStep, ModelGraph
from vramsite.sizing.heap import Heap, drop, empty_heap, oldest, same_layout, snapshot, take
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture

RESIDUAL = "x"  # what one layer hands to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFacts:
    """What chooses among the parts of a graph."""

    mode: str  # flash, quantised, k_quantised, plain
    fused_router: bool
    joined_experts: bool
    one_sequence: bool
    unified: bool  # several sequences in one cache
    in_place: bool  # no fused kernels that keep tensors apart


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerCopies:
    """What a layer copies from the host: bytes of each step that reads, in order, 0 for none."""

    attention: list[float]
    feed_forward: list[float]
    # When its inputs come: first (before the first layer), use (before the step that needs them),
    # cache (the same, of those of attention), experts (after the copy before their first use)
    inputs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSteps:
    """The steps of a layer under given facts, and the inputs that it releases."""

    attention: list[GraphStep]
    feed_forward: list[GraphStep]
    released: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replay:
    """A layer that was replayed: the layout before it and after it."""

    layer: int
    before: Heap
    after: Heap


@dataclass(slots=True, kw_only=True)
class _Run:
    """What the steps of one layer are replayed with."""

    heap: Heap
    quantities: list[float]
    frees: list[str]  # inputs that no later layer uses
    late: list[GraphStep]  # inputs that were not taken before the first layer
    next_released: list[str]
    inputs: str
    in_place: bool  # what the device's fused kernels keep apart is computed in place


def chosen(parts: list[GraphPart], facts: GraphFacts) -> list[GraphStep]:
    """The steps of the first part whose conditions hold, none where there is no such part."""
    for part in parts:
        holds = True
        for fact in part.requires:
            holds = holds and _is_so(facts, fact)
        for fact in part.excludes:
            holds = holds and not _is_so(facts, fact)
        if holds:
            if facts.mode == "plain" and len(part.plain) > 0:
                return part.plain
            if facts.mode == "k_quantised" and len(part.k_quantised) > 0:
                return part.k_quantised
            quantised = facts.mode == "quantised" or facts.mode == "k_quantised"
            return part.quantised if quantised and len(part.quantised) > 0 else part.flash
    return []


def _is_so(facts: GraphFacts, fact: str) -> bool:
    if fact == "fused_router":
        return facts.fused_router
    if fact == "joined_experts":
        return facts.joined_experts
    return facts.unified if fact == "unified" else facts.one_sequence


def graph_layers(graph: ModelGraph, facts: GraphFacts) -> list[LayerSteps]:
    """The steps of each kind of layer."""
    found = []
    for layer in graph.layers:
        attention = chosen(layer.attention, facts)
        feed_forward = chosen(layer.feed_forward, facts)
        released = [step.name for step in attention if step.action == "release"]
        for step in feed_forward:
            if step.action == "release":
                released.append(step.name)
        found.append(LayerSteps(attention=attention, feed_forward=feed_forward, released=released))
    return found


def inputs_bytes(steps: list[GraphStep], quantities: list[float], alignment_bytes: float) -> float:
    """Peak of a buffer of inputs alone, as the host's is."""
    run = _Run(
        heap=empty_heap(alignment_bytes),
        quantities=quantities,
        frees=[],
        late=[],
        next_released=[],
        inputs="first",
        in_place=False,
    )
    _replay(run, steps, [])
    return run.heap.peak


def device_graph_bytes(
    arch: Architecture,
    graph: ModelGraph,
    facts: GraphFacts,
    layers: list[LayerSteps],
    copies: list[LayerCopies],
    quantities: list[float],
    alignment_bytes: float,
) -> float:
    """Peak of the device's compute buffer for one micro-batch of a prompt.

    `copies` has an entry a layer. The rows of the outputs are picked in the last layer, after its
    attention, or at the end.
    """
    late = _late_inputs(graph, layers, copies)
    steps = chosen(graph.inputs, facts)
    run = _Run(
        heap=empty_heap(alignment_bytes),
        quantities=quantities,
        frees=[],
        late=[step for step in steps if step.action == "take" and contains(late, step.name)],
        next_released=[],
        inputs="first",
        in_place=facts.in_place,
    )
    _replay(run, [step for step in steps if not contains(late, step.name)], [])
    replays: list[_Replay] = []
    last = len(graph.order) - 1
    for layer in range(last):
        run.frees = _last_uses(graph, layers, layer)
        before = snapshot(run.heap)
        known = _known(graph, copies, replays, layer, before)
        if known >= 0 and len(run.frees) == 0:
            run.heap = snapshot(replays[known].after)
            run.heap.peak = max(before.peak, run.heap.peak)
        else:
            run.heap = snapshot(before)
            own = layers[index(graph.order[layer])]
            run.inputs = copies[layer].inputs
            run.next_released = _used_before_copies(graph, layers, copies, layer + 1)
            _arrive(run, own.released, "first")
            _replay(run, own.attention, copies[layer].attention)
            _replay(run, own.feed_forward, copies[layer].feed_forward)
            if len(run.frees) == 0:
                replays.append(_Replay(layer=layer, before=before, after=snapshot(run.heap)))
    run.frees = _last_uses(graph, layers, last)
    run.inputs = copies[last].inputs
    run.next_released = []
    _replay_last(run, arch, graph, layers[index(graph.order[last])], copies[last])
    return run.heap.peak


def _replay_last(
    run: _Run, arch: Architecture, graph: ModelGraph, own: LayerSteps, copies: LayerCopies
) -> None:
    outputs = run.quantities[OUTPUTS]
    row_bytes = arch.embedding_width * outputs * 4.0
    _arrive(run, own.released, "first")
    if graph.outputs_in_last_layer:
        steps = own.attention
        residual_last = steps[len(steps) - 1].name == RESIDUAL
        if residual_last:
            steps = [steps[place] for place in range(len(steps) - 1)]
        _replay(run, steps, copies.attention)
        take(run.heap, "rows", row_bytes)
        drop(run.heap, "h")
        _rename(run.heap, "rows", "h")
        if residual_last:
            take(run.heap, "residual_rows", row_bytes)
            drop(run.heap, RESIDUAL)
            drop(run.heap, "out_ids")
            drop(run.heap, "residual_rows")
        run.quantities = for_outputs(run.quantities)
        _replay(run, own.feed_forward, copies.feed_forward)
    else:
        _replay(run, own.attention, copies.attention)
        _replay(run, own.feed_forward, copies.feed_forward)
        if len(graph.end) > 0:
            for name in snapshot(run.heap).names:  # no layer is left that uses an input
                if name != RESIDUAL:
                    drop(run.heap, name)
            _replay(run, graph.end, [])
        else:
            take(run.heap, "rows", row_bytes)
    take(run.heap, "logits", arch.vocabulary * outputs * 4.0)


def _replay(run: _Run, steps: list[GraphStep], copies: list[float]) -> None:
    """Replay steps; those that read take the next entries of `copies` beside them."""
    reading = 0
    left = 0
    for size in copies:
        if size > 0.0:
            left = left + 1
    for place in range(len(steps)):
        step = steps[place]
        if step.action == "take" and step.new_name != "" and run.in_place:
            _rename(run.heap, step.new_name, step.name)
        elif step.action == "take":
            size = 0.0
            for term in step.terms:
                factor = run.quantities[index(term.a)] * run.quantities[index(term.b)]
                size = size + term.size_bytes * factor
            taken = 0
            for _ in range(_reads(step) if len(copies) > 0 else 0):
                if copies[reading] > 0.0:
                    take(run.heap, "copy", copies[reading])
                    taken = taken + 1
                reading = reading + 1
            if taken > 0:
                left = left - taken
                if left == 0:
                    _arrive(run, run.next_released, "experts")
                _arrive(run, _released_before_copy(steps, place, copies, reading), "use")
                _arrive(run, _released_before_copy(steps, place, copies, reading), "cache")
            take(run.heap, step.name, size)
            for _ in range(taken):
                drop(run.heap, "copy")
        elif step.action == "rename":
            _rename(run.heap, step.name, step.new_name)
        elif step.action == "drop" or contains(run.frees, step.name):
            drop(run.heap, step.name)


def _reads(step: GraphStep) -> int:
    if step.action == "release" or step.reads == "":
        return 0
    return 2 if step.reads == "cache" else 1


def _released_before_copy(
    steps: list[GraphStep], place: int, copies: list[float], reading: int
) -> list[str]:
    """Inputs released from this step on and before the next one with a copy."""
    names: list[str] = []
    for after in range(place + 1, len(steps)):
        for _ in range(_reads(steps[after])):
            if copies[reading] > 0.0:
                return names
            reading = reading + 1
        if steps[after].action == "release" and steps[after].reads == "":
            names.append(steps[after].name)
    return names


def _rename(heap: Heap, name: str, new_name: str) -> None:
    at = oldest(heap, name)
    if at >= 0:
        heap.names[at] = new_name


def _arrive(run: _Run, names: list[str], when: str) -> None:
    """Take the late inputs among these unless they are there."""
    if run.inputs != when:
        return
    for step in run.late:
        if contains(names, step.name) and oldest(run.heap, step.name) < 0:
            _replay(run, [step], [])


def _known(
    graph: ModelGraph, copies: list[LayerCopies], replays: list[_Replay], layer: int, heap: Heap
) -> int:
    """Place of an equal layer replayed from the same layout, -1 for none."""
    for place in range(len(replays)):
        other = replays[place].layer
        same = graph.order[other] == graph.order[layer]
        same = same and graph.order[other + 1] == graph.order[layer + 1]
        same = same and copies[other].inputs == copies[layer].inputs
        same = same and _equal(copies[other].attention, copies[layer].attention)
        same = same and _equal(copies[other].feed_forward, copies[layer].feed_forward)
        if same and same_layout(replays[place].before, heap):
            return place
    return -1


def _equal(one: list[float], other: list[float]) -> bool:
    same = len(one) == len(other)
    for place in range(len(one)):
        same = same and one[place] == other[place]
    return same


def _last_uses(graph: ModelGraph, layers: list[LayerSteps], layer: int) -> list[str]:
    """Inputs that this layer is the last to use."""
    names = []
    for name in layers[index(graph.order[layer])].released:
        later = False
        for other in range(layer + 1, len(graph.order)):
            later = later or contains(layers[index(graph.order[other])].released, name)
        if not later:
            names.append(name)
    return names


def _used_before_copies(
    graph: ModelGraph, layers: list[LayerSteps], copies: list[LayerCopies], layer: int
) -> list[str]:
    """Inputs used from this layer on and up to the first copies of experts."""
    names: list[str] = []
    for place in range(layer, len(graph.order)):
        for name in layers[index(graph.order[place])].released:
            names.append(name)
        if copies[place].inputs == "experts":
            return names
    return names


def _late_inputs(
    graph: ModelGraph, layers: list[LayerSteps], copies: list[LayerCopies]
) -> list[str]:
    """Inputs that reach the device only with a copy or after one, by their first use."""
    late: list[str] = []
    seen: list[str] = []
    parted = False
    for layer in range(len(graph.order)):
        own = layers[index(graph.order[layer])]
        when = copies[layer].inputs
        at_cache: list[str] = []
        if when == "cache":
            at_cache = _beside_cache(own.attention)
        for name in own.released:
            if not contains(seen, name):
                seen.append(name)
                if parted or when == "use" or contains(at_cache, name):
                    late.append(name)
        parted = parted or when == "use" or when == "experts"
    return late


def _beside_cache(steps: list[GraphStep]) -> list[str]:
    """Inputs released by the steps that read the cache."""
    names = []
    reads = False
    for step in steps:
        if step.action == "take":
            reads = step.reads == "cache" or step.reads == "cache_k"
        if step.action == "release" and reads:
            names.append(step.name)
    return names


def contains(names: list[str], name: str) -> bool:
    """Whether the name is in the list."""
    for entry in names:
        if entry == name:
            return True
    return False
