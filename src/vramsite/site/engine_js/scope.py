"""The variables of one function: their short names and types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from vramsite.site.engine_js.fault import refusal
from vramsite.site.engine_js.kinds import Kind, fits, joined
from vramsite.site.engine_js.names import variable_mark
from vramsite.site.engine_js.source import Function


@dataclass(slots=True)
class Variable:
    """A name of a function. A loop's variable lives only within `loop`."""

    short: str
    kind: Kind
    loop: bool = False


@dataclass(slots=True)
class Scope:
    """What names of a function mean at the place that is being translated."""

    function: Function
    variables: dict[str, Variable] = field(default_factory=dict)
    _count: int = 0
    _again: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for parameter in self.function.parameters:
            self.variables[parameter.name] = Variable(self.fresh(), parameter.kind)

    def fresh(self) -> str:
        """A short name that nothing has at this place."""
        if self._again:
            return self._again.pop()
        self._count += 1
        return variable_mark(self._count)

    def free(self, *names: str) -> None:
        """Let go of names that were known within a loop alone."""
        self._again = sorted({*self._again, *names}, key=lambda mark: int(mark[1:-1]))[::-1]

    def assign(self, node: ast.AST, name: str, value: Kind, declared: Kind | None = None) -> bool:
        """Note an assignment; True for the first of this name.

        Raises:
            SubsetError: the name is a loop's, or has another type.
        """
        known = self.variables.get(name)
        if known is None:
            self.variables[name] = Variable(self.fresh(), declared or value)
            return True
        if known.loop:
            raise self._refusal(node, f"assignment to loop variable {name!r}", "another name")
        both = joined(known.kind, value)
        if declared is not None or both is None:
            raise self._refusal(node, f"{name!r} as {value.text()}", f"it as {known.kind.text()}")
        if self._is_parameter(name) and not fits(value, known.kind):
            raise self._refusal(node, f"{name!r} as {value.text()}", "another name")
        known.kind = both
        return False

    @contextmanager
    def loop(self, node: ast.AST, name: str, kind: Kind) -> Iterator[str]:
        """The variable of a loop or comprehension, known within it alone."""
        outer = self.variables.get(name)
        if outer is not None and name != "_":
            raise self._refusal(node, f"second meaning of {name!r}", "a name of its own")
        short = self.fresh()
        self.variables[name] = Variable(short, kind, loop=True)
        yield short
        del self.variables[name]
        self.free(short)
        if outer is not None:
            self.variables[name] = outer

    def _is_parameter(self, name: str) -> bool:
        return any(parameter.name == name for parameter in self.function.parameters)

    def _refusal(self, node: ast.AST, construct: str, use: str) -> Exception:
        return refusal(self.function.module.path, node, construct, use)
