"""Leaner code for templates: what Jinja decides on every output and call is known beforehand here.

In this site autoescaping is always on, views are records with attributes, and of the functions that
templates call only gettext's take the context. So an output needs one look (finalize, then escape,
unless it is markup already), a call needs no search for what it wants passed, a macro no search for
its arguments where all are given in order, and an attribute is an attribute. A page has hundreds of
each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef, optimizeconst
from jinja2.runtime import Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

from vramsite.site.formatting import finalize
from vramsite.site.markup import escape_text
from vramsite.site.template_folding import is_marked

CONTEXT_FUNCTIONS = frozenset({"_", "gettext", "ngettext", "pgettext", "npgettext"})


def put(value: object) -> str:
    """One output of a template: checked and escaped. Raises TypeError as `finalize` does."""
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[return-value]
    if kind is str:
        return escape_text(value)  # type: ignore[arg-type]
    if kind is int and -1000 < value < 1000:  # type: ignore[operator]
        return str(value)
    return escape(finalize(value))


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """A plain call, written as the code generator writes its arguments."""
    return function(*arguments, **named)


def lean_macro(
    environment: Environment,
    function: Callable[..., str],
    name: str,
    arguments: tuple[str, ...],
    *accesses: bool,
) -> Callable[..., str]:
    """A macro; called with all of its arguments in order it is a plain function.

    Its attribute `text` gives the same as plain text, for outputs that take it as markup.
    """
    macro = Macro(environment, function, name, list(arguments), *accesses)
    if any(accesses[:3]):  # further arguments of the function
        macro.text = macro.__call__  # type: ignore[attr-defined]
        return macro
    count = len(arguments)
    function.__defaults__ = (missing,) * count  # as `Macro` passes what is not given

    def called(*given: Any, **named: Any) -> str:
        if named or len(given) != count:
            return macro(*given, **named)
        return str.__new__(Markup, function(*given))  # `as_markup` at hand

    called.text = function  # type: ignore[attr-defined]
    return called


class LeanCodeGenerator(CodeGenerator):
    """Jinja's code generator without the decisions that are always the same on this site."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("(" if is_marked(node) else "environment.put(")

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
        plain = is_marked(node) and not isinstance(node.node, nodes.EnvironmentAttribute)
        if forward_caller or name in CONTEXT_FUNCTIONS or name == "super":
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        if node.kwargs or node.dyn_args or node.dyn_kwargs:
            self.write("environment.call(")
            self.visit(node.node, frame)
            self.signature(node, frame)
        else:
            self.visit(node.node, frame)
            self.write(".text(" if plain else "(")
            for place, argument in enumerate(node.args):
                self.write(", " if place else "")
                self.visit(argument, frame)
        self.write(")")

    @optimizeconst
    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802
        """`is none` without a call."""
        if node.name != "none":
            super().visit_Test(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(" is None)")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro as `lean_macro` makes it."""
        arguments = tuple(argument.name for argument in macro_ref.node.args)
        name = getattr(macro_ref.node, "name", None)
        self.write(
            f"environment.macro(environment, macro, {name!r}, {arguments!r},"
            f" {macro_ref.accesses_kwargs!r}, {macro_ref.accesses_varargs!r},"
            f" {macro_ref.accesses_caller!r}, context.eval_ctx.autoescape)"
        )

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        """An attribute, and nothing else that the name could mean (blocks are items of `self`)."""
        if isinstance(node.node, nodes.Name) and node.node.name == "self":
            super().visit_Getattr(node, frame)
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")
