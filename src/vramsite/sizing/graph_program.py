"""A layer's graph as the allocator meets it: its steps with sizes, and what is copied before them.

llama.cpp's scheduler cuts the graph into parts. A step whose weight lies on the host begins a new
part (unless the part has no input yet), and so does the device's first step after one that the
host computes, as it does what writes to a cache that lies there. All inputs of a part, copies of
weights and caches and inputs of the graph that no part before it needed, are allocated at its
beginning, in the order of their first use; a copy is freed after the step that reads it.
Source: ggml, ggml-backend.cpp (splitting of the graph, offloading of operations).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.graph_quantities import OUTPUTS, for_outputs
from vramsite.sizing.graph_records import GraphPart, GraphStep, ModelGraph
from vramsite.sizing.numeric import ceil_to, index
from vramsite.sizing.records import Architecture

RESIDUAL = "x"  # what one layer hands to the next
COPY = "copy"  # of a weight or a cache
HOST_STEP = "host"  # "released" where the host computes and a part begins with what it found


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphFacts:
    """What chooses among the parts of a graph."""

    mode: str  # flash, quantised, k_quantised, plain
    fused_router: bool
    joined_experts: bool
    one_sequence: bool
    unified: bool  # several sequences in one cache
    in_place: bool  # no fused kernels that keep tensors apart
    alignment_bytes: float  # of each tensor


def same_choice(one: GraphFacts, other: GraphFacts) -> bool:
    """Whether they choose the same parts."""
    return (
        one.mode == other.mode
        and one.fused_router == other.fused_router
        and one.joined_experts == other.joined_experts
        and one.one_sequence == other.one_sequence
        and one.unified == other.unified
        and one.in_place == other.in_place
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLayer:
    """What of a layer lies in host memory: nothing but what is named."""

    roles: list[str] = field(default_factory=list)  # of weights
    sizes_bytes: list[float] = field(default_factory=list)
    cache_bytes: list[float] = field(default_factory=list)  # K, V; empty: it is on the device
    shared: bool = False  # it is another layer's, which wrote to it
    tables: bool = False  # the tables that layers share


@dataclass(slots=True, kw_only=True)
class Op:
    """What is done to the heap: take, drop, release, rename, start (of a part), rest (drop all)."""

    verb: str
    name: str = ""
    new_name: str = ""
    own: int = -1  # the how manieth take of the program it is about, if about one of them
    copies: list[float] = field(default_factory=list)  # taken at the start


@dataclass(slots=True, kw_only=True)
class LayerProgram:
    """Ops of a layer. Its first steps belong to the part before it, with copies of their own."""

    ops: list[Op] = field(default_factory=list)
    sizes_bytes: list[float] = field(default_factory=list)  # of its takes
    taken: list[GraphStep] = field(default_factory=list)  # what they are sized by
    starts: float = 0.0  # parts that begin in it
    first_copies: list[float] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)  # inputs, in the order of use
    use_starts: list[float] = field(default_factory=list)  # parts begun until then
    releases: list[str] = field(default_factory=list)  # inputs that it drops if it is the last
    owned: list[str] = field(default_factory=list)  # names that its takes have, "" for none
    start_op: int = -1  # the last start
    counts: bool = False  # whether all inputs that it uses are new
    inputs: int = 1  # of the part so far
    parted: bool = False  # the host computed the step before


def chosen(parts: list[GraphPart], facts: GraphFacts, parted: bool = False) -> list[GraphStep]:
    """The steps of the first part whose conditions hold, none where there is no such part.

    `parted`: the layer's graph is cut where its weights are copied, so that shared experts are
    not computed beside the routed ones.
    """
    for part in parts:
        holds = True
        for fact in part.requires:
            holds = holds and _is_so(facts, fact, parted)
        for fact in part.excludes:
            holds = holds and not _is_so(facts, fact, parted)
        if holds:
            if facts.mode == "plain" and len(part.plain) > 0:
                return part.plain
            if facts.mode == "k_quantised" and len(part.k_quantised) > 0:
                return part.k_quantised
            quantised = facts.mode == "quantised" or facts.mode == "k_quantised"
            return part.quantised if quantised and len(part.quantised) > 0 else part.flash
    return []


def _is_so(facts: GraphFacts, fact: str, parted: bool) -> bool:
    if fact == "fused_router":
        return facts.fused_router
    if fact == "joined_experts":
        return facts.joined_experts and not parted
    return facts.unified if fact == "unified" else facts.one_sequence


def layer_program(
    arch: Architecture,
    graph: ModelGraph,
    place: int,
    facts: GraphFacts,
    quantities: list[float],
    host: HostLayer,
) -> LayerProgram:
    """The ops of a layer.

    With the last layer come those of the output: only the rows of the outputs go on, picked after
    the attention or at the end, and no layer is left that uses an input.
    """
    layer = graph.layers[index(graph.order[place])]
    parted = len(host.roles) > 0
    attention = chosen(layer.attention, facts, parted)
    feed_forward = chosen(layer.feed_forward, facts, parted)
    program = LayerProgram(counts=place == 0)
    if place < len(graph.order) - 1:
        add_steps(program, attention, quantities, facts, host)
        add_steps(program, feed_forward, quantities, facts, host)
        return program
    rows = ceil_to(arch.embedding_width * quantities[OUTPUTS] * 4.0, facts.alignment_bytes)
    if graph.outputs_in_last_layer:
        residual_last = attention[len(attention) - 1].name == RESIDUAL
        if residual_last:
            attention = [attention[at] for at in range(len(attention) - 1)]
        add_steps(program, attention, quantities, facts, host)
        _use(program, "out_ids")
        _take(program, "rows", rows)
        _change(program, "drop", "h")
        _change(program, "rename", "rows", "h")
        if residual_last:
            _take(program, "residual_rows", rows)
            _change(program, "drop", RESIDUAL)
            _change(program, "drop", "out_ids")
            _change(program, "drop", "residual_rows")
        add_steps(program, feed_forward, for_outputs(quantities), facts, host)
    else:
        add_steps(program, attention, quantities, facts, host)
        add_steps(program, feed_forward, quantities, facts, host)
        _use(program, "out_ids")
        if len(graph.end) > 0:
            _change(program, "rest", RESIDUAL)
            add_steps(program, graph.end, quantities, facts, host)
        else:
            _take(program, "rows", rows)
    logits = ceil_to(arch.vocabulary * quantities[OUTPUTS] * 4.0, facts.alignment_bytes)
    _take(program, "logits", logits)
    program.ops = [
        Op(verb="drop", name=op.name) if op.verb == "release" else op for op in program.ops
    ]
    return program


def resized(program: LayerProgram, facts: GraphFacts, quantities: list[float]) -> LayerProgram:
    """The program of a layer that has nothing on the host and is not the last, in other sizes."""
    return LayerProgram(
        ops=program.ops,
        sizes_bytes=[aligned_bytes(step, quantities, facts) for step in program.taken],
        taken=program.taken,
        starts=program.starts,
        uses=program.uses,
        use_starts=program.use_starts,
        releases=program.releases,
    )


def add_steps(
    program: LayerProgram,
    steps: list[GraphStep],
    quantities: list[float],
    facts: GraphFacts,
    host: HostLayer,
) -> None:
    """Add the ops of steps."""
    for step in steps:
        if step.action == "take":
            copies = _copies(step.reads, host)
            weighs = len(copies) > 0 or (step.reads == "rope_freqs" and host.tables)
            if step.reads == "cache_v" or (step.reads == "cache" and host.shared):
                weighs = False
            if program.parted or (weighs and program.inputs > 0):
                _begin(program, 0)
            for size in copies:
                program.inputs = program.inputs + 1
                if program.start_op < 0:
                    program.first_copies.append(ceil_to(size, facts.alignment_bytes))
                else:
                    program.ops[program.start_op].copies.append(
                        ceil_to(size, facts.alignment_bytes)
                    )
            for name in step.uses:
                if name != "rope_freqs" or host.tables:
                    _use(program, name)
            if step.new_name != "" and facts.in_place:
                _change(program, "rename", step.new_name, step.name)
            else:
                _take(program, step.name, aligned_bytes(step, quantities, facts))
                program.taken.append(step)
            for _ in copies:
                _change(program, "drop", COPY)
        elif step.action == "release" and step.name == HOST_STEP:
            _begin(program, 1)
        elif step.action == "release" and step.reads != "" and len(host.cache_bytes) > 0:
            program.parted = True  # the host writes to its cache
        else:
            if step.action == "release":
                _use(program, step.name)
                program.releases.append(step.name)
            _change(program, step.action, step.name, step.new_name)


def _begin(program: LayerProgram, inputs: int) -> None:
    """Begin a part, with so many inputs."""
    program.parted = False
    program.start_op = len(program.ops)
    program.starts = program.starts + 1.0
    program.inputs = inputs
    program.ops.append(Op(verb="start"))


def _take(program: LayerProgram, name: str, size_bytes: float) -> None:
    program.ops.append(Op(verb="take", name=name))
    program.sizes_bytes.append(size_bytes)
    program.owned.append(name)


def _change(program: LayerProgram, verb: str, name: str, new_name: str = "") -> None:
    """Drop or rename the oldest tensor of that name."""
    own = -1
    if name in program.owned:
        own = 0
        while program.owned[own] != name:
            own = own + 1
        program.owned[own] = new_name
    program.ops.append(Op(verb=verb, name=name, new_name=new_name, own=own))


def _use(program: LayerProgram, name: str) -> None:
    if name not in program.uses:
        program.uses.append(name)
        program.use_starts.append(program.starts)
        if program.counts:
            program.inputs = program.inputs + 1


def _copies(reads: str, host: HostLayer) -> list[float]:
    """Bytes of what a step reads from the host."""
    if reads == "":
        return []
    if len(host.cache_bytes) > 0:
        if reads == "cache":
            return host.cache_bytes
        if reads == "cache_k":
            return [host.cache_bytes[0]]
        if reads == "cache_v":
            return [host.cache_bytes[1]]
    return [
        host.sizes_bytes[place] for place in range(len(host.roles)) if host.roles[place] == reads
    ]


def aligned_bytes(step: GraphStep, quantities: list[float], facts: GraphFacts) -> float:
    """Bytes that a step takes of the buffer."""
    size = 0.0
    for term in step.terms:
        factor = quantities[index(term.a)] * quantities[index(term.b)]
        size = size + term.size_bytes * factor
    return ceil_to(size, facts.alignment_bytes)
