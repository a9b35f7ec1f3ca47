"""From parsed modules to one ES module: what is reachable from the exports, under short names."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vramsite.site.engine_js.exports import FUNCTIONS, LATER, LEFT_OUT, RECORDS, SEEN, SEEN_FIELDS
from vramsite.site.engine_js.expressions import default_text
from vramsite.site.engine_js.fault import SubsetError, refusal
from vramsite.site.engine_js.kinds import Kind
from vramsite.site.engine_js.names import Marks, alike_together, variable_mark
from vramsite.site.engine_js.reads import Reads
from vramsite.site.engine_js.source import ERRORS_MODULE, Field, Function, Program, Record
from vramsite.site.engine_js.statements import FunctionCompiler

PACKAGE = "vramsite.sizing"
SIZING_DIR = Path(__file__).resolve().parents[2] / "sizing"

# min and max as Python has them: the first of equals, so that 0 and -0 come out alike.
_HELPERS = {
    "min": "(a,b)=>b<a?b:a",
    "max": "(a,b)=>b>a?b:a",
    "range": "(a,b=0)=>{let c=[];for(;b<a;)c.push(b++);return c}",
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
    """An ES module; `fields` are those that scripts do not see, with their short names.

    `unread` are fields of the records that it constructs which nothing reads: no need to send them.
    """

    text: str
    fields: dict[str, str]
    unread: frozenset[str] = frozenset()


class Module:
    """One ES module in the making; the emitter's `Linker`."""

    compiler: type[FunctionCompiler] = FunctionCompiler
    helpers: Mapping[str, str] = _HELPERS

    def __init__(
        self,
        program: Program,
        public_fields: frozenset[str] = frozenset(),
        read: frozenset[str] | None = None,
        fixed: Mapping[str, str] | None = None,
    ) -> None:
        self.program = program
        self._fixed = fixed or {}  # names that fields have in another module
        self._public_fields = public_fields
        self._read = read
        self.left_out: frozenset[str] = frozenset()
        self._marks = Marks({*public_fields, *self._fixed.values()})
        self._waiting: list[Function] = []
        self._texts: dict[str, str] = {}
        self._constructed: list[Record] = []

    def function(self, found: Function) -> str:
        """The name of a function, which is translated in its turn; one name for all left out."""
        if found.qualified in self.left_out:
            mark = self._marks.function(".left_out")
            self._texts[mark] = "()=>{throw Error()}"
            return mark
        if not self._marks.known(found.qualified):
            self._waiting.append(found)
        return self._marks.function(found.qualified)

    def translated(self, function: Function) -> str:
        """A function as an expression. Raises SubsetError."""
        return self.compiler(self.program, function, self).compile()

    def table(self, name: str, entries: dict[str, Function]) -> str:
        """The name of a function that gives an object of functions by any names."""
        mark = self._marks.function(f".{name}")
        parts = [f"{json.dumps(key)}:{self.function(found)}" for key, found in entries.items()]
        self._texts[mark] = f"()=>({{{','.join(parts)}}})"
        return mark

    def helper(self, name: str) -> str:
        """The name of a helper, which is then part of the module."""
        mark = self._marks.function(f".{name}")
        self._texts[mark] = self.helpers[name].replace("SELF", mark)
        return mark

    def field(self, name: str) -> str:
        """A field's name: its own where scripts see it, a short one within the engine."""
        if name in self._public_fields:
            return name
        return self._fixed.get(name) or self._marks.field(name)

    def reads(self, name: str) -> bool:
        """Whether a script or the module itself looks at fields of that name."""
        return self._read is None or name in self._read or name in self._public_fields

    def record(self, record: Record) -> str:
        """The name of a record's constructor: from an object that leaves out defaults."""
        if record not in self._constructed:
            self._constructed.append(record)
            for field in record.fields.values():
                inner = field.kind.items[0] if field.kind.name == "list" else field.kind
                if inner.name == "record":
                    self.record(self.program.record(inner))
        return self._marks.function(record.qualified)

    def _constructor(self, record: Record) -> str:
        fields = [field for field in record.fields.values() if self.reads(field.name)]
        parts = [
            f"{self.field(field.name)}:{default_text(self.program, record, field.name, self)}"
            for field in fields
            if field.default is not None
        ]
        parts.append(f"...{_GIVEN}")
        for field in fields:
            parts.extend(self._nested(field))
        return f"{_GIVEN}=>({{{','.join(parts)}}})"

    def _same(self, record: Record) -> bool:
        """Whether its constructor would only copy: no defaults, no records within."""
        return all(
            field.default is None and not self._nested(field)
            for field in record.fields.values()
            if self.reads(field.name)
        )

    def _nested(self, field: Field) -> list[str]:
        name, kind = self.field(field.name), field.kind
        inner = kind.items[0] if kind.name == "list" else kind
        if inner.name != "record" or self._same(self.program.record(inner)):
            return []
        made = self._marks.function(self.program.record(inner).qualified)
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
            self._texts[mark] = self.translated(function)
        wanted = [record for record in self._constructed if not self._same(record)]
        public_records = set(exports.values())
        for record in self._constructed:
            mark = self._marks.function(record.qualified)
            if record in wanted or mark in public_records:
                self._texts[mark] = self._constructor(record)
        definitions = [f"{name}={text}" for name, text in self._texts.items()]
        public = ",".join(f"{inner} as {name}" for name, inner in exports.items())
        (*functions, last), names = self._marks.named([*definitions, f"export{{{public}}};\n"])
        text = "const " + ",\n".join(alike_together(functions)) + f";\n{last}"
        fields = {name: short for name, short in names.items() if "." not in name}
        known = {
            name
            for module in self.program.modules.values()
            for record in module.records.values()
            for name in record.fields
        }
        return Compiled(text, fields, frozenset(name for name in known if not self.reads(name)))


def compile_modules(
    sources: dict[str, tuple[Path, str]],
    functions: list[str],
    records: list[str],
    seen: list[str],
    package: str = PACKAGE,
    seen_fields: frozenset[str] | None = None,
    left_out: Sequence[str] = (),
    fixed: Mapping[str, str] | None = None,
    later: Sequence[str] = (),
) -> Compiled:
    """One ES module of the named functions and record constructors ("module.name").

    Fields of the records that `seen` names keep their names, and so do `seen_fields`; where
    these are not given, those of `records` as well. Functions `left_out` fail if they are called,
    and so do those `later`, which another module has: what they read of records is kept.
    `sources` maps a module's name to its path and text; those that the exports need are looked at
    as a whole, whether or not each of their functions is called.

    Raises:
        SubsetError: with every function's first construct outside the subset.
        KeyError: no such export, or two of one name.
    """
    roots = [qualified.rpartition(".")[0] for qualified in (*functions, *records)]
    program = Program(sources, package, roots)
    faults = faults_of(program, Module(program))
    if faults:
        raise SubsetError(faults)
    public = public_fields(program, [*seen, *(records if seen_fields is None else [])])
    entries = [
        program.modules[module].functions[name]
        for module, _, name in (qualified.rpartition(".") for qualified in functions)
    ]
    public |= seen_fields or frozenset()
    made = Module(program, public, Reads(program, entries, left_out).fields(public), fixed)
    made.left_out = frozenset({*left_out, *later})
    exports: dict[str, str] = {}
    for qualified in functions:
        module, _, name = qualified.rpartition(".")
        exports[name] = made.function(program.modules[module].functions[name])
    for qualified in records:
        module, _, name = qualified.rpartition(".")
        exports[name] = made.record(program.modules[module].records[name])
    exports["SizingError"] = made.helper("error")
    if len(exports) != len(functions) + len(records) + 1:
        raise KeyError("two exports of one name")
    return made.text(exports)


def public_fields(program: Program, records: list[str]) -> frozenset[str]:
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
        program = Program(sources, package)
        return faults_of(program, Module(program))
    except SubsetError as error:
        return error.faults


def faults_of(program: Program, trial: Module) -> list[str]:
    """What cannot be translated in any function of a program, one line each."""
    faults = []
    for module in program.modules.values():
        for function in module.functions.values():
            try:
                trial.translated(function)
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
def compile_whole_engine(folder: Path = SIZING_DIR) -> Compiled:
    """The engine for all inference engines as an ES module. Raises SubsetError."""
    return compile_modules(
        read_sources(folder), FUNCTIONS, RECORDS, SEEN, seen_fields=SEEN_FIELDS, left_out=LEFT_OUT
    )


@cache
def compile_engine(folder: Path = SIZING_DIR) -> Compiled:
    """The engine without what only a few settings need, under the same names.

    Raises:
        SubsetError: as `compile_modules`.
    """
    whole = compile_whole_engine(folder)
    text = compile_modules(
        read_sources(folder),
        FUNCTIONS,
        RECORDS,
        SEEN,
        seen_fields=SEEN_FIELDS,
        left_out=LEFT_OUT,
        later=LATER,
        fixed=whole.fields,
    ).text
    return Compiled(text, whole.fields, whole.unread)
