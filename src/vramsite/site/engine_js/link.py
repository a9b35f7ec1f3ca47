"""From parsed modules to one ES module: what is reachable from the exports, under short names."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vramsite.site.engine_js.exports import FUNCTIONS, RECORDS, RESULTS
from vramsite.site.engine_js.expressions import default_text
from vramsite.site.engine_js.fault import SubsetError, refusal
from vramsite.site.engine_js.kinds import Kind
from vramsite.site.engine_js.names import Marks, variable_mark
from vramsite.site.engine_js.source import ERRORS_MODULE, Field, Function, Program, Record
from vramsite.site.engine_js.statements import FunctionCompiler

PACKAGE = "vramsite.sizing"
SIZING_DIR = Path(__file__).resolve().parents[2] / "sizing"

# min and max as Python has them: the first of equals, so that 0 and -0 come out alike.
_HELPERS = {
    "min": "(a,b)=>b<a?b:a",
    "max": "(a,b)=>b>a?b:a",
    "range": "(a,b)=>{let c=[];for(;a<b;a++)c.push(a);return c}",
    "error": 'class extends Error{constructor(a){super(a);this.name="SizingError";this.code=a}}',
}
_GIVEN = variable_mark(1)  # what a record's constructor is given
_ERROR_CLASS = """
class SizingError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
"""


@dataclass(frozen=True, slots=True)
class Compiled:
    """An ES module; `fields` are those that scripts do not see, with their short names."""

    text: str
    fields: dict[str, str]


class Module:
    """One ES module in the making; the emitter's `Linker`."""

    def __init__(self, program: Program, public_fields: frozenset[str] = frozenset()) -> None:
        self.program = program
        self._public_fields = public_fields
        self._marks = Marks()
        self._waiting: list[Function] = []
        self._texts: dict[str, str] = {}

    def function(self, found: Function) -> str:
        """The name of a function, which is translated in its turn."""
        if not self._marks.known(found.qualified):
            self._waiting.append(found)
        return self._marks.function(found.qualified)

    def helper(self, name: str) -> str:
        """The name of a helper, which is then part of the module."""
        mark = self._marks.function(f".{name}")
        self._texts[mark] = _HELPERS[name]
        return mark

    def field(self, name: str) -> str:
        """A field's name: its own where scripts see it, a short one within the engine."""
        return name if name in self._public_fields else self._marks.field(name)

    def record(self, record: Record) -> str:
        """The name of a record's constructor: from an object that leaves out defaults."""
        mark = self._marks.function(record.qualified)
        if mark not in self._texts:
            parts = [
                f"{field.name}:{default_text(self.program, record, field.name, self)}"
                for field in record.fields.values()
                if field.default is not None
            ]
            parts.append(f"...{_GIVEN}")
            for field in record.fields.values():
                parts.extend(self._nested(field))
            self._texts[mark] = f"{_GIVEN}=>({{{','.join(parts)}}})"
        return mark

    def _same(self, record: Record) -> bool:
        """Whether its constructor would only copy: no defaults, no records within."""
        return all(
            field.default is None and not self._nested(field) for field in record.fields.values()
        )

    def _nested(self, field: Field) -> list[str]:
        name, kind = field.name, field.kind
        inner = kind.items[0] if kind.name == "list" else kind
        if inner.name != "record" or self._same(self.program.record(inner)):
            return []
        made = self.record(self.program.record(inner))
        if kind.name == "list":
            given = f"{_GIVEN}.{name}" if field.default is None else f"({_GIVEN}.{name}||[])"
            return [f"{name}:{given}.map({made})"]
        made = f"{made}({_GIVEN}.{name})"
        return [f"{name}:{_GIVEN}.{name}==null?null:{made}" if kind.optional else f"{name}:{made}"]

    def text(self, exports: dict[str, str]) -> Compiled:
        """The module; `exports` maps a public name to the one within."""
        while self._waiting:
            function = self._waiting.pop(0)
            mark = self._marks.function(function.qualified)
            self._texts[mark] = FunctionCompiler(self.program, function, self).compile()
        definitions = [f"{name}={text}" for name, text in self._texts.items()]
        public = ",".join(f"{inner} as {name}" for name, inner in exports.items())
        (*functions, last), names = self._marks.named([*definitions, f"export{{{public}}};\n"])
        text = "const " + ",\n".join(functions) + f";\n{last}"
        return Compiled(text, {name: short for name, short in names.items() if "." not in name})


def compile_modules(
    sources: dict[str, tuple[Path, str]],
    functions: list[str],
    records: list[str],
    results: list[str],
    package: str = PACKAGE,
) -> Compiled:
    """One ES module of the named functions and record constructors ("module.name").

    Fields of the records, and of the records that `results` names, keep their names.
    `sources` maps a module's name to its path and text; those that the exports need are looked at
    as a whole, whether or not each of their functions is called.

    Raises:
        SubsetError: with every function's first construct outside the subset.
        KeyError: no such export, or two of one name.
    """
    roots = [qualified.partition(".")[0] for qualified in (*functions, *records)]
    program = Program(sources, package, roots)
    faults = _faults(program)
    if faults:
        raise SubsetError(faults)
    made = Module(program, _public_fields(program, [*records, *results]))
    exports: dict[str, str] = {}
    for qualified in functions:
        module, _, name = qualified.partition(".")
        exports[name] = made.function(program.modules[module].functions[name])
    for qualified in records:
        module, _, name = qualified.partition(".")
        exports[name] = made.record(program.modules[module].records[name])
    exports["SizingError"] = made.helper("error")
    if len(exports) != len(functions) + len(records) + 1:
        raise KeyError("two exports of one name")
    return made.text(exports)


def _public_fields(program: Program, records: list[str]) -> frozenset[str]:
    """The names of all fields of these records and of those within them."""
    waiting = [Kind("record", record=qualified) for qualified in records]
    seen: set[str] = set()
    names: set[str] = set()
    while waiting:
        kind = waiting.pop()
        if kind.name == "record" and kind.record not in seen:
            seen.add(kind.record)
            for field in program.record(kind).fields.values():
                names.add(field.name)
                waiting.append(field.kind)
        waiting.extend(kind.items)
    return frozenset(names)


def subset_faults(sources: dict[str, tuple[Path, str]], package: str = PACKAGE) -> list[str]:
    """What is outside the subset in any of these modules, one line each."""
    try:
        return _faults(Program(sources, package))
    except SubsetError as error:
        return error.faults


def _faults(program: Program) -> list[str]:
    faults = []
    for module in program.modules.values():
        for function in module.functions.values():
            try:
                FunctionCompiler(program, function, Module(program)).compile()
            except SubsetError as error:
                faults.extend(error.faults)
    return faults


def read_sources(folder: Path) -> dict[str, tuple[Path, str]]:
    """The modules of a package's folder by name, after a look at the one exception class.

    Raises:
        SubsetError: errors.py holds anything but that class as it is known here.
    """
    sources = {
        path.stem: (path, path.read_text(encoding="utf-8"))
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    }
    errors = sources.get(ERRORS_MODULE)
    if errors is not None:
        _check_errors(*errors)
    return sources


def _check_errors(path: Path, text: str) -> None:
    found = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    expected = ast.parse(_ERROR_CLASS).body[0]
    for node in found:
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    if len(found) != 1 or ast.dump(found[0]) != ast.dump(expected):
        raise refusal(
            path, found[0] if found else ast.Pass(), "exception", "the one class, as it was"
        )


@cache
def compile_engine(folder: Path = SIZING_DIR) -> Compiled:
    """The engine as an ES module. Raises SubsetError."""
    return compile_modules(read_sources(folder), FUNCTIONS, RECORDS, RESULTS)
