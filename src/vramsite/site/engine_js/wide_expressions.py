"""Expressions of the readers of config.json: what they have beyond the engine's subset.

Texts and lists may stand for conditions, records have methods, texts are put together from
values; lists and records are compared by what they hold.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from vramsite.site.engine_js.expressions import Expressions
from vramsite.site.engine_js.kinds import BOOL, FLOAT, INT, STR, Kind, fits, is_number, joined
from vramsite.site.engine_js.operators import (
    ASSIGNMENT,
    ATOM,
    CALL,
    COMPARE,
    EQUAL,
    SIGN,
    Js,
)
from vramsite.site.engine_js.source import Parameter, Record

_TEXT_TESTS = {"startswith": "startsWith", "endswith": "endsWith"}
_TEXT_CUTS = {"removeprefix", "removesuffix"}


class WideExpressions(Expressions):
    """Translates the expressions of one function of a reader."""

    def condition(self, node: ast.expr) -> Js:
        """True or false by itself, or a list or text that is not empty."""
        value = self.expression(node)
        if value.kind.name in {"list", "tuple"} and not value.kind.optional:
            return Js(f"{value.within(CALL)}.length>0", COMPARE, BOOL)
        if value.kind == STR:
            return Js(f'{value.within(COMPARE)}!==""', EQUAL, BOOL)
        return super().condition(node)

    def _boolop(self, node: ast.BoolOp) -> Js:
        for value in node.values:
            plain = isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp))
            if not plain and self.expression(value).kind != BOOL:
                raise self.refusal(node, f"`{ast.unparse(node)}`", "truth values")
        return super()._boolop(node)

    def attribute_of(self, node: ast.Attribute, owner: Js) -> Js:
        """A field or property of a record."""
        if owner.kind.name == "record":
            record = self.program.record(owner.kind)
            if node.attr in record.properties:
                method = record.methods[node.attr]
                return Js(f"{self.link.function(method)}({owner.text})", CALL, method.result)
        return super().attribute_of(node, owner)

    def _call(self, node: ast.Call) -> Js:
        if not isinstance(node.func, ast.Attribute):
            return super()._call(node)
        owner = self.expression(node.func.value)
        name = node.func.attr
        if owner.kind.name == "record":
            method = self.program.record(owner.kind).methods.get(name)
            if method is None:
                raise self.refusal(node, f"`{ast.unparse(node.func)}`", "methods of the record")
            given = self._arguments(node, name, method.parameters[1:])
            arguments = ",".join([owner.within(ASSIGNMENT), *given])
            return Js(f"{self.link.function(method)}({arguments})", CALL, method.result)
        if len(node.args) == 1 and not node.keywords:
            if owner.kind == STR:
                return self._of_text(node, owner, name)
            if owner.kind.name in {"list", "tuple"}:
                return self._of_list(node, owner, name)
        raise self.refusal(node, f"`{ast.unparse(node)}`", "methods of records, texts and lists")

    def _of_text(self, node: ast.Call, owner: Js, name: str) -> Js:
        if name == "join":
            parts = self.typed(node.args[0], Kind("list", (STR,)), "what is joined")
            return Js(f"{parts.within(CALL)}.join({owner.text})", CALL, STR)
        other = self.typed(node.args[0], STR, f"argument of {name}")
        if name == "split":
            return Js(f"{owner.within(CALL)}.split({other.text})", CALL, Kind("list", (STR,)))
        if name in _TEXT_TESTS:
            return Js(f"{owner.within(CALL)}.{_TEXT_TESTS[name]}({other.text})", CALL, BOOL)
        if name in _TEXT_CUTS:
            given = f"{owner.within(ASSIGNMENT)},{other.within(ASSIGNMENT)}"
            return Js(f"{self.link.helper(name)}({given})", CALL, STR)
        use = "join, split, startswith, endswith, removeprefix and removesuffix"
        raise self.refusal(node, f"`{ast.unparse(node)}`", use)

    def _of_list(self, node: ast.Call, owner: Js, name: str) -> Js:
        value = self.expression(node.args[0])
        if value.kind.name == "record" and name == "index":
            item = self._free()
            same = f"{self.link.helper('equal')}({item},{value.within(ASSIGNMENT)})"
            return Js(f"{owner.within(CALL)}.findIndex({item}=>{same})", CALL, INT)
        if value.kind.name not in {"float", "int", "str"}:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "numbers or texts")
        if name == "count":
            item = self._free()
            return Js(
                f"{owner.within(CALL)}.filter({item}=>{item}==={value.within(COMPARE)}).length",
                CALL,
                INT,
            )
        if name == "index":
            return Js(f"{owner.within(CALL)}.indexOf({value.text})", CALL, INT)
        raise self.refusal(node, f"`{ast.unparse(node)}`", "count and index")

    def _free(self) -> str:
        assert self.scope is not None
        return self.scope.fresh()

    def _builtin(self, node: ast.Call, name: str) -> Js:
        arguments = node.args
        if name == "replace":
            return self._replaced(node)
        if name in {"zip", "enumerate"}:
            return self._paired(node, name)
        if len(arguments) == 1 and not node.keywords:
            if name in {"any", "all"}:
                flags = self.typed(arguments[0], Kind("list", (BOOL,)), "truth values")
                item = self._free()
                method = "some" if name == "any" else "every"
                return Js(f"{flags.within(CALL)}.{method}({item}=>{item})", CALL, BOOL)
            if name == "list":
                items = self.iterated(arguments[0])
                return Js(f"[...{items.within(ASSIGNMENT)}]", ATOM, items.kind)
            if name in {"min", "max"}:
                items = self.typed(arguments[0], Kind("list", (FLOAT,)), "numbers")
                helper = self.link.helper(name)
                one, other = self._free(), self._free()
                text = f"{items.within(CALL)}.reduce(({one},{other})=>{helper}({one},{other}))"
                return Js(text, CALL, FLOAT)
            if name == "sorted":
                items = self.typed(arguments[0], Kind("list", (FLOAT,)), "numbers")
                one, other = self._free(), self._free()
                text = f"[...{items.within(ASSIGNMENT)}].sort(({one},{other})=>{one}-{other})"
                return Js(text, CALL, items.kind)
        return super()._builtin(node, name)

    def _paired(self, node: ast.Call, name: str) -> Js:
        lists = [self.iterated(value) for value in node.args]
        wanted = 2 if name == "zip" else 1
        if len(lists) != wanted or (name == "zip") != bool(node.keywords):
            raise self.refusal(node, f"`{ast.unparse(node)}`", "zip(a, b, strict=True)")
        text = ",".join(each.within(ASSIGNMENT) for each in lists)
        kinds = [each.kind.items[0] for each in lists]
        pair = Kind("tuple", tuple(kinds) if name == "zip" else (INT, kinds[0]))
        return Js(f"{self.link.helper(name)}({text})", CALL, Kind("list", (pair,)))

    def _replaced(self, node: ast.Call) -> Js:
        owner = self.expression(node.args[0])
        if owner.kind.name != "record" or len(node.args) != 1:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "a record and its new fields")
        record = self.program.record(owner.kind)
        parts = [f"...{owner.within(ASSIGNMENT)}"]
        for keyword in node.keywords:
            field = record.fields.get(keyword.arg or "")
            if field is None:
                raise self.refusal(node, f"field {keyword.arg} of {record.name}", "its own fields")
            value = self.typed(keyword.value, field.kind, f"{record.name}.{field.name}")
            parts.append(f"{self.link.field(field.name)}:{value.within(ASSIGNMENT)}")
        return Js(f"{{{','.join(parts)}}}", ATOM, owner.kind)

    def _construct(self, node: ast.Call, record: Record) -> Js:
        """Positional fields become keywords."""
        names = list(record.fields)[: len(node.args)]
        given = [ast.keyword(name, value) for name, value in zip(names, node.args, strict=False)]
        whole = ast.Call(node.func, [], [*given, *node.keywords])
        return super()._construct(ast.copy_location(whole, node), record)

    def _arguments(self, node: ast.Call, name: str, parameters: Sequence[Parameter]) -> list[str]:
        if not parameters or not parameters[-1].rest:
            return super()._arguments(node, name, parameters)
        plain, rest = parameters[:-1], parameters[-1]
        head = ast.Call(node.func, node.args[: len(plain)], node.keywords)
        texts = super()._arguments(ast.copy_location(head, node), name, plain)
        for value in node.args[len(plain) :]:
            texts.append(self.typed(value, rest.kind.items[0], rest.name).within(ASSIGNMENT))
        return texts

    def _joinedstr(self, node: ast.JoinedStr) -> Js:
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                text = json.dumps(part.value)[1:-1].replace('\\"', '"')
                parts.append(text.replace("`", "\\`").replace("${", "\\${"))
            elif isinstance(part, ast.FormattedValue):
                parts.append(f"${{{self._formatted(part)}}}")
        return Js(f"`{''.join(parts)}`", ATOM, STR)

    def _formatted(self, part: ast.FormattedValue) -> str:
        value = self.expression(part.value)
        spec = ast.unparse(part.format_spec) if part.format_spec else ""
        if spec == "f'g'" and is_number(value.kind):
            return f"{self.link.helper('general')}({value.text})"
        if spec == "" and part.conversion == -1 and value.kind in {STR, INT}:
            return value.text
        raise self.refusal(part, f"`{ast.unparse(part)}` in a text", "texts, whole numbers, :g")

    def _subscript(self, node: ast.Subscript) -> Js:
        owner = self.expression(node.value)
        items = self._as_list(owner)
        if isinstance(node.slice, ast.Slice):
            if items is None or node.slice.step is not None:
                raise self.refusal(node, f"`{ast.unparse(node)}`", "first and end of a list")
            bounds = [node.slice.lower or ast.Constant(0), node.slice.upper]
            texts = [self._bound(bound) for bound in bounds if bound is not None]
            return Js(f"{owner.within(CALL)}.slice({','.join(texts)})", CALL, items)
        fixed = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if owner.kind.name == "tuple" and isinstance(fixed, int):
            return Js(f"{owner.within(CALL)}[{fixed}]", CALL, owner.kind.items[fixed])
        if owner.kind.name == "tuple" and items is not None:
            place = self.typed(node.slice, INT, "an index")
            return Js(f"{owner.within(CALL)}[{place.text}]", CALL, items.items[0])
        return super()._subscript(node)

    def _bound(self, node: ast.expr) -> str:
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return ast.unparse(node)
        return self.typed(node, INT, "a bound").text

    def _binop(self, node: ast.BinOp) -> Js:
        if isinstance(node.op, ast.Mod):
            left, right = self.number(node.left), self.number(node.right)
            text = f"{left.within(ASSIGNMENT)},{right.within(ASSIGNMENT)}"
            return Js(f"{self.link.helper('modulo')}({text})", CALL, FLOAT)
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            items, count = self.expression(node.left), self.expression(node.right)
            if count.kind == INT:
                text = f"{self.link.helper('repeat')}({items.text},{count.text})"
                return Js(text, CALL, items.kind)
        return super()._binop(node)

    def put_together(self, node: ast.BinOp, left: Js, right: Js) -> Js | None:
        """What `+` makes of two lists or texts; None for anything else."""
        if isinstance(node.op, ast.Add) and left.kind.name == "list":
            if fits(right.kind, left.kind):
                text = f"...{left.within(ASSIGNMENT)},...{right.within(ASSIGNMENT)}"
                return Js(f"[{text}]", ATOM, left.kind)
        return super().put_together(node, left, right)

    def _comparison(
        self, node: ast.Compare, operator: ast.cmpop, left: ast.expr, right: ast.expr
    ) -> Js:
        one, other = self.expression(left), self.expression(right)
        if isinstance(operator, (ast.In, ast.NotIn)):
            text = self._contained(node, one, other)
            if isinstance(operator, ast.In):
                return Js(text, CALL, BOOL)
            return Js(f"!{text}", SIGN, BOOL)
        compound = {"list", "tuple", "record"}
        if isinstance(operator, (ast.Eq, ast.NotEq)) and one.kind.name in compound:
            if not fits(one.kind, other.kind) and not fits(other.kind, one.kind):
                raise self.refusal(node, f"`{ast.unparse(node)}`", "two of one kind")
            arguments = f"{one.within(ASSIGNMENT)},{other.within(ASSIGNMENT)}"
            text = f"{self.link.helper('equal')}({arguments})"
            return Js(text if isinstance(operator, ast.Eq) else f"!{text}", SIGN, BOOL)
        return super()._comparison(node, operator, left, right)

    def _contained(self, node: ast.Compare, one: Js, other: Js) -> str:
        if one.kind == other.kind == STR:
            return f"{other.within(CALL)}.includes({one.text})"
        items = self._as_list(other)
        if items is None or joined(items.items[0], one.kind) is None:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "a list of such values")
        if one.kind.name in {"float", "int", "str"}:
            return f"{other.within(CALL)}.includes({one.text})"
        if one.kind.name != "record":
            raise self.refusal(node, f"`{ast.unparse(node)}`", "numbers, texts or records")
        item = self._free()
        helper = self.link.helper("equal")
        return f"{other.within(CALL)}.some({item}=>{helper}({item},{one.within(ASSIGNMENT)}))"

    def _as_list(self, value: Js) -> Kind | None:
        """The list that a list or a tuple of one kind is; mypy has seen to None."""
        if value.kind.name == "list":
            return value.kind.present()
        if value.kind.name != "tuple":
            return None
        kind = Kind("unknown")
        for each in value.kind.items:
            both = joined(kind, each) if kind.name != "unknown" else each
            if both is None:
                return None
            kind = both
        return Kind("list", (kind,))

    def _starred(self, node: ast.Starred) -> Js:
        value = self.expression(node.value)
        items = self._as_list(value)
        if items is None:
            raise self.refusal(node, f"`{ast.unparse(node)}`", "a list")
        return Js(f"...{value.within(ASSIGNMENT)}", ATOM, items.items[0])

    def _tuple(self, node: ast.Tuple) -> Js:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return self._list(ast.copy_location(ast.List(node.elts, ast.Load()), node))
        return super()._tuple(node)

    def _generatorexp(self, node: ast.GeneratorExp) -> Js:
        return self._listcomp(ast.copy_location(ast.ListComp(node.elt, node.generators), node))

    def _listcomp(self, node: ast.ListComp) -> Js:
        loop = node.generators[0]
        if len(node.generators) > 1 or loop.is_async:
            raise self.refusal(node, "comprehension with several loops", "a loop")
        items = self.iterated(loop.iter)
        with self.targets(loop.target, items.kind.items[0]) as name:
            text = items.within(CALL)
            for test in loop.ifs:
                text += f".filter({name}=>{self.condition(test).within(ASSIGNMENT)})"
            element = self.expression(node.elt)
            body = element.within(ASSIGNMENT)
            text += f".map({name}=>{f'({body})' if body.startswith('{') else body})"
        return Js(text, CALL, Kind("list", (element.kind,)))

    @contextmanager
    def targets(self, target: ast.expr, kind: Kind) -> Iterator[str]:
        """What a loop binds, one name or a tuple of them, as a parameter of a function."""
        assert self.scope is not None
        if isinstance(target, ast.Name):
            with self.scope.loop(target, target.id, kind) as name:
                yield name
            return
        parts = target.elts if isinstance(target, ast.Tuple) else []
        if kind.name != "tuple" or len(parts) != len(kind.items):
            raise self.refusal(target, f"loop over `{ast.unparse(target)}`", "names of a tuple")
        with ExitStack() as stack:
            names = [
                stack.enter_context(self.targets(part, item))
                for part, item in zip(parts, kind.items, strict=True)
            ]
            yield f"([{','.join(names)}])"

    def iterated(self, node: ast.expr) -> Js:
        """A list: as such, of a tuple's items, or of a text's letters."""
        if self.range_bounds(node) is None:
            value = self.expression(node)
            items = self._as_list(value)
            if items is not None:
                return Js(value.text, value.level, items)
            if value.kind == STR:
                return Js(f"[...{value.within(ASSIGNMENT)}]", ATOM, Kind("list", (STR,)))
        return super().iterated(node)
