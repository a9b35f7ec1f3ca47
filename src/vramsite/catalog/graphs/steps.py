"""Steps of a compute graph, read from the text that data/llama_cpp_graphs.yaml gives them in.

A step is `name:size` (take), `-name` (drop), `!name` (drop in the last layer that uses it) or
`old>new` (rename); `*name:size` takes it once for every layer (`*name|role:size`: every layer
that holds such a tensor, `**`: but the first). A size is a width, F32 for each token of a
micro-batch; `@word` says what else it is repeated by (with a number: of the cache that holds one
entry for so many tokens), `*number` other bytes, `used*` and `stack*` multiply it by the experts
used and by the tensor's stacked matrices, and `+` adds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.catalog.architectures.json_value import decimal_number
from vramsite.catalog.architectures.keys import ArchitectureError

F32_BYTES = 4.0
# The cells that K and V are written to; what stands for the state of a recurrent layer
CACHE_ROWS = ("k_rows", "v_rows", "k_idxs", "v_idxs", "state", "state_rows")
_TIMES = ("used", "stack")
_DIGITS = "0123456789"
_FILE = "llama_cpp_graphs.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTerm:
    """`factor_bytes` x a width x what it is repeated by."""

    width: str
    times: str  # "", used, stack
    per: str
    entry_tokens: float
    factor_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleStep:
    """A step as the file gives it; `each_with`: once for every layer with a tensor of that role."""

    action: str  # take, take_for_each_layer, drop, release, rename
    name: str
    new_name: str = ""
    each_with: str = ""
    but: float = 0.0  # layers left out of them
    of_cache_rows: bool = False
    terms: list[RuleTerm] = field(default_factory=list)


def read_program(text: str) -> list[RuleStep]:
    """The steps of a program, "" for none. Raises ArchitectureError for what cannot be read."""
    return [_read_step(token) for token in text.split(" ")] if text != "" else []


def _read_step(token: str) -> RuleStep:
    if token.startswith("-"):
        return RuleStep(action="drop", name=token.removeprefix("-"))
    if token.startswith("!"):
        name = token.removeprefix("!")
        rows = _ends_apart(name)[0] in CACHE_ROWS
        return RuleStep(action="release", name=name, of_cache_rows=rows)
    if ">" in token:
        names = token.split(">")
        return RuleStep(action="rename", name=names[0], new_name=names[1])
    halves = token.split(":")
    if len(halves) != 2 or halves[0] == "" or halves[1] == "":
        raise ArchitectureError(_FILE, f"cannot read step {token}")
    stars = halves[0].split("*")
    names = stars[len(stars) - 1].split("|")
    return RuleStep(
        action="take_for_each_layer" if len(stars) > 1 else "take",
        name=names[0],
        each_with=names[1] if len(names) > 1 else "",
        but=max(len(stars) - 2.0, 0.0),
        terms=[_read_term(term) for term in halves[1].split("+")],
    )


def _ends_apart(text: str) -> tuple[str, str]:
    """A text without the digits at its end, and these."""
    head = ""
    digits = ""
    for letter in text:
        if letter in _DIGITS:
            digits = digits + letter
        else:
            head = head + digits + letter
            digits = ""
    return head, digits


def _read_term(text: str) -> RuleTerm:
    parts = text.split("*")
    times = ""
    if parts[0] in _TIMES and len(parts) > 1 and decimal_number(parts[1]) is None:
        times = parts[0]
        parts = parts[1:]
    factor: float | None = F32_BYTES
    if len(parts) > 1:
        factor = decimal_number(parts[1])
    repeated = parts[0].split("@")
    word, digits = _ends_apart(repeated[1]) if len(repeated) > 1 else ("token", "")
    entry = decimal_number(digits) if digits != "" else 1.0
    if len(parts) > 2 or len(repeated) > 2 or repeated[0] == "" or word == "":
        factor = None
    if factor is None or entry is None:
        raise ArchitectureError(_FILE, f"cannot read size {text}")
    return RuleTerm(
        width=repeated[0], times=times, per=word, entry_tokens=entry, factor_bytes=factor
    )
