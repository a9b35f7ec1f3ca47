"""data/llama_cpp_graphs.yaml: what compute graphs allocate, by family of architectures.

How a step is written: `vramsite.catalog.graphs.steps`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vramsite.catalog.graphs.nodes import NodeCounts, NodeTable
from vramsite.catalog.graphs.rules import (
    FamilyGraph,
    GraphRules,
    ModePrograms,
    NamedLists,
    PartRule,
    StepProgram,
)
from vramsite.catalog.rule_yaml import read_rules


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Steps(_Strict):
    """Steps by mode; `any` where they do not differ. A text without `:` names a program."""

    any: str = ""
    flash: str = ""
    quantised: str = ""
    k_quantised: str = ""
    plain: str = ""


class Part(_Strict):
    """Steps of a part of a layer, and which layers they are for."""

    kinds: list[str] = Field(default_factory=list)
    requires: list[str] = Field(default_factory=list)
    excludes: list[str] = Field(default_factory=list)
    steps: Steps | str


class Nodes(_Strict):
    """See NodeCounts."""

    layer: float
    outside: float
    slots: float
    rotation: float


class Table(_Strict):
    """See NodeTable."""

    least: float
    per_tensor: float
    sizes: list[float]


class Family(_Strict):
    """The graph of a family of architectures."""

    archs: list[str]
    outputs: Literal["last_layer", "end"] = "last_layer"
    end: str = ""  # steps between the last layer and the logits; "": the rows of the outputs
    requires: list[str] = Field(default_factory=list)
    pool: tuple[float, float, float] = (0.0, 0.0, 0.0)  # tokens of one, most selected, spare
    block_layers: int = 0
    nodes: Nodes | None = None
    host_states: str = ""
    host_scans: str = ""
    weights_of_steps: dict[str, list[str]] = Field(default_factory=dict)  # before the file's own
    inputs: Steps
    host: Steps
    inputs_unified: Steps | None = None
    host_unified: Steps | None = None
    attention: list[Part]
    feed_forward: list[Part]


class GraphFile(_Strict):
    """The whole file."""

    node_table: Table
    fused_router_experts: list[int]
    separate_expert_formats: list[str]
    least_rotation: int
    in_place_without_fusion: dict[str, str]
    weights_of_steps: dict[str, list[str]]
    inputs_of_steps: dict[str, list[str]]
    programs: dict[str, str]
    graphs: list[Family]


@cache
def load_graph_rules(data_dir: Path) -> GraphRules | None:
    """The file, None where there is none. Raises pydantic's ValidationError."""
    path = data_dir / "llama_cpp_graphs.yaml"
    if not path.exists() and not path.is_symlink():
        return None
    return _Converted(GraphFile.model_validate(read_rules(path))).rules()


class _Converted:
    """The file with its programs by their places."""

    def __init__(self, content: GraphFile) -> None:
        self._content = content
        self._programs: dict[str, float] = {}  # places by text

    def rules(self) -> GraphRules:
        content = self._content
        families = [self._family(family) for family in content.graphs]
        in_place = {name: [other] for name, other in content.in_place_without_fusion.items()}
        return GraphRules(
            fused_router_experts=[float(count) for count in content.fused_router_experts],
            separate_expert_formats=content.separate_expert_formats,
            least_rotation=float(content.least_rotation),
            node_table=NodeTable(**dict(content.node_table)),
            in_place_without_fusion=_named_lists(in_place),
            weights_of_steps=_named_lists(content.weights_of_steps),
            inputs_of_steps=_named_lists(content.inputs_of_steps),
            programs=[StepProgram(text=text) for text in self._programs],
            families=families,
        )

    def _family(self, family: Family) -> FamilyGraph:
        pool_tokens, pool_most, pool_spare = family.pool
        unified, host_unified = family.inputs_unified, family.host_unified
        return FamilyGraph(
            archs=family.archs,
            outputs_in_last_layer=family.outputs == "last_layer",
            end=self._place(family.end),
            requires=family.requires,
            pool_tokens=pool_tokens,
            pool_most=pool_most,
            pool_spare=pool_spare,
            block_layers=float(family.block_layers),
            nodes=NodeCounts(**dict(family.nodes)) if family.nodes else None,
            host_states=self._place(family.host_states),
            host_scans=self._place(family.host_scans),
            weights_of_steps=_named_lists(family.weights_of_steps),
            inputs=self._modes(family.inputs),
            host=self._modes(family.host),
            inputs_unified=self._modes(unified) if unified else None,
            host_unified=self._modes(host_unified) if host_unified else None,
            attention=[self._part(part) for part in family.attention],
            feed_forward=[self._part(part) for part in family.feed_forward],
        )

    def _part(self, part: Part) -> PartRule:
        return PartRule(
            kinds=part.kinds,
            requires=part.requires,
            excludes=part.excludes,
            steps=self._modes(part.steps),
        )

    def _modes(self, steps: Steps | str) -> ModePrograms:
        given = Steps(any=steps) if isinstance(steps, str) else steps
        return ModePrograms(
            flash=self._place(given.flash or given.any),
            quantised=self._place(given.quantised),
            k_quantised=self._place(given.k_quantised),
            plain=self._place(given.plain),
        )

    def _place(self, text: str) -> float | None:
        """The place of a program, by its name or its steps."""
        steps = " ".join(self._content.programs.get(text, text).split())
        if not steps:
            return None
        return self._programs.setdefault(steps, float(len(self._programs)))


def _named_lists(given: dict[str, list[str]]) -> NamedLists:
    return NamedLists(names=list(given), lists=list(given.values()))
