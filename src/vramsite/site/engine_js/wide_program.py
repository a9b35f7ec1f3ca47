"""The modules of the readers of config.json: more Python than the engine's subset allows.

Records may have methods and properties; functions keyword-only parameters and `*names`; constants
may be tuples. `object` and `Mapping` are JSON as it was parsed, which only natives look into.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from vramsite.site.engine_js.fault import refusal
from vramsite.site.engine_js.kinds import Kind
from vramsite.site.engine_js.natives import NATIVE_MODULES
from vramsite.site.engine_js.source import Field, Function, Module, Parameter, Program, Record

READER = "reader"
EXCEPTION = "ArchitectureError"
JSON = Kind("json")
_LISTS = frozenset({"list", "Iterable", "Sequence"})
_TYPES = frozenset({"Iterable", "Mapping", "Sequence"})
_FROM_DATACLASSES = frozenset({"dataclass", "field", "replace"})


class WideProgram(Program):
    """A program of such modules. `registered` maps a `model_type` to its reader."""

    def kind(self, module: Module, node: ast.expr | None) -> Kind:
        """The type that an annotation means."""
        if isinstance(node, ast.Name) and node.id == "object":
            return JSON
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id == "Mapping":
                return JSON
            if node.value.id in _LISTS:
                return Kind("list", (self.kind(module, node.slice),))
        return super().kind(module, node)

    @property
    def registered(self) -> dict[str, Function]:
        """The readers by `model_type`."""
        found: dict[str, Function] = {}
        for module in self.modules.values():
            for function in module.functions.values():
                for decorator in function.node.decorator_list:
                    if isinstance(decorator, ast.Call) and _is_reader(decorator):
                        for name in decorator.args:
                            found[ast.literal_eval(name)] = function
        return found

    def _read_names(self, module: Module) -> None:
        # The exception has a twin in `natives`; it is no record.
        module.tree.body = [node for node in module.tree.body if not _is_exception(node)]
        if module.name not in NATIVE_MODULES:
            super()._read_names(module)

    def _import(self, module: Module, node: ast.ImportFrom) -> list[str]:
        names = [alias.name for alias in node.names]
        if node.module == "collections.abc" and _TYPES.issuperset(names):
            return []
        if node.module == "dataclasses" and _FROM_DATACLASSES.issuperset(names):
            return []
        plain = [alias for alias in node.names if alias.name != READER]
        if len(plain) < len(names):
            node = ast.ImportFrom(node.module, plain, node.level, lineno=node.lineno)
        return super()._import(module, node) if plain else []

    def _constant(self, module: Module, target: ast.expr, value: ast.expr) -> str:
        if isinstance(target, ast.Name) and isinstance(value, ast.Tuple):
            module.constants[target.id] = value
            return target.id
        return super()._constant(module, target, value)

    def _record(self, module: Module, node: ast.ClassDef) -> Record:
        decorators = [ast.unparse(entry) for entry in node.decorator_list]
        if len(decorators) != 1 or not decorators[0].startswith("dataclass(") or node.bases:
            raise refusal(module.path, node, f"class {node.name}", "@dataclass(…), no bases")
        own = Kind("record", record=f"{module.name}.{node.name}")
        fields: dict[str, Field] = {}
        methods: dict[str, Function] = {}
        properties = set()
        for entry in node.body:
            if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name):
                fields[entry.target.id] = self._field(module, entry, entry.target.id)
            elif isinstance(entry, ast.FunctionDef):
                if any(ast.unparse(one) == "property" for one in entry.decorator_list):
                    properties.add(entry.name)
                methods[entry.name] = self._method(module, node.name, entry, own)
            elif not isinstance(entry, ast.Expr):
                raise refusal(module.path, entry, "statement in a class", "fields and methods")
        frozen = "frozen=True" in decorators[0]
        module.functions.update({method.name: method for method in methods.values()})
        return Record(module, node.name, node, fields, frozen, methods, frozenset(properties))

    def _method(self, module: Module, owner: str, node: ast.FunctionDef, own: Kind) -> Function:
        node.args.args[0].annotation = ast.Name(own.record.rpartition(".")[2], ast.Load())
        return replace(self._function(module, node), name=f"{owner}.{node.name}")

    def _function(self, module: Module, node: ast.FunctionDef) -> Function:
        """Keyword-only parameters come after the others, `*names` last of all."""
        for decorator in node.decorator_list:
            if not _is_reader(decorator) and ast.unparse(decorator) != "property":
                raise refusal(module.path, node, f"decorator of {node.name}", "reader(…)")
        given = node.args
        if given.posonlyargs or given.kwarg or (given.vararg and given.kwonlyargs):
            raise refusal(module.path, node, f"signature of {node.name}", "plain parameters")
        plain = list(zip(given.args, self._defaults(given), strict=True))
        parameters = []
        for argument, default in [*plain, *zip(given.kwonlyargs, given.kw_defaults, strict=True)]:
            self._check_default(module, default)
            kind = self.kind(module, argument.annotation)
            parameters.append(Parameter(argument.arg, kind, default))
        if given.vararg:
            kind = Kind("list", (self.kind(module, given.vararg.annotation),))
            parameters.append(Parameter(given.vararg.arg, kind, None, rest=True))
        if node.returns is None:
            raise refusal(module.path, node, f"{node.name} without result", "-> and a type")
        return Function(module, node.name, node, parameters, self.kind(module, node.returns))

    def _defaults(self, given: ast.arguments) -> list[ast.expr | None]:
        return [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)

    def _check_default(self, module: Module, value: ast.expr | None) -> None:
        if not (isinstance(value, ast.Tuple) and not value.elts):
            super()._check_default(module, value)


def _is_exception(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and node.name == EXCEPTION


def _is_reader(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == READER
        and all(isinstance(name, ast.Constant) for name in node.args)
    )
