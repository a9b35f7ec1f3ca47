"""The compiled engine as a file: its size, its names, the same bytes every time."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

from vramsite.site.engine_js import compile_engine, compile_modules
from vramsite.site.engine_js.names import function_names, variable_names

BUDGET_BYTES = 12 * 1024


def test_engine_is_within_its_budget() -> None:
    assert len(gzip.compress(compile_engine().encode(), 9)) <= BUDGET_BYTES


def test_engine_is_the_same_in_another_process() -> None:
    script = "from vramsite.site.engine_js import compile_engine as c; print(c(), end='')"
    again = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": "src", "PYTHONHASHSEED": "7"},
        cwd=Path(__file__).resolve().parents[2],
    )
    assert again.stdout.decode() == compile_engine()


def test_no_name_is_defined_twice() -> None:
    names = re.findall(r"^(?:const )?([A-Z][a-z]*)=", compile_engine(), re.MULTILINE)
    assert len(names) == len(set(names)) > 50


def test_functions_of_one_name_in_two_modules_stay_apart() -> None:
    sources = {
        "a": (Path("a.py"), "def same(x: float) -> float:\n    return x + 1.0\n"),
        "b": (
            Path("b.py"),
            "from vramsite.sizing.a import same as other\n\n\n"
            "def same(x: float) -> float:\n    return other(x) * 3.0\n",
        ),
    }
    text = compile_modules(sources, ["b.same"], [])
    assert "\nA=a=>C(a)*3,\nC=a=>a+1;\n" in text


def test_names_of_functions_and_variables_cannot_meet() -> None:
    functions, variables = set(islice(function_names(), 2000)), set(islice(variable_names(), 2000))
    assert len(functions) == len(variables) == 2000
    assert not functions & variables
    assert not variables & {"do", "if", "in", "for", "let", "new", "try", "var", "of"}


def test_nothing_unreachable_is_carried() -> None:
    text = "def f(x: float) -> float:\n    return x\n\n\ndef g(x: float) -> float:\n    return -x\n"
    assert "-a" not in compile_modules({"a": (Path("a.py"), text)}, ["a.f"], [])
