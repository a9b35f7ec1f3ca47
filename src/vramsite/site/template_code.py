"""Leaner code for templates: what Jinja decides on every output and call is known beforehand here.

In this site autoescaping is always on, views are records with attributes, and of the functions that
templates call only gettext's take the context. So an output needs one look (finalize, then escape,
unless it is markup already), a call needs no search for what it wants passed, and an attribute is
an attribute. A page has hundreds of each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import markupsafe
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, optimizeconst
from markupsafe import Markup, escape

from vramsite.site.formatting import finalize

CONTEXT_FUNCTIONS = frozenset({"_", "gettext", "ngettext", "pgettext", "npgettext"})
# The part of `escape` that works on a plain text and gives a plain text.
_escape_text: Callable[[str], str] = getattr(
    markupsafe, "_escape_inner", lambda text: str(escape(text))
)


def put(value: object) -> str:
    """One output of a template: checked and escaped. Raises TypeError as `finalize` does."""
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[return-value]
    if kind is str:
        return _escape_text(value)  # type: ignore[arg-type]
    return escape(finalize(value))


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """A plain call, written as the code generator writes its arguments."""
    return function(*arguments, **named)


class LeanCodeGenerator(CodeGenerator):
    """Jinja's code generator without the decisions that are always the same on this site."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.put(")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_post(node, frame, finalize)
        else:
            self.write(")")

    @optimizeconst
    def visit_Call(  # noqa: N802 (the visitor's spelling)
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        """A call without the context, except of the functions that take it."""
        name = node.node.name if isinstance(node.node, nodes.Name) else ""
        if forward_caller or name in CONTEXT_FUNCTIONS or name == "super":
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write("environment.call(")
        self.visit(node.node, frame)
        self.signature(node, frame)
        self.write(")")

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """An attribute, and nothing else that the name could mean (blocks are items of `self`)."""
        if isinstance(node.node, nodes.Name) and node.node.name == "self":
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")
