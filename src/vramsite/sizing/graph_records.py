"""What a model's compute graph allocates, in order: made by the catalog from its family's graph."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTerm:
    """`size_bytes` x two quantities, given by their places (see sizing/graph_quantities.py)."""

    size_bytes: float
    a: float = 1.0  # tokens of the micro-batch
    b: float = 0.0  # 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStep:
    """Take a tensor (of the sum of its terms), drop it, or rename it.

    "release" drops an input in the last layer that uses it.
    """

    name: str
    action: str = "take"  # take, drop, rename, release
    new_name: str = ""  # of a take: the tensor in whose place it is computed without fusion
    terms: list[GraphTerm] = field(default_factory=list)
    # What the step reads beside other steps: the role of a weight, or of the layer's cache
    # "cache" (K and V), "cache_k", "cache_v"; copied to the device where it lies on the host.
    # Of a release: the input is needed where the cache lies, which is written to here
    reads: str = ""
    uses: list[str] = field(default_factory=list)  # inputs used before the step that releases them


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPart:
    """Steps, and when they hold. Where a list is empty the one before it holds."""

    # fused_router, joined_experts: the back end joins operations; one_sequence; unified
    requires: list[str] = field(default_factory=list)
    excludes: list[str] = field(default_factory=list)
    flash: list[GraphStep] = field(default_factory=list)
    # flash attention over a quantised cache: rotations beside it
    quantised: list[GraphStep] = field(default_factory=list)
    k_quantised: list[GraphStep] = field(default_factory=list)  # only K is quantised
    plain: list[GraphStep] = field(default_factory=list)  # without it; empty: as with it


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphLayer:
    """The parts of layers that are alike; the first whose conditions hold counts."""

    attention: list[GraphPart]
    feed_forward: list[GraphPart]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuantity:
    """A quantity beyond those that every graph has."""

    # entries, all_entries: of a cache with one entry for `size` tokens (of a slot, of all);
    # blocks: whole blocks of `size` tokens; least_tokens: at most `size` tokens a sequence;
    # least: at most `size`, else quantity `of` / `per` + `spare`
    kind: str
    size: float
    of: float = 0.0
    per: float = 1.0
    spare: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelGraph:
    """The graph of a model."""

    layers: list[GraphLayer]
    order: list[float]  # index into layers, one entry a layer
    inputs: list[GraphPart]
    host: list[GraphPart]
    # What the host's buffer holds beside (in every mode): where recurrent states lie there, and
    # where their layers do
    host_more: list[GraphPart] = field(default_factory=list)
    # For which caches the scheduler's table of nodes is too small: "kv" (both quantised), "k", "v"
    # or neither, "+" where sequences have caches of their own
    overfull: list[str] = field(default_factory=list)
    quantities: list[GraphQuantity] = field(default_factory=list)
    layer_inputs: list[str] = field(default_factory=list)  # those that layers use
    end: list[GraphStep] = field(default_factory=list)  # before the logits; empty: rows alone
    outputs_in_last_layer: bool = True  # the rows of the outputs are picked there, not at the end
    rotated: bool = True  # quantised keys and values are rotated
    # The back end has fused kernels for its router, and computes its shared experts beside the
    # routed ones, except in these formats
    fused_router: bool = False
    joined_experts: bool = False
    separate_formats: list[str] = field(default_factory=list)
