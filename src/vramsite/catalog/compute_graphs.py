"""data/llama_cpp_graphs.yaml: what compute graphs allocate, by family of architectures.

A step is `name:size` (take), `-name` (drop), `!name` (drop in the last layer that uses it) or
`old>new` (rename); `*name:size` takes it once for every layer (`*name|role:size`: every layer
that holds such a tensor, `**`: but the first). A size is a width, F32 for each token of a
micro-batch; `@word` says what else it is repeated by (with a number: of the cache that holds one
entry for so many tokens), `*number` other bytes, `used*` and `stack*` multiply it by the experts
used and by the tensor's stacked matrices, and `+` adds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from vramsite.catalog.rule_yaml import read_rules

F32_BYTES = 4.0
MODES = ("flash", "quantised", "k_quantised", "plain")
_TERM = re.compile(
    r"(?:(?P<times>used|stack)\*)?(?P<width>[a-z1][^@*]*)"
    r"(?:@(?P<per>[a-z_]+)(?P<entry>\d*))?(?:\*(?P<factor>[\d.]+))?"
)


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

    def of_mode(self, mode: str) -> str:
        """The text of a mode, "" where it is the one before it."""
        if isinstance(self.steps, str):
            return self.steps if mode == "flash" else ""
        return str(getattr(self.steps, mode)) or (self.steps.any if mode == "flash" else "")


class FamilyGraph(_Strict):
    """The graph of a family of architectures."""

    archs: list[str]
    outputs: Literal["last_layer", "end"] = "last_layer"
    end: str = ""  # steps between the last layer and the logits; "": the rows of the outputs
    requires: list[str] = Field(default_factory=list)
    pool: tuple[float, float, float] = (0.0, 0.0, 0.0)  # tokens of one, most selected, spare
    block_layers: int = 0
    weights_of_steps: dict[str, list[str]] = Field(default_factory=dict)  # before the file's own
    inputs: Steps
    host: Steps
    inputs_unified: Steps | None = None
    host_unified: Steps | None = None
    attention: list[Part]
    feed_forward: list[Part]


class GraphFile(_Strict):
    """The whole file."""

    fused_router_experts: list[int]
    separate_expert_formats: list[str]
    least_rotation: int
    in_place_without_fusion: dict[str, str]
    weights_of_steps: dict[str, list[str]]
    inputs_of_steps: dict[str, list[str]]
    programs: dict[str, str]
    graphs: list[FamilyGraph]


@dataclass(frozen=True, slots=True)
class Term:
    """`factor_bytes` x a width x what it is repeated by."""

    width: str
    times: str  # "", used, stack
    per: str
    entry_tokens: float
    factor_bytes: float


@dataclass(frozen=True, slots=True)
class Step:
    """A step as the file gives it; `each_with`: once for every layer with a tensor of that role."""

    action: str  # take, take_for_each_layer, drop, release, rename
    name: str
    new_name: str = ""
    each_with: str = ""
    but: int = 0  # layers left out of them
    terms: tuple[Term, ...] = ()


@cache
def load_graph_file(data_dir: Path) -> GraphFile | None:
    """The file, None where there is none. Raises pydantic's ValidationError."""
    path = data_dir / "llama_cpp_graphs.yaml"
    if not path.exists() and not path.is_symlink():
        return None
    return GraphFile.model_validate(read_rules(path))


@cache
def read_steps(text: str) -> tuple[Step, ...]:
    """The steps of a program. Raises ValueError for one that cannot be read."""
    return tuple(_read_step(token) for token in text.split())


def _read_step(token: str) -> Step:
    if token.startswith("-"):
        return Step("drop", token[1:])
    if token.startswith("!"):
        return Step("release", token[1:])
    if ">" in token:
        old, _, new = token.partition(">")
        return Step("rename", old, new)
    name, found, size = token.partition(":")
    if not found or not name or not size:
        raise ValueError(f"llama_cpp_graphs.yaml: cannot read step {token!r}")
    stars = len(name) - len(name.lstrip("*"))
    name, _, role = name.lstrip("*").partition("|")
    terms = tuple(_read_term(term) for term in size.split("+"))
    action = "take_for_each_layer" if stars else "take"
    return Step(action, name, "", role, max(stars - 1, 0), terms)


def _read_term(text: str) -> Term:
    found = _TERM.fullmatch(text)
    if found is None:
        raise ValueError(f"llama_cpp_graphs.yaml: cannot read size {text!r}")
    return Term(
        width=found["width"],
        times=found["times"] or "",
        per=found["per"] or "token",
        entry_tokens=float(found["entry"] or 1.0),
        factor_bytes=float(found["factor"]) if found["factor"] else F32_BYTES,
    )
