"""The records of data/llama_cpp_graphs.yaml, as the maker of a model's graph takes them."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.catalog.graphs.nodes import NodeCounts, NodeTable
from vramsite.catalog.graphs.steps import RuleStep, read_program
from vramsite.sizing.numeric import index


@dataclass(slots=True, kw_only=True)
class StepProgram:
    """Steps by their text, read when they are asked for."""

    text: str
    read: bool = False
    steps: list[RuleStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModePrograms:
    """Places of the programs by mode (GraphPart's), None where the one before it holds."""

    flash: float | None = None
    quantised: float | None = None
    k_quantised: float | None = None
    plain: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRule:
    """Steps of a part of a layer, and which layers they are for."""

    kinds: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    excludes: list[str] = field(default_factory=list)
    steps: ModePrograms


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedLists:
    """Lists of names by a name."""

    names: list[str] = field(default_factory=list)
    lists: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyGraph:
    """The graph of a family of architectures."""

    archs: list[str]
    outputs_in_last_layer: bool = True
    end: float | None = (
        None  # program between the last layer and the logits; None: rows of the outputs
    )
    requires: list[str] = field(default_factory=list)
    pool_tokens: float = 0.0  # of one pool
    pool_most: float = 0.0  # selected
    pool_spare: float = 0.0
    block_layers: float = 0.0
    nodes: NodeCounts | None = None  # where the scheduler's table may be too small for them
    host_states: float | None = None  # programs: see ModelGraph.host_more
    host_scans: float | None = None
    weights_of_steps: NamedLists  # before the file's own
    inputs: ModePrograms
    host: ModePrograms
    inputs_unified: ModePrograms | None = None
    host_unified: ModePrograms | None = None
    attention: list[PartRule]
    feed_forward: list[PartRule]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphRules:
    """The whole file."""

    fused_router_experts: list[float]
    separate_expert_formats: list[str]
    least_rotation: float
    node_table: NodeTable
    in_place_without_fusion: NamedLists  # lists of one
    weights_of_steps: NamedLists
    inputs_of_steps: NamedLists
    programs: list[StepProgram]
    families: list[FamilyGraph]


def named(found: NamedLists, name: str) -> list[str]:
    """The list of that name, an empty one where there is none."""
    if name not in found.names:
        return []
    return found.lists[found.names.index(name)]


def steps_of(rules: GraphRules, place: float | None) -> list[RuleStep]:
    """The steps of a program by its place. Raises ArchitectureError for what cannot be read."""
    if place is None:
        return []
    program = rules.programs[index(place)]
    if not program.read:
        program.steps = read_program(program.text)
        program.read = True
    return program.steps
