"""The modules of the engine as parsed: what each defines, and where imported names come from."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from vramsite.site.engine_js.fault import refusal
from vramsite.site.engine_js.kinds import BOOL, FLOAT, INT, NONE, STR, Kind

ERROR = "SizingError"
ERRORS_MODULE = "errors"
NUMERIC_MODULE = "numeric"  # the only place for // and int()
_NO_CONSTANTS = (ast.List, ast.ListComp, ast.Dict, ast.Set, ast.Tuple)
_PLAIN = {"float": FLOAT, "int": INT, "bool": BOOL, "str": STR}


def is_errors(module: str) -> bool:
    """Whether a module is the one with the engine's exception, whatever package it is named in."""
    return module.rpartition(".")[2] == ERRORS_MODULE


def is_numeric(module: str) -> bool:
    """Whether a module is the one with `floor` and its like."""
    return module.rpartition(".")[2] == NUMERIC_MODULE


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record; `default` is the source of its default, None where there is none."""

    name: str
    kind: Kind
    default: ast.expr | None


@dataclass(frozen=True, slots=True)
class Record:
    """A dataclass with keyword-only fields."""

    module: Module
    name: str
    node: ast.ClassDef
    fields: dict[str, Field]
    frozen: bool
    methods: dict[str, Function] = field(default_factory=dict)
    properties: frozenset[str] = frozenset()

    @property
    def qualified(self) -> str:
        """Module and name."""
        return f"{self.module.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function."""

    name: str
    kind: Kind
    default: ast.expr | None
    rest: bool = False  # takes all further arguments (readers only)


@dataclass(frozen=True, slots=True)
class Function:
    """A module-level function; of a record its methods, for the readers of architectures."""

    module: Module
    name: str
    node: ast.FunctionDef
    parameters: list[Parameter]
    result: Kind

    @property
    def qualified(self) -> str:
        """Module and name."""
        return f"{self.module.name}.{self.name}"


@dataclass(eq=False, slots=True)
class Module:
    """One file. `imports` maps a local name to (module, name there)."""

    name: str
    path: Path
    tree: ast.Module
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    constants: dict[str, ast.expr] = field(default_factory=dict)


class Program:
    """The modules that `roots` need (None: all) by name, in order of their dependencies.

    Raises:
        SubsetError: an import, class, signature or statement outside the subset.
    """

    def __init__(
        self,
        sources: dict[str, tuple[Path, str]],
        package: str,
        roots: Iterable[str] | None = None,
    ) -> None:
        self.package = package
        self.modules: dict[str, Module] = {}
        parsed = {
            name: Module(name, path, ast.parse(text, str(path)))
            for name, (path, text) in sorted(sources.items())
            if not is_errors(name)
        }
        for name in parsed if roots is None else sorted(set(roots)):
            self._place(parsed[name], parsed, ())
        for module in self.modules.values():
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef):
                    module.records[node.name] = self._record(module, node)
        for module in self.modules.values():
            for node in module.tree.body:
                if isinstance(node, ast.FunctionDef):
                    module.functions[node.name] = self._function(module, node)

    def _read_names(self, module: Module) -> None:
        taken: set[str] = set()
        for node in module.tree.body:
            names: list[str] = []
            if isinstance(node, ast.ImportFrom):
                names = self._import(module, node)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names = [node.name]
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                names = [self._constant(module, node.targets[0], node.value)]
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                names = [self._constant(module, node.target, node.value)]
            elif not _is_docstring(node):
                use = "functions, dataclasses, constants and imports of the engine at module level"
                raise refusal(module.path, node, _shown(node), use)
            for name in names:
                if name in taken:
                    raise refusal(
                        module.path, node, f"second {name!r} in one module", "another name"
                    )
                taken.add(name)

    def _import(self, module: Module, node: ast.ImportFrom) -> list[str]:
        if node.module == "__future__":
            return []
        if node.module == "dataclasses":
            for alias in node.names:
                if alias.name not in {"dataclass", "field"} or alias.asname:
                    raise refusal(module.path, node, _shown(node), "dataclass and field")
            return []
        origin = node.module or ""
        if node.level or not origin.startswith(f"{self.package}."):
            use = f"imports from dataclasses and {self.package}.*"
            raise refusal(module.path, node, _shown(node), use)
        local = []
        for alias in node.names:
            name = alias.asname or alias.name
            module.imports[name] = (origin.removeprefix(f"{self.package}."), alias.name)
            local.append(name)
        return local

    def _constant(self, module: Module, target: ast.expr, value: ast.expr) -> str:
        # A constant stands where its name does: what could be changed must not be one.
        lists = any(isinstance(part, _NO_CONSTANTS) for part in ast.walk(value))
        if not isinstance(target, ast.Name) or lists:
            use = "one name and a number, a string or a record of them"
            raise refusal(module.path, target, _shown(value), use)
        module.constants[target.id] = value
        return target.id

    def _place(self, module: Module, parsed: dict[str, Module], path: tuple[str, ...]) -> None:
        if module.name in self.modules:
            return
        if module.name in path:
            cycle = " → ".join((*path, module.name))
            raise refusal(module.path, module.tree, f"import cycle {cycle}", "one direction")
        self._read_names(module)
        for origin, name in module.imports.values():
            if is_errors(origin) and name == ERROR:
                continue
            if origin not in parsed:
                raise refusal(module.path, module.tree, f"import of {origin}", "a module there is")
            self._place(parsed[origin], parsed, (*path, module.name))
        self.modules[module.name] = module

    def find(self, module: Module, name: str) -> tuple[Module, str] | None:
        """Where a module-level name of a module is defined."""
        if name in module.imports:
            origin, there = module.imports[name]
            found = self.modules.get(origin)
            return None if found is None else self.find(found, there)
        known = name in module.functions or name in module.constants
        known = known or any(
            isinstance(node, ast.ClassDef) and node.name == name for node in module.tree.body
        )
        return (module, name) if known else None

    def record(self, kind: Kind) -> Record:
        """The record of a type."""
        module, _, name = kind.record.rpartition(".")
        return self.modules[module].records[name]

    def kind(self, module: Module, node: ast.expr | None) -> Kind:
        """The type that an annotation means."""
        if node is None:
            raise refusal(module.path, module.tree, "name without annotation", "one of a type")
        if isinstance(node, ast.Constant) and node.value is None:
            return NONE
        if isinstance(node, ast.Name):
            if node.id in _PLAIN:
                return _PLAIN[node.id]
            found = self.find(module, node.id)
            if found is not None:
                return Kind("record", record=f"{found[0].name}.{found[1]}")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            if isinstance(node.right, ast.Constant) and node.right.value is None:
                plain = self.kind(module, node.left)
                return Kind(plain.name, plain.items, plain.record, True)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id == "list":
                return Kind("list", (self.kind(module, node.slice),))
            if node.value.id == "tuple" and isinstance(node.slice, ast.Tuple):
                return Kind("tuple", tuple(self.kind(module, item) for item in node.slice.elts))
        use = "float, int, bool, str, a record, list[…], tuple[…] or … | None"
        raise refusal(module.path, node, f"annotation {ast.unparse(node)!r}", use)

    def _record(self, module: Module, node: ast.ClassDef) -> Record:
        decorators = [ast.unparse(entry) for entry in node.decorator_list]
        if len(decorators) != 1 or not decorators[0].startswith("dataclass(") or node.bases:
            raise refusal(
                module.path, node, f"class {node.name}", "@dataclass(..., kw_only=True), no bases"
            )
        if "kw_only=True" not in decorators[0]:
            raise refusal(module.path, node, f"dataclass {node.name}", "kw_only=True")
        fields: dict[str, Field] = {}
        for entry in node.body:
            if _is_docstring(entry):
                continue
            if not isinstance(entry, ast.AnnAssign) or not isinstance(entry.target, ast.Name):
                use = "annotated fields only; functions over records in place of methods"
                raise refusal(module.path, entry, _shown(entry), use)
            fields[entry.target.id] = self._field(module, entry, entry.target.id)
        return Record(module, node.name, node, fields, "frozen=True" in decorators[0])

    def _field(self, module: Module, entry: ast.AnnAssign, name: str) -> Field:
        kind = self.kind(module, entry.annotation)
        if isinstance(entry.value, ast.Call):
            return Field(name, kind, self._fresh(module, entry, entry.value))
        self._check_default(module, entry.value)
        return Field(name, kind, entry.value)

    def _fresh(self, module: Module, entry: ast.AnnAssign, value: ast.Call) -> ast.expr:
        """The list that `field(default_factory=…)` makes anew for every record."""
        if ast.unparse(value.func) == "field" and not value.args and len(value.keywords) == 1:
            made = value.keywords[0].value
            if value.keywords[0].arg == "default_factory":
                if isinstance(made, ast.Name) and made.id == "list":
                    return ast.List(elts=[], ctx=ast.Load())
                if isinstance(made, ast.Lambda) and isinstance(made.body, ast.List):
                    if all(isinstance(item, ast.Constant) for item in made.body.elts):
                        return made.body
        use = "field(default_factory=list), or a lambda for a list of literals"
        raise refusal(module.path, entry, _shown(entry), use)

    def _function(self, module: Module, node: ast.FunctionDef) -> Function:
        given = node.args
        if given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg:
            raise refusal(module.path, node, f"signature of {node.name}", "plain parameters")
        if node.decorator_list:
            raise refusal(module.path, node, f"decorator of {node.name}", "a plain function")
        defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
        parameters = []
        for argument, default in zip(given.args, defaults, strict=True):
            if argument.annotation is None:
                raise refusal(module.path, node, f"{argument.arg} untyped", "an annotation")
            self._check_default(module, default)
            kind = self.kind(module, argument.annotation)
            parameters.append(Parameter(argument.arg, kind, default))
        if node.returns is None:
            raise refusal(module.path, node, f"{node.name} without result", "-> and a type")
        return Function(module, node.name, node, parameters, self.kind(module, node.returns))

    def _check_default(self, module: Module, value: ast.expr | None) -> None:
        literal = value.operand if isinstance(value, ast.UnaryOp) else value
        if literal is not None and not isinstance(literal, ast.Constant):
            raise refusal(module.path, literal, f"default {_shown(literal)}", "a literal or None")


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _shown(node: ast.AST) -> str:
    """The source of a node, short enough for a message."""
    text = ast.unparse(node).splitlines()[0]
    return f"{text[:57]}…" if len(text) > 58 else text
