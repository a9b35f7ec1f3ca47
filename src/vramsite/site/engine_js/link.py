"""From parsed modules to one ES module: what is reachable from the exports, under short names."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from vramsite.site.engine_js.expressions import default_text
from vramsite.site.engine_js.fault import SubsetError, refusal
from vramsite.site.engine_js.kinds import Kind
from vramsite.site.engine_js.names import function_names
from vramsite.site.engine_js.source import ERRORS_MODULE, Function, Program, Record
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
_ERROR_CLASS = """
class SizingError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
"""


class Module:
    """One ES module in the making; the emitter's `Linker`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._free = function_names()
        self._names: dict[str, str] = {}
        self._waiting: list[Function] = []
        self._texts: dict[str, str] = {}

    def function(self, found: Function) -> str:
        """The short name of a function, which is translated in its turn."""
        name = self._names.get(found.qualified)
        if name is None:
            name = self._names[found.qualified] = next(self._free)
            self._waiting.append(found)
        return name

    def helper(self, name: str) -> str:
        """The short name of a helper, which is then part of the module."""
        short = self._names.get(name)
        if short is None:
            short = self._names[name] = next(self._free)
            self._texts[short] = _HELPERS[name]
        return short

    def record(self, record: Record) -> str:
        """The short name of a record's constructor: from an object that leaves out defaults."""
        short = self._names.get(record.qualified)
        if short is None:
            short = self._names[record.qualified] = next(self._free)
            parts = [
                f"{field.name}:{default_text(self.program, record, field.name, self)}"
                for field in record.fields.values()
                if field.default is not None
            ]
            parts.append("...a")
            for field in record.fields.values():
                parts.extend(self._nested(field.name, field.kind))
            self._texts[short] = f"a=>({{{','.join(parts)}}})"
        return short

    def _same(self, record: Record) -> bool:
        """Whether its constructor would only copy: no defaults, no records within."""
        return all(
            field.default is None and not self._nested(field.name, field.kind)
            for field in record.fields.values()
        )

    def _nested(self, name: str, kind: Kind) -> list[str]:
        inner = kind.items[0] if kind.name == "list" else kind
        if inner.name == "record" and self._same(self.program.record(inner)):
            return []
        if kind.name == "record":
            made = f"{self.record(self.program.record(kind))}(a.{name})"
            return [f"{name}:a.{name}==null?null:{made}" if kind.optional else f"{name}:{made}"]
        if kind.name == "list" and inner.name == "record":
            made = self.record(self.program.record(inner))
            return [f"{name}:(a.{name}||[]).map({made})"]
        return []

    def text(self, exports: dict[str, str]) -> str:
        """The module; `exports` maps a public name to the short one."""
        while self._waiting:
            function = self._waiting.pop(0)
            short = self._names[function.qualified]
            self._texts[short] = FunctionCompiler(self.program, function, self).compile()
        definitions = ",\n".join(f"{name}={text}" for name, text in self._texts.items())
        public = ",".join(f"{short} as {name}" for name, short in exports.items())
        return f"const {definitions};\nexport{{{public}}};\n"


def compile_modules(
    sources: dict[str, tuple[Path, str]],
    functions: list[str],
    records: list[str],
    package: str = PACKAGE,
) -> str:
    """One ES module of the named functions and record constructors ("module.name").

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
    made = Module(program)
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
def compile_engine(folder: Path = SIZING_DIR) -> str:
    """The engine as an ES module. Raises SubsetError."""
    from vramsite.site.engine_js.exports import FUNCTIONS, RECORDS

    return compile_modules(read_sources(folder), FUNCTIONS, RECORDS)
