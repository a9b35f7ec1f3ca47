"""The compiler's one error: a construct that it does not translate."""

from __future__ import annotations

import ast
from pathlib import Path


class SubsetError(ValueError):
    """Python outside the engine's subset: one line a fault, `file:line: construct … use …`."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def refusal(path: Path, node: ast.AST, construct: str, use: str) -> SubsetError:
    """The error for a node; quote the source in `construct` where it helps."""
    line = getattr(node, "lineno", 1)
    return SubsetError(
        [f"{path}:{line}: construct {construct} is outside the engine's subset; use {use}"]
    )
