"""The readers of config.json as an ES module, for a model that is in no catalog.

It goes with the engine's module: what both know has the same names in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from vramsite.site.engine_js.exports import SEEN, SEEN_FIELDS
from vramsite.site.engine_js.fault import SubsetError
from vramsite.site.engine_js.link import (
    SIZING_DIR,
    Compiled,
    Module,
    compile_engine,
    faults_of,
    public_fields,
    read_sources,
)
from vramsite.site.engine_js.natives import HELPERS, NATIVES
from vramsite.site.engine_js.source import Function, Program
from vramsite.site.engine_js.wide_program import WideProgram
from vramsite.site.engine_js.wide_statements import WideFunctionCompiler

PACKAGE = "vramsite"
ARCHITECTURES = "catalog.architectures"
ARCHITECTURES_DIR = SIZING_DIR.parent / "catalog" / "architectures"
GRAPHS = "catalog.graphs"
GRAPHS_DIR = SIZING_DIR.parent / "catalog" / "graphs"
OWN_MODEL = f"{ARCHITECTURES}.own_model"
FUNCTIONS = [
    "own_keys",
    "own_type",
    "own_source",
    "own_native",
    "own_buffer_range",
    "own_buffers",
    "own_facts",
    "own_unread",
    "own_file",
    "own_parameters",
    "own_layers",
    "own_experts_used",
]
READERS = "readers"  # the exported function that gives the readers by model_type
_NOT_COMPILED = frozenset({"registry"})  # finds modules by looking into a folder


class ReaderModule(Module):
    """The module in the making."""

    compiler = WideFunctionCompiler
    helpers: Mapping[str, str] = {**Module.helpers, **HELPERS}

    def __init__(self, program: Program, public: frozenset[str], fixed: dict[str, str]) -> None:
        super().__init__(program, public, fixed=fixed)

    def translated(self, function: Function) -> str:
        """A function as an expression; natives as they are written."""
        return NATIVES.get(function.qualified) or super().translated(function)


def reader_sources() -> dict[str, tuple[Path, str]]:
    """The modules by their names below `vramsite`."""
    sources = {f"sizing.{name}": found for name, found in read_sources(SIZING_DIR).items()}
    for folder, package in (("", ARCHITECTURES), ("readers", f"{ARCHITECTURES}.readers")):
        for name, found in read_sources(ARCHITECTURES_DIR / folder).items():
            if name not in _NOT_COMPILED:
                sources[f"{package}.{name}"] = found
    sources.update({f"{GRAPHS}.{name}": found for name, found in read_sources(GRAPHS_DIR).items()})
    return sources


@cache
def compile_readers() -> Compiled:
    """The module, with the names of all fields that JSON for it needs. Raises SubsetError."""
    sources = reader_sources()
    roots = [name for name in sources if name.startswith(ARCHITECTURES)]
    program = WideProgram(sources, PACKAGE, roots)
    engine = compile_engine()
    public = public_fields(program, [f"sizing.{name}" for name in SEEN]) | SEEN_FIELDS
    faults = faults_of(program, ReaderModule(program, public, engine.fields))
    if faults:
        raise SubsetError(faults)
    made = ReaderModule(program, public, engine.fields)
    own = program.modules[OWN_MODEL]
    exports = {name: made.function(own.functions[name]) for name in FUNCTIONS}
    exports["OwnRules"] = made.record(own.records["OwnRules"])
    exports[READERS] = made.table("readers", program.registered)
    exports["ArchitectureError"] = made.helper("architecture_error")
    exports["SizingError"] = made.helper("error")
    compiled = made.text(exports)
    return Compiled(compiled.text, {**engine.fields, **compiled.fields})
