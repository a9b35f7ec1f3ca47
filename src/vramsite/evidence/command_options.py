"""Options of llama.cpp's tools in the command that a published figure quotes."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST_COMMAND = 155  # notes quote no more of one
_ENDS_WITHIN = re.compile(
    r"\s(?:-c|--ctx-size|-np|--parallel|-ub|--ubatch-size|-ngl|--n-gpu-layers|-ncmoe|--n-cpu-moe)"
    r"(?:[ =]\d*)?$"
)


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """What the command sets; None where it leaves the default."""

    tool: str  # llama-bench, llama-server, "" where none is named
    context_tokens: float | None
    parallel: float | None
    batch_tokens: float | None
    ubatch_tokens: float | None
    gpu_layers: float | None
    cpu_moe_layers: float | None
    all_experts_on_host: bool
    kv_offload: bool
    vision: bool
    cut: bool  # the note ends within an option that memory depends on


def read_options(notes: str) -> CommandOptions:
    """Options in the text after "cmd:", if there is one."""
    # Notes are cut at a length: an option at their very end may be half of one.
    command = notes.partition("cmd:")[2].partition("[norm:")[0].rstrip()
    tool = re.search(r"llama-(?:bench|server|cli)", command)
    return CommandOptions(
        tool=tool.group(0) if tool else "",
        context_tokens=_number(command, r"(?:-c|--ctx-size)"),
        parallel=_number(command, r"(?:-np|--parallel)"),
        batch_tokens=_number(command, r"(?:-b|--batch-size)"),
        ubatch_tokens=_number(command, r"(?:-ub|--ubatch-size)"),
        gpu_layers=_number(command, r"(?:-ngl|--n-gpu-layers|--gpu-layers)"),
        cpu_moe_layers=_number(command, r"(?:-ncmoe|--n-cpu-moe)"),
        all_experts_on_host=re.search(r"(?:^|\s)(?:--cpu-moe|-cmoe)(?:\s|$)", command) is not None,
        kv_offload=re.search(r"--no-kv-offload|(?:^|\s)-nkvo(?:\s+1|\s|$)", command) is None,
        vision="--mmproj" in command,
        cut=len(command) >= LONGEST_COMMAND and _ENDS_WITHIN.search(command) is not None,
    )


def _number(command: str, option: str) -> float | None:
    found = re.search(rf"(?:^|\s){option}[ =](\d+)(?=\s)", command)
    return float(found.group(1)) if found else None
