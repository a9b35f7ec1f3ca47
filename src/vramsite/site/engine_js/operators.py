"""Operators of the subset as JavaScript, with as few parentheses and spaces as it takes."""

from __future__ import annotations

import ast
import json
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
from vramsite.site.engine_js.reads import calls
from vramsite.site.engine_js.scope import Scope
from vramsite.site.engine_js.source import Function, Module, Program, is_numeric

# How tightly JavaScript's operators bind.
ASSIGNMENT, CHOICE, OR, AND, EQUAL, COMPARE, SUM, PRODUCT, SIGN, CALL, ATOM = (
    2, 3, 4, 5, 9, 10, 12, 13, 15, 18, 20,
)  # fmt: skip

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


class Linker(Protocol):
    """Who gives names to functions and notes that they are used."""

    def function(self, found: Function) -> str:
        """The short name of a function."""

    def helper(self, name: str) -> str:
        """The short name of something the language lacks: min, max, range, error."""

    def field(self, name: str) -> str:
        """What a field is called over there."""

    def reads(self, name: str) -> bool:
        """Whether anybody looks at fields of that name; others need not be there."""


@dataclass(frozen=True, slots=True)
class Js:
    """A translated expression: its text, how tightly it binds, its type."""

    text: str
    level: int
    kind: Kind

    def within(self, level: int) -> str:
        """The text where only what binds as tightly may stand bare."""
        return self.text if self.level >= level else f"({self.text})"


class Operators:
    """Translates what needs no call: names, operators, comparisons, comprehensions."""

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

    def put_together(self, node: ast.BinOp, left: Js, right: Js) -> Js | None:
        """What `+` makes of two texts; None for anything else."""
        if not isinstance(node.op, ast.Add) or left.kind != STR:
            return None
        if right.kind != STR:
            text = ast.unparse(node.right)
            raise self.refusal(node.right, f"{right.kind.text()} `{text}`", "str as text")
        return Js(f"{left.within(SUM)}+{right.within(PRODUCT)}", SUM, STR)

    def number(self, node: ast.expr) -> Js:
        """An expression that must be a number."""
        return self.as_number(node, self.expression(node))

    def as_number(self, node: ast.expr, value: Js) -> Js:
        """The same of one that is translated already."""
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
            there = type(self)(self.program, found[0], None, self.link)
            return there.expression(found[0].constants[found[1]])
        raise self.refusal(
            node, f"name {node.id!r}", "parameters, variables set before, constants of modules"
        )

    def _attribute(self, node: ast.Attribute) -> Js:
        return self.attribute_of(node, self.expression(node.value))

    def attribute_of(self, node: ast.Attribute, owner: Js) -> Js:
        """A field of a record."""
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
        if is_numeric(self.module.name) and isinstance(node.op, ast.FloorDiv):
            if isinstance(node.right, ast.Constant) and node.right.value == 1.0:
                return Js(f"Math.floor({self.number(node.left).text})", CALL, FLOAT)
        found = _ARITHMETIC.get(type(node.op))
        if found is None:
            use = _INSTEAD.get(type(node.op).__name__, "+ - * / and floor of numeric")
            raise self.refusal(node, f"`{ast.unparse(node)}`", use)
        operator, level = found
        left, right = self.expression(node.left), self.expression(node.right)
        joined_up = self.put_together(node, left, right)
        if joined_up is not None:
            return joined_up
        left, right = self.as_number(node.left, left), self.as_number(node.right, right)
        if operator == "*" and left.kind == INT and right.text == "1":
            return Js(left.text, left.level, FLOAT)  # there is one kind of number over there
        whole = left.kind.name == right.kind.name == "int" and operator != "/"
        if whole and operator == "*" and (_negative(node.left) or _negative(node.right)):
            raise self.refusal(node, f"`{ast.unparse(node)}`", "floats: 0 * -1 is -0 over there")
        second = right.within(level + 1)
        gap = " " if second.startswith(operator) else ""
        text = f"{left.within(level)}{operator}{gap}{second}"
        return Js(text, level, INT if whole else FLOAT)

    def _unaryop(self, node: ast.UnaryOp) -> Js:
        if isinstance(node.op, ast.Not):
            return Js(f"!{self.condition(node.operand).within(SIGN)}", SIGN, BOOL)
        if isinstance(node.op, ast.USub):
            value = self.number(node.operand)
            if value.kind.name == "int" and not isinstance(node.operand, ast.Constant):
                use = "a float: -0 is a number of its own over there"
                raise self.refusal(node, f"`{ast.unparse(node)}`", use)
            return Js(f"-{value.within(CALL)}", SIGN, value.kind.present())
        raise self.unknown(node)

    def _boolop(self, node: ast.BoolOp) -> Js:
        level, sign = (AND, "&&") if isinstance(node.op, ast.And) else (OR, "||")
        parts = [self.condition(value).within(level) for value in node.values]
        return Js(sign.join(parts), level, BOOL)

    def _ifexp(self, node: ast.IfExp) -> Js:
        fallback = self._fallback(node)
        if fallback is not None:
            return fallback
        test = self.condition(node.test).within(OR)
        first, second = self.expression(node.body), self.expression(node.orelse)
        kind = joined(first.kind, second.kind)
        if kind is None:
            both = f"{first.kind.text()} or {second.kind.text()}"
            raise self.refusal(node, f"choice of {both}", "one type")
        text = f"{test}?{first.within(ASSIGNMENT)}:{second.within(ASSIGNMENT)}"
        return Js(text, CHOICE, kind)

    def _fallback(self, node: ast.IfExp) -> Js | None:
        """`a if a is not None else b`, and the same the other way round, as `a??b`."""
        test = node.test
        if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Is, ast.IsNot)):
            return None
        known = isinstance(test.ops[0], ast.IsNot)
        asked, other = (node.body, node.orelse) if known else (node.orelse, node.body)
        plain = isinstance(asked, (ast.Name, ast.Attribute))
        if not plain or ast.dump(asked) != ast.dump(test.left):
            return None
        first, second = self.expression(asked), self.expression(other)
        kind = joined(first.kind.present(), second.kind)
        if kind is None:
            return None
        return Js(f"{first.within(COMPARE)}??{second.within(COMPARE)}", CHOICE, kind)

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
            # Of one type, or null: the short signs mean the same as the long ones.
            sign = "==" if isinstance(operator, ast.Eq) else "!="
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
                if any(map(self.calls, loop.ifs)) and self.calls(node.elt):
                    # All tests come before the first element here, not in turns.
                    raise self.refusal(node, "comprehension that calls in both halves", "a loop")
                body = element.within(ASSIGNMENT)
                text += f".map({name}=>{f'({body})' if body.startswith('{') else body})"
            elif not loop.ifs and not self._is_fresh(loop.iter):
                text = f"[...{items.within(ASSIGNMENT)}]"
        return Js(text, CALL, Kind("list", (element.kind,)))

    def _is_fresh(self, node: ast.expr) -> bool:
        """Whether an expression makes a list that nothing else holds."""
        return isinstance(node, (ast.List, ast.ListComp)) or self.range_bounds(node) is not None

    def calls(self, node: ast.expr) -> bool:
        """Whether a function of the engine is called, which may refuse or change something."""
        return calls(self.program, self.module, node)

    def iterated(self, node: ast.expr) -> Js:
        """A list, or the list of a range (in comprehensions)."""
        bounds = self.range_bounds(node)
        if bounds is not None:
            first, last = bounds
            start = "" if first.text == "0" else f",{first.text}"
            text = f"{self.link.helper('range')}({last.text}{start})"
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


def _negative(node: ast.expr) -> bool:
    """Whether a whole number may be below zero: it is subtracted or negated to get it."""
    return any(isinstance(part, (ast.USub, ast.Sub)) for part in ast.walk(node))


def number_text(value: float) -> str:
    """A number as JavaScript reads it back to the same bits, without needless digits."""
    text = repr(float(value))
    text = text.removesuffix(".0").replace("e+", "e")
    return text[1:] if text.startswith("0.") else text
