"""Functions of the subset as JavaScript: statements, loops and the variables they set."""

from __future__ import annotations

import ast

from vramsite.site.engine_js.expressions import Expressions
from vramsite.site.engine_js.fault import SubsetError
from vramsite.site.engine_js.kinds import FLOAT, INT, Kind, fits, is_number
from vramsite.site.engine_js.operators import ASSIGNMENT, CALL, CHOICE, OR, Js, Linker
from vramsite.site.engine_js.scope import Scope
from vramsite.site.engine_js.source import ERROR, Function, Program, is_errors

_ASSIGNED: dict[type[ast.operator], str] = {
    ast.Add: "+=",
    ast.Sub: "-=",
    ast.Mult: "*=",
    ast.Div: "/=",
}
_INSTEAD = {
    "Try": "checks before; the engine lets its errors through",
    "With": "plain statements",
    "Match": "if and elif",
    "FunctionDef": "a module-level function",
    "ClassDef": "a module-level dataclass",
    "Import": "an import at the top",
    "ImportFrom": "an import at the top",
    "Assert": "raise SizingError(code)",
    "Delete": "a new list",
    "Global": "parameters",
    "Nonlocal": "parameters",
}


class FunctionCompiler:
    """Translates one function."""

    makes: type[Expressions] = Expressions

    def __init__(self, program: Program, function: Function, link: Linker) -> None:
        self.function = function
        self.scope = Scope(function)
        self.expressions = self.makes(program, function.module, self.scope, link)
        self.link = link
        self._hoisted: list[str] = []
        self._depth = 0
        self._returns: dict[str, Js] = {}  # by their text
        self._choices: dict[str, tuple[Js, Js]] = {}  # `if(test)return value;` by their text

    def compile(self) -> str:
        """The function as an expression: `(a,b=1)=>{…}`. Raises SubsetError."""
        parameters = [
            self._parameter(self.scope.variables[parameter.name].short, place)
            for place, parameter in enumerate(self.function.parameters)
        ]
        head = ",".join(parameters)
        if len(parameters) != 1 or "=" in head or "." in head:
            head = f"({head})"
        body = self._body(self.function.node.body)
        if self._hoisted:
            rest = body[4:] if body.startswith("let ") else f";{body}"
            comma = "," if body.startswith("let ") else ""
            body = f"let {','.join(self._hoisted)}{comma}{rest}"
        if body.startswith("return") and ";" not in body[:-1]:
            value = body.removeprefix("return").strip(" ;")
            return f"{head}=>({value})" if value.startswith("{") else f"{head}=>{value}"
        return f"{head}=>{{{body.removesuffix(';')}}}"

    def _parameter(self, name: str, place: int) -> str:
        parameter = self.function.parameters[place]
        if parameter.default is None:
            return name
        what = f"default of {parameter.name}"
        return f"{name}={self.expressions.typed(parameter.default, parameter.kind, what).text}"

    def _refusal(self, node: ast.AST, construct: str, use: str) -> SubsetError:
        return self.expressions.refusal(node, construct, use)

    def _body(self, nodes: list[ast.stmt]) -> str:
        parts: list[str] = []
        for node in nodes:
            text = self._statement(node)
            if parts and text.startswith("let ") and parts[-1].startswith("let "):
                parts[-1] = f"{parts[-1][:-1]},{text[4:]}"
            else:
                parts.append(text)
        while len(parts) > 1 and parts[-1] in self._returns and parts[-2] in self._choices:
            test, first = self._choices[parts.pop(-2)]
            other = self._returns[parts.pop()]
            text = f"{test.within(OR)}?{first.within(ASSIGNMENT)}:{other.within(ASSIGNMENT)}"
            parts.append(self._returned(Js(text, CHOICE, other.kind)))
        return "".join(parts)

    def _block(self, nodes: list[ast.stmt], followed: bool = False) -> str:
        """Statements under a condition or in a loop, in braces where they need them.

        `followed` by an else, an inner `if` must not catch it.
        """
        self._depth += 1
        text = self._body(nodes)
        self._depth -= 1
        nesting = isinstance(nodes[0], (ast.If, ast.For, ast.While))
        bare = len(nodes) == 1 and text != "" and not (followed and nesting)
        return text if bare else f"{{{text.removesuffix(';')}}}"

    def _returned(self, value: Js) -> str:
        text = f"return{'' if value.text[0] in '{[(!-' else ' '}{value.text};"
        self._returns[text] = value
        return text

    def _statement(self, node: ast.stmt) -> str:
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            name = type(node).__name__
            raise self._refusal(node, f"statement {name}", _INSTEAD.get(name, "something simpler"))
        found: str = method(node)
        return found

    def _pass(self, node: ast.Pass) -> str:
        return ""

    def _break(self, node: ast.Break) -> str:
        return "break;"

    def _continue(self, node: ast.Continue) -> str:
        return "continue;"

    def _expr(self, node: ast.Expr) -> str:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return ""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            return self._append(value, value.func)
        if not isinstance(value, ast.Call):
            raise self._refusal(node, f"`{ast.unparse(node)}` by itself", "calls")
        return f"{self.expressions.expression(value).text};"

    def _append(self, node: ast.Call, method: ast.Attribute) -> str:
        wanted = {"append": 1, "pop": 0}.get(method.attr)
        if wanted is None or len(node.args) != wanted or node.keywords:
            use = "append, pop() and plain functions"
            raise self._refusal(node, f"`{ast.unparse(node)}`", use)
        if isinstance(method.value, (ast.Subscript, ast.Attribute)):
            self._check_owner(ast.Subscript(method.value, ast.Constant(0), lineno=node.lineno))
        items = self.expressions.expression(method.value)
        if method.attr == "pop" and items.kind.name == "list":
            return f"{items.within(CALL)}.pop();"
        value = self.expressions.expression(node.args[0])
        if items.kind.name != "list" or not fits(value.kind, items.kind.items[0]):
            use = f"items of {items.kind.text()}"
            raise self._refusal(node, f"append of {value.kind.text()}", use)
        if items.kind.items[0].name == "unknown" and isinstance(method.value, ast.Name):
            self.scope.variables[method.value.id].kind = Kind("list", (value.kind,))
        return f"{items.within(CALL)}.push({value.within(ASSIGNMENT)});"

    def _return(self, node: ast.Return) -> str:
        result = self.function.result
        if node.value is None:
            if result.name != "none":
                raise self._refusal(node, "return without a value", f"a {result.text()}")
            return "return;"
        return self._returned(self.expressions.typed(node.value, result, "the result"))

    def _raise(self, node: ast.Raise) -> str:
        call = node.exc
        good = (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and self._is_error(call.func.id)
            and len(call.args) == 1
            and isinstance(call.args[0], ast.Constant)
            and isinstance(call.args[0].value, str)
            and not call.keywords
            and node.cause is None
        )
        if not good or not isinstance(call, ast.Call):
            raise self._refusal(node, f"`{ast.unparse(node)}`", f'raise {ERROR}("code")')
        code = self.expressions.expression(call.args[0]).text
        return f"throw new {self.link.helper('error')}({code});"

    def _is_error(self, name: str) -> bool:
        origin, there = self.function.module.imports.get(name, ("", ""))
        return is_errors(origin) and there == ERROR

    def _assign(self, node: ast.Assign) -> str:
        if len(node.targets) != 1:
            raise self._refusal(node, "assignment to several targets", "one at a time")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            return self._unpack(node, target)
        value = self.expressions.expression(node.value)
        if isinstance(target, ast.Name):
            return self._changed(node, target.id) or self._set(node, target.id, value, None)
        place = self._place(target)
        if self.expressions.calls(target) and self.expressions.calls(node.value):
            raise self._refusal(node, "calls in target and value", "a variable for the value")
        if not fits(value.kind, place.kind):
            raise self._refusal(
                node, f"{value.kind.text()} kept as {place.kind.text()}", "one type"
            )
        return f"{place.text}={value.within(ASSIGNMENT)};"

    def _annassign(self, node: ast.AnnAssign) -> str:
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self._refusal(node, f"`{ast.unparse(node)}`", "a name with its first value")
        kind = self.expressions.program.kind(self.function.module, node.annotation)
        return self._set(
            node, node.target.id, self.expressions.typed(node.value, kind, node.target.id), kind
        )

    def _changed(self, node: ast.Assign, name: str) -> str:
        """`a = a + b` as `a+=b`, "" where it is none."""
        value = node.value
        known = self.scope.variables.get(name)
        if not isinstance(value, ast.BinOp) or known is None or known.loop:
            return ""
        own = isinstance(value.left, ast.Name) and value.left.id == name
        operator = _ASSIGNED.get(type(value.op))
        if not own or operator is None or known.kind != FLOAT:
            return ""
        added = self.expressions.number(value.right)
        return f"{known.short}{operator}{added.within(ASSIGNMENT)};"

    def _set(self, node: ast.stmt, name: str, value: Js, declared: Kind | None) -> str:
        if value.kind.name == "none" and declared is None and name not in self.scope.variables:
            raise self._refusal(node, f"{name!r} first set to None", "an annotation with its type")
        first = self.scope.assign(node, name, value.kind, declared)
        short = self.scope.variables[name].short
        if first and self._depth == 0:
            return f"let {short}={value.within(ASSIGNMENT)};"
        if first:
            self._hoisted.append(short)
        return f"{short}={value.within(ASSIGNMENT)};"

    def _unpack(self, node: ast.Assign, target: ast.Tuple) -> str:
        value = self.expressions.expression(node.value)
        names = [item.id for item in target.elts if isinstance(item, ast.Name)]
        right = value.kind.name == "tuple" and len(value.kind.items) == len(target.elts)
        if not right or len(names) != len(target.elts):
            raise self._refusal(node, f"`{ast.unparse(node)}`", "names for a function's tuple")
        shorts = []
        for name, kind in zip(names, value.kind.items, strict=True):
            if name == "_":
                shorts.append("")
                continue
            if self.scope.assign(node, name, kind):
                self._hoisted.append(self.scope.variables[name].short)
            shorts.append(self.scope.variables[name].short)
        return f"[{','.join(shorts)}]={value.text};"

    def _augassign(self, node: ast.AugAssign) -> str:
        operator = _ASSIGNED.get(type(node.op))
        value = self.expressions.number(node.value)
        place = self._place(node.target)
        if operator is None or not is_number(place.kind):
            raise self._refusal(node, f"`{ast.unparse(node)}`", "+= -= *= /= with numbers")
        if place.kind.name == "int" and (value.kind != INT or operator == "/="):
            raise self._refusal(node, f"`{ast.unparse(node)}`", "a float to begin with")
        return f"{place.text}{operator}{value.within(ASSIGNMENT)};"

    def _place(self, target: ast.expr) -> Js:
        """Where a value goes: a name, an item of a list or a field."""
        if isinstance(target, ast.Name):
            known = self.scope.variables.get(target.id)
            if known is None or known.loop:
                raise self._refusal(target, f"change of {target.id!r}", "a variable set before")
        elif not isinstance(target, (ast.Subscript, ast.Attribute)):
            raise self._refusal(target, f"target `{ast.unparse(target)}`", "a name, item or field")
        else:
            self._check_owner(target)
        return self.expressions.expression(target)

    def _check_owner(self, target: ast.Subscript | ast.Attribute) -> None:
        """What is changed must be a variable's, and a record's field not a frozen one."""
        root: ast.expr = target
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        if not isinstance(root, ast.Name) or root.id not in self.scope.variables:
            raise self._refusal(target, f"change of `{ast.unparse(target)}`", "a variable's own")
        if isinstance(target, ast.Attribute):
            owner = self.expressions.expression(target.value)
            if owner.kind.name == "record" and self.expressions.program.record(owner.kind).frozen:
                raise self._refusal(target, f"change of `{ast.unparse(target)}`", "a new record")

    def _if(self, node: ast.If) -> str:
        test = self.expressions.condition(node.test)
        then = self._block(node.body, followed=bool(node.orelse))
        if not node.orelse:
            text = f"if({test.text}){then}"
            if then in self._returns:
                self._choices[text] = (test, self._returns[then])
            return text
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self._depth += 1
            other = self._statement(node.orelse[0])
            self._depth -= 1
        else:
            other = self._block(node.orelse)
        gap = "" if other.startswith("{") else " "
        return f"if({test.text}){then}else{gap}{other}"

    def _while(self, node: ast.While) -> str:
        if node.orelse:
            raise self._refusal(node, "while with else", "a plain while")
        return f"while({self.expressions.condition(node.test).text}){self._block(node.body)}"

    def _for(self, node: ast.For) -> str:
        if node.orelse or not isinstance(node.target, ast.Name):
            raise self._refusal(node, "for with else or several names", "one name, no else")
        bounds = self.expressions.range_bounds(node.iter)
        if bounds is None:
            items = self.expressions.iterated(node.iter)
            with self.scope.loop(node, node.target.id, items.kind.items[0]) as name:
                return f"for(let {name} of {items.within(CHOICE)}){self._block(node.body)}"
        with self.scope.loop(node, node.target.id, INT) as name:
            first, last = bounds
            end = last.text
            set_end = ""
            if not end.isdigit():
                end = self.scope.fresh()
                set_end = f",{end}={last.within(ASSIGNMENT)}"
            head = f"let {name}={first.within(ASSIGNMENT)}{set_end};{name}<{end};{name}++"
            text = f"for({head}){self._block(node.body)}"
            if set_end:
                self.scope.free(end)
            return text
