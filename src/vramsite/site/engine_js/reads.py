"""Which fields of records matter: those that somebody looks at in the end.

A field that is only copied from one record into the same field of another is looked at by nobody.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from vramsite.site.engine_js.source import Function, Module, Program, is_numeric


class Reads:
    """What some functions, and those that they call, read."""

    def __init__(
        self, program: Program, functions: Iterable[Function], left_out: Iterable[str] = ()
    ) -> None:
        self._program = program
        self._plain: set[str] = set()
        self._within: dict[str, set[str]] = {}  # field → fields that its value is made of
        waiting = list(functions)
        seen: set[str] = {*left_out}
        while waiting:
            function = waiting.pop()
            if function.qualified in seen:
                continue
            seen.add(function.qualified)
            self._walk(function.module, function.node, self._plain)
            waiting.extend(self._called(function))

    def fields(self, public: frozenset[str]) -> frozenset[str]:
        """Names of the fields that matter where those of ``public`` do."""
        found = self._plain | public
        waiting = list(found)
        while waiting:
            fresh = self._within.get(waiting.pop(), set()) - found
            found |= fresh
            waiting.extend(fresh)
        return frozenset(found)

    def _called(self, function: Function) -> list[Function]:
        found = []
        for part in ast.walk(function.node):
            if isinstance(part, ast.Name):
                place = self._program.find(function.module, part.id)
                if place is not None and place[1] in place[0].functions:
                    found.append(place[0].functions[place[1]])
        return found

    def _walk(self, module: Module, node: ast.AST, into: set[str]) -> None:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            into.add(node.attr)
        if isinstance(node, ast.Call) and self._makes_record(module, node):
            for keyword in node.keywords:
                droppable = not calls(self._program, module, keyword.value)
                name = keyword.arg or ""
                target = self._within.setdefault(name, set()) if droppable else into
                self._walk(module, keyword.value, target)
            return
        for part in ast.iter_child_nodes(node):
            self._walk(module, part, into)

    def _makes_record(self, module: Module, node: ast.Call) -> bool:
        if not isinstance(node.func, ast.Name):
            return False
        place = self._program.find(module, node.func.id)
        return place is not None and place[1] in place[0].records


def calls(program: Program, module: Module, node: ast.AST) -> bool:
    """Whether a function of the engine is called, which may refuse or change something."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            place = program.find(module, part.func.id)
            if place is not None and not is_numeric(place[0].name):
                if place[1] in place[0].functions:
                    return True
    return False
