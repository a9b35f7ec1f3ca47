"""Expressions of the subset as JavaScript: operators, and calls of functions and records."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from vramsite.site.engine_js.kinds import FLOAT, INT, Kind
from vramsite.site.engine_js.operators import (
    ASSIGNMENT,
    ATOM,
    CALL,
    Js,
    Linker,
    Operators,
)
from vramsite.site.engine_js.source import Parameter, Program, Record, is_numeric

_CALLS_INSTEAD = {
    "sum": "a loop that adds in order",
    "round": "no rounding: numbers are rounded where they are printed",
    "sorted": "a loop",
    "isinstance": "a field that tells the kind",
    "enumerate": "for place in range(len(items))",
    "zip": "for place in range(len(items))",
    "any": "a loop",
    "all": "a loop",
    "int": "index or floor of numeric",
    "range": "it in `for` only",
    "replace": "the record built anew",
    "print": "nothing: the engine says nothing",
}


class Expressions(Operators):
    """Translates the expressions of one function."""

    def _call(self, node: ast.Call) -> Js:
        if not isinstance(node.func, ast.Name):
            raise self.refusal(node, f"`{ast.unparse(node.func)}(…)`", "functions of the engine")
        name = node.func.id
        found = self.program.find(self.module, name)
        if found is None:
            return self._builtin(node, name)
        module, original = found
        if original in module.records:
            return self._construct(node, module.records[original])
        if original not in module.functions:
            raise self.refusal(node, f"`{name}(…)`", "functions and records of the engine")
        function = module.functions[original]
        if is_numeric(module.name) and original == "index" and len(node.args) == 1:
            value = self.number(node.args[0])  # whole by its contract: the number itself
            return Js(value.text, value.level, INT)
        arguments = ",".join(self._arguments(node, function.name, function.parameters))
        return Js(f"{self.link.function(function)}({arguments})", CALL, function.result)

    def _builtin(self, node: ast.Call, name: str) -> Js:
        arguments = node.args
        if name == "int" and is_numeric(self.module.name) and len(arguments) == 1:
            return Js(f"Math.trunc({self.number(arguments[0]).text})", CALL, INT)
        if name not in {"len", "min", "max", "float", "abs"} or node.keywords:
            use = _CALLS_INSTEAD.get(name, "functions of the engine, len, min, max, abs, float")
            raise self.refusal(node, f"`{ast.unparse(node)[:60]}`", use)
        if name == "len":
            items = self.expression(arguments[0])
            if items.kind.name != "list" or items.kind.optional or len(arguments) != 1:
                raise self.refusal(node, f"`{ast.unparse(node)}`", "len of a list")
            return Js(f"{items.within(CALL)}.length", CALL, INT)
        values = [self.number(value) for value in arguments]
        if name in {"min", "max"} and len(values) >= 2:
            whole = all(value.kind.name == "int" for value in values)
            text = values[0].within(ASSIGNMENT)
            for value in values[1:]:
                text = f"{self.link.helper(name)}({text},{value.within(ASSIGNMENT)})"
            return Js(text, CALL, INT if whole else FLOAT)
        if len(values) != 1 or name in {"min", "max"}:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "numbers, two or more for min/max")
        if name == "abs":
            return Js(f"Math.abs({values[0].text})", CALL, values[0].kind.present())
        return Js(values[0].text, values[0].level, FLOAT)

    def _construct(self, node: ast.Call, record: Record) -> Js:
        """An object literal in the order of the call, defaults after it."""
        if node.args:
            raise self.refusal(node, f"positional fields of {record.name}", "keywords")
        given: dict[str, str] = {}
        for keyword in node.keywords:
            field = record.fields.get(keyword.arg or "")
            if field is None:
                raise self.refusal(node, f"field {keyword.arg} of {record.name}", "its own fields")
            value = self.typed(keyword.value, field.kind, f"{record.name}.{field.name}")
            given[field.name] = value.within(ASSIGNMENT)
        for field in record.fields.values():
            if field.name not in given:
                if field.default is None:
                    raise self.refusal(node, f"{record.name} without {field.name}", "all fields")
                given[field.name] = default_text(self.program, record, field.name, self.link)
        kind = Kind("record", record=record.qualified)
        copied = self._copied(node, kind)
        parts = [f"...{copied}"] if copied else []
        effects = {item.arg for item in node.keywords if self.calls(item.value)}
        for name, text in given.items():
            if not self.link.reads(name) and name not in effects:
                continue
            short = self.link.field(name)
            if not copied or text != f"{copied}.{short}":
                parts.append(f"{short}:{text}")
        return Js(f"{{{','.join(parts)}}}", ATOM, kind)

    def _copied(self, node: ast.Call, kind: Kind) -> str:
        """The variable of the same record that at least two fields are taken from as they are."""
        owners = [
            keyword.value.value.id
            for keyword in node.keywords
            if isinstance(keyword.value, ast.Attribute)
            and isinstance(keyword.value.value, ast.Name)
            and keyword.value.attr == keyword.arg
        ]
        for name in sorted(set(owners)):
            known = self.scope.variables.get(name) if self.scope is not None else None
            if known is not None and known.kind == kind and owners.count(name) >= 2:
                return known.short
        return ""

    def _arguments(self, node: ast.Call, name: str, parameters: Sequence[Parameter]) -> list[str]:
        if len(node.args) > len(parameters):
            raise self.refusal(node, f"too many arguments of {name}", "those it has")
        places = {parameter.name: place for place, parameter in enumerate(parameters)}
        given: dict[int, ast.expr] = dict(enumerate(node.args))
        for keyword in node.keywords:
            place = places.get(keyword.arg or "")
            if place is None or place in given:
                raise self.refusal(node, f"argument {keyword.arg} of {name}", "each argument once")
            given[place] = keyword.value
        calling = [place for place, value in given.items() if _may_raise(value)]
        if calling != sorted(calling):
            raise self.refusal(node, f"arguments of {name} out of order", "the parameters' order")
        texts = []
        for place, parameter in enumerate(parameters):
            if place in given:
                value = self.typed(given[place], parameter.kind, f"{name}'s {parameter.name}")
                texts.append(value.within(ASSIGNMENT))
            elif parameter.default is None:
                raise self.refusal(node, f"{name} without {parameter.name}", "all arguments")
            elif place < max(given, default=-1):
                texts.append(self.expression(parameter.default).text)
        return texts


def default_text(program: Program, record: Record, name: str, link: Linker) -> str:
    """The default of a field, as JavaScript."""
    field = record.fields[name]
    if field.default is None:
        return "[]"
    return (
        Expressions(program, record.module, None, link).typed(field.default, field.kind, name).text
    )


def _may_raise(node: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.Subscript)) for part in ast.walk(node))
