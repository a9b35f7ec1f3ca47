"""Template expressions as JavaScript.

Helpers of `templates/assets/js/markup.js` stand under names with a "$": `$e` prints (escaping what
is no markup), `$t` is truth as Python has it, `$f` the number formats, `$S` markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Protocol

from jinja2 import nodes

from vramsite.site.template_js.fault import TemplateError, refusal

FORMATS = {
    "integer", "number", "compact", "three_digits", "unit", "gib", "gb", "mib", "bytes_auto",
    "tps", "span", "tps_range", "gib_range", "percent", "usd", "tokens", "tokens_short",
    "billions", "seconds", "date", "month", "price", "cost", "amount",
}  # fmt: skip
_COMPARISONS = {"eq": "===", "ne": "!==", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">="}
_RESERVED = {"new", "class", "default", "delete", "function", "in", "var", "let", "const", "with"}
_BOOLEAN = (nodes.Compare, nodes.Test, nodes.Not)


class Scope(Protocol):
    """What an expression may refer to."""

    template: str

    def is_local(self, name: str) -> bool:
        """Whether a parameter, a loop or a set gives the name."""
        ...

    def macro(self, node: nodes.Call) -> str | None:
        """The JavaScript name of the macro that a call calls, None for another call."""
        ...

    def named_macro(self, template: str, macro: str) -> str:
        """The JavaScript name of a macro by template and name."""
        ...

    def parameters(self, compiled: str) -> list[str]:
        """The parameter names of a macro, by its JavaScript name."""
        ...

    def link(self, kind: str, ids: list[str], line: int) -> str:
        """The address of a page as an expression."""
        ...

    def plural(self, singular: str, plural: str) -> list[str]:
        """The translated forms of a message, in the order of the language's plural index."""
        ...


def camel(name: str) -> str:
    """`tokens_short` as `tokensShort`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def variable(name: str) -> str:
    """A template's variable; no word of the language."""
    return f"{name}$" if name in _RESERVED else name


def text(value: str) -> str:
    """A string literal."""
    return json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028")


class Expressions:
    """Translates the expressions of one macro."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._rules: dict[type[nodes.Node], Callable[..., str]] = {
            nodes.Name: self._name,
            nodes.Const: lambda node: json.dumps(node.value, ensure_ascii=False),
            nodes.TemplateData: lambda node: f"new $S({text(node.data)})",
            nodes.MarkSafe: lambda node: f"new $S({self(node.expr)})",
            nodes.MarkSafeIfAutoescape: lambda node: f"new $S({self(node.expr)})",
            nodes.Getattr: lambda node: f"{self(node.node)}.{node.attr}",
            nodes.Getitem: lambda node: f"{self(node.node)}[{self(node.arg)}]",
            nodes.List: lambda node: f"[{','.join(map(self, node.items))}]",
            nodes.Tuple: lambda node: f"[{','.join(map(self, node.items))}]",
            nodes.Not: lambda node: f"!{self.condition(node.node)}",
            nodes.And: lambda node: f"({self.condition(node.left)}&&{self(node.right)})",
            nodes.Or: lambda node: f"({self(node.left)}||{self(node.right)})",
            nodes.CondExpr: self._choice,
            nodes.Concat: lambda node: f"$c({','.join(map(self, node.nodes))})",
            nodes.Compare: self._compare,
            nodes.Test: self._test,
            nodes.Filter: self._filter,
            nodes.Call: self._call,
        }

    def __call__(self, node: nodes.Node) -> str:
        """The expression; TemplateError for what is not known."""
        rule = self._rules.get(type(node))
        if rule is None:
            raise self._refusal(node, type(node).__name__)
        return rule(node)

    def condition(self, node: nodes.Node) -> str:
        """The expression as a truth value."""
        return self(node) if isinstance(node, _BOOLEAN) else f"$t({self(node)})"

    def _refusal(self, node: nodes.Node, found: str) -> TemplateError:
        return refusal(self._scope.template, node.lineno, found)

    def _name(self, node: nodes.Name) -> str:
        if not self._scope.is_local(node.name):
            raise self._refusal(node, f"the name {node.name!r}")
        return variable(node.name)

    def _choice(self, node: nodes.CondExpr) -> str:
        other = '""' if node.expr2 is None else self(node.expr2)
        return f"({self.condition(node.test)}?{self(node.expr1)}:{other})"

    def _compare(self, node: nodes.Compare) -> str:
        if len(node.ops) != 1:
            raise self._refusal(node, "a chain of comparisons")
        left, right, operation = self(node.expr), self(node.ops[0].expr), node.ops[0].op
        if operation in _COMPARISONS:
            return f"({left}{_COMPARISONS[operation]}{right})"
        if operation in ("in", "notin"):
            return f"({'' if operation == 'in' else '!'}{right}.includes({left}))"
        raise self._refusal(node, f"the comparison {operation}")

    def _test(self, node: nodes.Test) -> str:
        if node.name != "none" or node.args:
            raise self._refusal(node, f"the test {node.name!r}")
        return f"({self(node.node)}===null)"

    def _filter(self, node: nodes.Filter) -> str:
        if node.node is None or node.kwargs or node.dyn_args or node.dyn_kwargs:
            raise self._refusal(node, f"this use of the filter {node.name!r}")
        values = [self(node.node), *map(self, node.args)]
        if node.name in FORMATS:
            return f"$f.{camel(node.name)}({','.join(values)})"
        if node.name == "data":
            name = node.args[0]
            if not isinstance(name, nodes.Const) or name.value not in FORMATS:
                raise self._refusal(node, "data with this format")
            values[1] = text(camel(name.value))
            return f"$data({','.join(values)})"
        if node.name in ("trim", "svg"):
            return f"${node.name}({','.join(values)})"
        if node.name == "length":
            return f"{values[0]}.length"
        if node.name == "int":
            return values[0]
        raise self._refusal(node, f"the filter {node.name!r}")

    def _call(self, node: nodes.Call) -> str:
        if node.dyn_args or node.dyn_kwargs:
            raise self._refusal(node, "a call with a star")
        compiled = self._scope.macro(node)
        if compiled is not None:
            return self._macro_call(node, compiled, node.args)
        function = node.node
        if isinstance(function, nodes.Getattr) and isinstance(function.node, nodes.Name):
            if function.node.name == "fmt" and function.attr in FORMATS:
                return f"$f.{camel(function.attr)}({','.join(map(self, node.args))})"
        if isinstance(function, nodes.Name):
            if function.name == "fragment":
                return self._fragment(node)
            if function.name == "url":
                kind = node.args[0]
                if isinstance(kind, nodes.Const):
                    ids = [self(part) for part in node.args[1:]]
                    return self._scope.link(kind.value, ids, node.lineno)
            if function.name == "ngettext":
                return self._plural(node)
        raise self._refusal(node, "this call")

    def _macro_call(self, node: nodes.Call, compiled: str, given: list[nodes.Expr]) -> str:
        names = self._scope.parameters(compiled)
        values = [self(item) for item in given]
        named = {item.key: self(item.value) for item in node.kwargs}
        for name in names[len(values) :]:
            values.append(named.pop(name, "undefined"))
        if named or len(values) > len(names):
            raise self._refusal(node, "a call with other parameters than the macro has")
        while values and values[-1] == "undefined":
            values.pop()
        return f"{compiled}({','.join(values)})"

    def _fragment(self, node: nodes.Call) -> str:
        template, macro = node.args[0], node.args[1]
        if not isinstance(template, nodes.Const) or not isinstance(macro, nodes.Const):
            raise self._refusal(node, "a fragment whose macro varies")
        compiled = self._scope.named_macro(template.value, macro.value)
        return self._macro_call(node, compiled, node.args[3:])

    def _plural(self, node: nodes.Call) -> str:
        singular, plural, count = node.args
        if not isinstance(singular, nodes.Const) or not isinstance(plural, nodes.Const):
            raise self._refusal(node, "a plural whose text varies")
        values = {item.key: self(item.value) for item in node.kwargs}
        number = self(count)
        values.setdefault("num", number)
        forms = [
            self.message(form, values) for form in self._scope.plural(singular.value, plural.value)
        ]
        return f"new $S([{','.join(forms)}][$n({number})])"

    def message(self, form: str, values: dict[str, str]) -> str:
        """A message with its values put in and escaped."""
        parts = []
        for index, piece in enumerate(re.split(r"%\((\w+)\)s", form)):
            if index % 2:
                parts.append(f"$e({values[piece]})")
            elif piece:
                parts.append(text(piece.replace("%%", "%")))
        return "+".join(parts) or '""'
