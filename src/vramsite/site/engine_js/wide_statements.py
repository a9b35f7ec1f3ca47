"""Statements of the readers of config.json: what they have beyond the engine's subset."""

from __future__ import annotations

import ast
from typing import cast

from vramsite.site.engine_js.kinds import fits
from vramsite.site.engine_js.operators import ASSIGNMENT, CALL, CHOICE
from vramsite.site.engine_js.statements import FunctionCompiler
from vramsite.site.engine_js.wide_expressions import WideExpressions
from vramsite.site.engine_js.wide_program import EXCEPTION


class WideFunctionCompiler(FunctionCompiler):
    """Translates one function of a reader."""

    makes = WideExpressions

    @property
    def _wide(self) -> WideExpressions:
        return cast(WideExpressions, self.expressions)

    def _parameter(self, name: str, place: int) -> str:
        parameter = self.function.parameters[place]
        if parameter.rest:
            return f"...{name}"
        if isinstance(parameter.default, ast.Tuple):
            return f"{name}=[]"
        return super()._parameter(name, place)

    def _expr(self, node: ast.Expr) -> str:
        value = node.value
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            owner = self.expressions.expression(value.func.value)
            if owner.kind.name == "record":
                return f"{self.expressions.expression(value).text};"
        return super()._expr(node)

    def _augassign(self, node: ast.AugAssign) -> str:
        if isinstance(node.target, (ast.Name, ast.Attribute)) and isinstance(node.op, ast.Add):
            place = self.expressions.expression(node.target)
            value = self.expressions.expression(node.value)
            if place.kind.name == "list" and fits(value.kind, place.kind):
                return f"{place.within(CALL)}.push(...{value.within(ASSIGNMENT)});"
        return super()._augassign(node)

    def _raise(self, node: ast.Raise) -> str:
        call = node.exc
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != EXCEPTION or node.cause:
            return super()._raise(node)
        texts = [self.expressions.expression(value).within(ASSIGNMENT) for value in call.args]
        return f"throw new {self.link.helper('architecture_error')}({','.join(texts)});"

    def _is_error(self, name: str) -> bool:
        return super()._is_error(name) or name == EXCEPTION

    def _for(self, node: ast.For) -> str:
        if node.orelse or self.expressions.range_bounds(node.iter) is not None:
            return super()._for(node)
        items = self.expressions.iterated(node.iter)
        with self._wide.targets(node.target, items.kind.items[0]) as name:
            bound = name.strip("()") if name.startswith("(") else name
            return f"for(let {bound} of {items.within(CHOICE)}){self._block(node.body)}"
