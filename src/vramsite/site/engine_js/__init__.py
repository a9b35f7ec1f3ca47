"""The engine for the browser: `sizing/` compiled to one ES module, and the data it runs on.

There is one source of every formula, the Python of `vramsite.sizing`. `compile_engine` translates
it and refuses, with file and line, whatever it does not know for certain to mean the same in
JavaScript. See docs/configurator.md.
"""

from __future__ import annotations

from vramsite.site.engine_js.fault import SubsetError
from vramsite.site.engine_js.link import (
    Compiled,
    compile_engine,
    compile_modules,
    compile_whole_engine,
)

__all__ = ["Compiled", "SubsetError", "compile_engine", "compile_modules", "compile_whole_engine"]
