"""Expressions of the subset as JavaScript with as few parentheses and spaces as it takes."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from vramsite.site.engine_js.fault import SubsetError, refusal
from vramsite.site.engine_js.kinds import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    UNKNOWN,
    Kind,
    fits,
    is_number,
    joined,
)
from vramsite.site.engine_js.scope import Scope
from vramsite.site.engine_js.source import Function, Module, Parameter, Program, Record

# How tightly JavaScript's operators bind.
ASSIGNMENT, CHOICE, OR, AND, EQUAL, COMPARE, SUM, PRODUCT, SIGN, CALL, ATOM = (
    2, 3, 4, 5, 9, 10, 12, 13, 15, 18, 20,
)  # fmt: skip

NUMERIC_MODULE = "numeric"  # the only place for // and int()

_ARITHMETIC: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
    ast.Div: ("/", PRODUCT),
}
_ORDER: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_INSTEAD = {
    "Pow": "multiplication, tables or interpolation",
    "Mod": "a - floor(a / b) * b with floor of numeric",
    "FloorDiv": "floor of numeric",
    "JoinedStr": "short codes; words are the report's",
    "Lambda": "a module-level function",
    "GeneratorExp": "a list comprehension or a loop",
    "Dict": "a list of records",
    "Set": "a list",
    "DictComp": "a list of records",
    "SetComp": "a list",
    "NamedExpr": "an assignment of its own",
    "Slice": "a loop or a comprehension",
    "Starred": "arguments one by one",
    "Await": "plain functions",
    "Yield": "a list",
}
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


class Linker(Protocol):
    """Who gives names to functions and notes that they are used."""

    def function(self, found: Function) -> str:
        """The short name of a function."""

    def helper(self, name: str) -> str:
        """The short name of something the language lacks: min, max, range, error."""

    def field(self, name: str) -> str:
        """What a field is called over there."""


@dataclass(frozen=True, slots=True)
class Js:
    """A translated expression: its text, how tightly it binds, its type."""

    text: str
    level: int
    kind: Kind

    def within(self, level: int) -> str:
        """The text where only what binds as tightly may stand bare."""
        return self.text if self.level >= level else f"({self.text})"


class Expressions:
    """Translates the expressions of one function."""

    def __init__(self, program: Program, module: Module, scope: Scope | None, link: Linker) -> None:
        self.program = program
        self.module = module
        self.scope = scope
        self.link = link

    def refusal(self, node: ast.AST, construct: str, use: str) -> SubsetError:
        """The error for a node of this module."""
        return refusal(self.module.path, node, construct, use)

    def unknown(self, node: ast.AST) -> SubsetError:
        """The error for a kind of node that has no translation."""
        name = type(node).__name__
        text = ast.unparse(node).splitlines()[0][:60]
        return self.refusal(node, f"{name} `{text}`", _INSTEAD.get(name, "something simpler"))

    def expression(self, node: ast.expr) -> Js:
        """Any expression. Raises SubsetError."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.unknown(node)
        found: Js = method(node)
        return found

    def typed(self, node: ast.expr, target: Kind, what: str) -> Js:
        """An expression that must be of a type."""
        value = self.expression(node)
        if not fits(value.kind, target):
            raise self.refusal(
                node, f"{value.kind.text()} `{ast.unparse(node)}`", f"{target.text()} as {what}"
            )
        return value

    def condition(self, node: ast.expr) -> Js:
        """An expression that is true or false by itself."""
        value = self.expression(node)
        if value.kind != BOOL:
            text = ast.unparse(node)
            raise self.refusal(
                node, f"truth of {value.kind.text()} `{text}`", "a comparison (> 0.0, is None, …)"
            )
        return value

    def number(self, node: ast.expr) -> Js:
        """An expression that must be a number."""
        value = self.expression(node)
        if not is_number(value.kind):
            text = ast.unparse(node)
            raise self.refusal(node, f"arithmetic with {value.kind.text()} `{text}`", "numbers")
        return value

    def _constant(self, node: ast.Constant) -> Js:
        value = node.value
        if value is None:
            return Js("null", ATOM, NONE)
        if value is True or value is False:
            return Js("!0" if value else "!1", SIGN, BOOL)
        if isinstance(value, str):
            return Js(json.dumps(value), ATOM, STR)
        if isinstance(value, (int, float)):
            return Js(number_text(value), ATOM, INT if isinstance(value, int) else FLOAT)
        raise self.unknown(node)

    def _name(self, node: ast.Name) -> Js:
        known = self.scope.variables.get(node.id) if self.scope is not None else None
        if known is not None:
            return Js(known.short, ATOM, known.kind)
        found = self.program.find(self.module, node.id)
        if found is not None and found[1] in found[0].constants:
            there = Expressions(self.program, found[0], None, self.link)
            return there.expression(found[0].constants[found[1]])
        raise self.refusal(
            node, f"name {node.id!r}", "parameters, variables set before, constants of modules"
        )

    def _attribute(self, node: ast.Attribute) -> Js:
        owner = self.expression(node.value)
        if owner.kind.name != "record":
            raise self.refusal(node, f"`{ast.unparse(node)}`", "attributes of records")
        field = self.program.record(owner.kind).fields.get(node.attr)
        if field is None:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "a field of the record")
        return Js(f"{owner.within(CALL)}.{self.link.field(node.attr)}", CALL, field.kind)

    def _subscript(self, node: ast.Subscript) -> Js:
        owner = self.expression(node.value)
        if isinstance(node.slice, ast.Slice):
            raise self.unknown(node.slice)
        if owner.kind.name != "list":
            raise self.refusal(node, f"`{ast.unparse(node)}`", "an index into a list")
        if isinstance(node.slice, ast.UnaryOp):
            raise self.refusal(node, "index from the end", "len(items) - 1")
        place = self.typed(node.slice, INT, "an index (index() of numeric)")
        return Js(f"{owner.within(CALL)}[{place.text}]", CALL, owner.kind.items[0])

    def _binop(self, node: ast.BinOp) -> Js:
        if self.module.name == NUMERIC_MODULE and isinstance(node.op, ast.FloorDiv):
            if isinstance(node.right, ast.Constant) and node.right.value == 1.0:
                return Js(f"Math.floor({self.number(node.left).text})", CALL, FLOAT)
        found = _ARITHMETIC.get(type(node.op))
        if found is None:
            use = _INSTEAD.get(type(node.op).__name__, "+ - * / and floor of numeric")
            raise self.refusal(node, f"`{ast.unparse(node)}`", use)
        operator, level = found
        if operator == "+" and self.expression(node.left).kind == STR:
            left, right = self.expression(node.left), self.typed(node.right, STR, "text")
            return Js(f"{left.within(SUM)}+{right.within(PRODUCT)}", SUM, STR)
        left, right = self.number(node.left), self.number(node.right)
        whole = left.kind.name == right.kind.name == "int" and operator != "/"
        second = right.within(level + 1)
        gap = " " if second.startswith(operator) else ""
        text = f"{left.within(level)}{operator}{gap}{second}"
        return Js(text, level, INT if whole else FLOAT)

    def _unaryop(self, node: ast.UnaryOp) -> Js:
        if isinstance(node.op, ast.Not):
            return Js(f"!{self.condition(node.operand).within(SIGN)}", SIGN, BOOL)
        if isinstance(node.op, ast.USub):
            value = self.number(node.operand)
            return Js(f"-{value.within(CALL)}", SIGN, value.kind.present())
        raise self.unknown(node)

    def _boolop(self, node: ast.BoolOp) -> Js:
        level, sign = (AND, "&&") if isinstance(node.op, ast.And) else (OR, "||")
        parts = [self.condition(value).within(level) for value in node.values]
        return Js(sign.join(parts), level, BOOL)

    def _ifexp(self, node: ast.IfExp) -> Js:
        test = self.condition(node.test).within(OR)
        first, second = self.expression(node.body), self.expression(node.orelse)
        kind = joined(first.kind, second.kind)
        if kind is None:
            both = f"{first.kind.text()} or {second.kind.text()}"
            raise self.refusal(node, f"choice of {both}", "one type")
        text = f"{test}?{first.within(ASSIGNMENT)}:{second.within(ASSIGNMENT)}"
        return Js(text, CHOICE, kind)

    def _compare(self, node: ast.Compare) -> Js:
        operands = [node.left, *node.comparators]
        for middle in operands[1:-1]:
            if not isinstance(middle, (ast.Name, ast.Attribute, ast.Constant)):
                text = ast.unparse(middle)
                raise self.refusal(node, f"chained comparison over `{text}`", "a variable for it")
        parts = [
            self._comparison(node, operator, operands[place], operands[place + 1])
            for place, operator in enumerate(node.ops)
        ]
        if len(parts) == 1:
            return parts[0]
        return Js("&&".join(part.within(AND) for part in parts), AND, BOOL)

    def _comparison(
        self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr
    ) -> Js:
        one, other = self.expression(left), self.expression(right)
        kinds = f"`{ast.unparse(node)}` of {one.kind.text()} and {other.kind.text()}"
        if isinstance(operator, (ast.Is, ast.IsNot)):
            if other.kind.name != "none" or other.text != "null":
                raise self.refusal(node, kinds, "is None, is not None, == and !=")
            sign = "==" if isinstance(operator, ast.Is) else "!="
            return Js(f"{one.within(COMPARE)}{sign}null", EQUAL, BOOL)
        if isinstance(operator, (ast.In, ast.NotIn)):
            if one.kind != STR or other.kind != Kind("list", (STR,)):
                raise self.refusal(node, kinds, "in with a string and a list of strings")
            text = f"{other.within(CALL)}.includes({one.text})"
            if isinstance(operator, ast.In):
                return Js(text, CALL, BOOL)
            return Js(f"!{text}", SIGN, BOOL)
        numbers = is_number(one.kind) and is_number(other.kind)
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            same = one.kind.present() == other.kind.present() and one.kind.name in {"str", "bool"}
            if not numbers and not same:
                raise self.refusal(node, kinds, "== with two numbers, strings or truth values")
            sign = "===" if isinstance(operator, ast.Eq) else "!=="
            return Js(f"{one.within(COMPARE)}{sign}{other.within(COMPARE)}", EQUAL, BOOL)
        if not numbers:
            raise self.refusal(node, kinds, "< <= > >= with numbers")
        text = f"{one.within(SUM)}{_ORDER[type(operator)]}{other.within(SUM)}"
        return Js(text, COMPARE, BOOL)

    def _list(self, node: ast.List) -> Js:
        items = [self.expression(item) for item in node.elts]
        kind: Kind | None = UNKNOWN
        for item in items:
            kind = item.kind if kind == UNKNOWN else joined(kind or UNKNOWN, item.kind)
            if kind is None:
                raise self.refusal(node, "list of several types", "one type")
        text = ",".join(item.within(ASSIGNMENT) for item in items)
        return Js(f"[{text}]", ATOM, Kind("list", (kind or UNKNOWN,)))

    def _tuple(self, node: ast.Tuple) -> Js:
        items = [self.expression(item) for item in node.elts]
        text = ",".join(item.within(ASSIGNMENT) for item in items)
        return Js(f"[{text}]", ATOM, Kind("tuple", tuple(item.kind for item in items)))

    def _listcomp(self, node: ast.ListComp) -> Js:
        loop = node.generators[0]
        if len(node.generators) > 1 or loop.is_async or not isinstance(loop.target, ast.Name):
            raise self.refusal(node, "comprehension with several loops", "a loop")
        assert self.scope is not None
        items = self.iterated(loop.iter)
        with self.scope.loop(node, loop.target.id, items.kind.items[0]) as name:
            text = items.within(CALL)
            for test in loop.ifs:
                text += f".filter({name}=>{self.condition(test).within(ASSIGNMENT)})"
            element = self.expression(node.elt)
            if element.text != name:
                body = element.within(ASSIGNMENT)
                text += f".map({name}=>{f'({body})' if body.startswith('{') else body})"
        return Js(text, CALL, Kind("list", (element.kind,)))

    def iterated(self, node: ast.expr) -> Js:
        """A list, or the list of a range (in comprehensions)."""
        bounds = self.range_bounds(node)
        if bounds is not None:
            first, last = bounds
            text = f"{self.link.helper('range')}({first.text},{last.text})"
            return Js(text, CALL, Kind("list", (INT,)))
        items = self.expression(node)
        if items.kind.name != "list" or items.kind.optional:
            raise self.refusal(node, f"loop over `{ast.unparse(node)}`", "a list or range(…)")
        return items

    def range_bounds(self, node: ast.expr) -> tuple[Js, Js] | None:
        """First and end of `range(…)`, None for anything else."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            return None
        if node.func.id != "range":
            return None
        if node.keywords or len(node.args) not in {1, 2}:
            raise self.refusal(node, "range with a step", "range(end) or range(first, end)")
        bounds = [self.typed(bound, INT, "a bound (index() of numeric)") for bound in node.args]
        return (Js("0", ATOM, INT), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])

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
        arguments = ",".join(self._arguments(node, function.name, function.parameters))
        return Js(f"{self.link.function(function)}({arguments})", CALL, function.result)

    def _builtin(self, node: ast.Call, name: str) -> Js:
        arguments = node.args
        if name == "int" and self.module.name == NUMERIC_MODULE and len(arguments) == 1:
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
        for name, text in given.items():
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


def number_text(value: float) -> str:
    """A number as JavaScript reads it back to the same bits, without needless digits."""
    text = repr(float(value))
    text = text.removesuffix(".0").replace("e+", "e")
    return text[1:] if text.startswith("0.") else text


def _may_raise(node: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.Subscript)) for part in ast.walk(node))
