"""What a published figure is a figure of: conditions that its note states beside the columns."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_GENERATED_TOKENS = 128.0  # llama-bench's default, where nothing is said
RANDOM_LENGTH_SHARE = 0.5  # sglang.bench_serving draws lengths between 0 and the one named

_GENERATED = [
    re.compile(pattern)
    for pattern in (
        r"gen (\d+) tok",
        r"output (\d+) tok",
        r"~(\d+(?:\.\d+)?) output tok",
        r"OSL (\d+)",
        r"(\d+) generated",
        r"mean in \d+ out (\d+)",
        r"input \d+ output (\d+)",
        r"\btg(\d+)",
        r"\bTG ?=?(\d+)",
        r" -g (\d+)",
        r"gen (\d+)\)",
    )
]
# "single-stream wall rate (includes TTFT ...)" is not among them: those rates are higher than the
# first-token times of the same runs allow, so they leave the prompt out.
_WALL = re.compile(
    r"(?<!single-stream )wall rate|incl\. prefill|incl\. TTFT|includes prefill|incl\. prompt"
    r"|aggregate output tok/s"
)
_UBATCH = re.compile(r"n_ubatch=(\d+)|\bub(\d+)")
_TENSOR = re.compile(r"\btp=?(\d+)", re.IGNORECASE)
_CUT = re.compile(r"row split|split[- ]mode[= ](row|tensor|graph)|-sm (row|tensor|graph)")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Read from a row's note."""

    generated_tokens: float
    wall_clock: bool  # the rate is tokens over the whole request, its prompt included
    ubatch_tokens: float | None
    tensor_parallel: float | None
    cut_matrices: bool  # the note names a split of matrices


def read_conditions(notes: str) -> Conditions:
    """What the note says; lengths drawn at random count half."""
    generated = DEFAULT_GENERATED_TOKENS
    for pattern in _GENERATED:
        found = pattern.search(notes)
        if found:
            generated = max(float(found.group(1)), 1.0)
            break
    if "randomis" in notes:
        generated *= RANDOM_LENGTH_SHARE
    ubatch = _UBATCH.search(notes)
    tensor = _TENSOR.search(notes)
    return Conditions(
        generated_tokens=generated,
        wall_clock=_WALL.search(notes) is not None,
        ubatch_tokens=float(ubatch.group(1) or ubatch.group(2)) if ubatch else None,
        tensor_parallel=float(tensor.group(1)) if tensor else None,
        cut_matrices=_CUT.search(notes) is not None,
    )
