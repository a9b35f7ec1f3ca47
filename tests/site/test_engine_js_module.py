"""The compiled engine as a file: its size, its names, the same bytes every time."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

from vramsite.site.engine_js import compile_engine, compile_modules
from vramsite.site.engine_js.names import Marks, short_names, variable_mark

BUDGET_BYTES = 12 * 1024


def test_engine_is_within_its_budget() -> None:
    assert len(gzip.compress(compile_engine().text.encode(), 9)) <= BUDGET_BYTES


def test_engine_is_the_same_in_another_process() -> None:
    script = "from vramsite.site.engine_js import compile_engine as c; print(c().text, end='')"
    again = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        env={"PYTHONPATH": "src", "PYTHONHASHSEED": "7"},
        cwd=Path(__file__).resolve().parents[2],
    )
    assert again.stdout.decode() == compile_engine().text


def test_no_name_is_defined_twice() -> None:
    names = re.findall(r"^(?:const )?([A-Za-z]+)=", compile_engine().text, re.MULTILINE)
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
    text = compile_modules(sources, ["b.same"], [], []).text
    found = re.search(r"(\w)=e=>(\w)\(e\)\*3,\n(\w)=e=>e\+1;\n", text)
    assert found is not None
    assert found[1] != found[2] == found[3]


def test_names_are_no_words_of_the_language_and_all_different() -> None:
    names = list(islice(short_names(), 3000))
    assert len(set(names)) == 3000
    assert not set(names) & {"do", "if", "in", "for", "let", "new", "try", "var", "of"}


def test_what_is_used_most_has_the_shortest_name() -> None:
    marks = Marks()
    rare = [marks.function(f"module.rare{number}") for number in range(60)]
    often = marks.function("module.often")
    texts, names = marks.named([*rare, often * 3])
    assert len(names["module.often"]) == 1
    assert texts[-1] == names["module.often"] * 3
    assert len({*texts[:-1], names["module.often"]}) == 61


def test_a_variable_is_never_called_like_a_function_beside_it() -> None:
    marks = Marks()
    functions = [marks.function(f"module.f{number}") for number in range(52)]
    used = marks.function("module.used")
    texts, names = marks.named([*functions, "".join(functions) + used + variable_mark(1)])
    variable = texts[-1].removeprefix("".join(texts[:52]) + names["module.used"])
    assert variable not in names.values()


def test_nothing_unreachable_is_carried() -> None:
    text = "def f(x: float) -> float:\n    return x\n\n\ndef g(x: float) -> float:\n    return -x\n"
    assert "-e" not in compile_modules({"a": (Path("a.py"), text)}, ["a.f"], [], []).text


def test_fields_that_nobody_looks_at_are_left_out() -> None:
    text = (
        "from dataclasses import dataclass\n\n\n"
        "@dataclass(frozen=True, slots=True, kw_only=True)\n"
        "class Part:\n    size: float\n    copied: float\n    asked: float\n\n\n"
        "def count(x: float) -> float:\n    return x * 5.0\n\n\n"
        "def f(part: Part) -> float:\n"
        "    twice = Part(size=part.size * 2.0, copied=part.copied, asked=count(part.asked))\n"
        "    return twice.size\n"
    )
    compiled = compile_modules({"a": (Path("a.py"), text)}, ["a.f"], [], [])
    assert compiled.unread == {"copied"}
    assert "copied" not in compiled.fields
    assert "*5" in compiled.text  # a call is made, whoever wants its value
    kept = compile_modules({"a": (Path("a.py"), text)}, ["a.f"], [], ["a.Part"])
    assert kept.unread == frozenset()
    assert "copied:e.copied" in kept.text
