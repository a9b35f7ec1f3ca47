"""What readers of config.json may use means the same in Node as in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wide_constructs
from javascript import HERE, run_node
from test_language import LISTS, PAIRS, VALUES, bits

from vramsite.catalog.architectures import ArchitectureError
from vramsite.site.engine_js import SubsetError
from vramsite.site.engine_js.link import faults_of
from vramsite.site.engine_js.natives import NATIVES
from vramsite.site.engine_js.readers_module import ReaderModule, reader_sources
from vramsite.site.engine_js.wide_program import WideProgram

TEXTS = ["", "a", "a,b", "`${x}`", 'quo"te', "\\", "ü–", "x" * 80]
JSON: dict[str, Any] = {
    "number": 0.5, "whole": 64, "text": "t", "flag": False, "none": None, "long": ["x" * 90],
    "list": [1, "a", None, {"b": []}], "map": {"n": 1, "m": "x"}, "toString": 1, "empty": {},
}  # fmt: skip
BIG = [1e5, 123456.0, 1234567.0, 1e16, 1e-5, 0.0001, 1.5, 100000.0, 999999.5, 2.0**53, 1 / 3]

CASES: list[tuple[str, list[Any]]] = [
    *[("texts", [a, b, name, 3.0]) for a, b in zip(VALUES + BIG, BIG + VALUES, strict=True)
      for name in TEXTS],
    *[("remainders", [a, b]) for a, b in PAIRS if b != 0.0],
    *[("methods", [a]) for a in VALUES],
    *[("compared", list(pair)) for pair in PAIRS],
    *[("pairs", [items, *names]) for items in LISTS for names in ([], ["a"], ["bc", "a"])],
    *[("emptiness", [items, name]) for items in ([], [0.0]) for name in ("", "x")],
    *[("looked_into", [JSON, key]) for key in (*JSON, "missing", "constructor", "__proto__")],
    *[("numbers_of", [text]) for text in ("", "0", " 12 ", "1.5", "-1", "1e3", "9" * 9, "9" * 10)],
    *[("cut", [text, end]) for text in ("", "aba", "a", "1.5", "12", "1.", ".5", "1e3", "١", "-1")
      for end in ("", "a", "ab", "1", "12", "5")],
    *[("letters", [text]) for text in ("", "abc", "b", "äb😀")],
]  # fmt: skip


def program(text: str) -> WideProgram:
    sources = {**reader_sources(), "trial": (Path("trial.py"), text)}
    return WideProgram(sources, "vramsite", ["trial"])


def test_constructs_and_natives_in_node_as_in_python(tmp_path: Path) -> None:
    found = program(Path(wide_constructs.__file__).read_text(encoding="utf-8"))
    made = ReaderModule(found, frozenset(), {})
    trial = found.modules["trial"]
    exports = {name: made.function(trial.functions[name]) for name, _ in CASES}
    (tmp_path / "trial.mjs").write_text(made.text(exports).text, encoding="utf-8")
    plain = [[name, given if name == "looked_into" else bits(given)] for name, given in CASES]
    script = HERE / "call_functions.mjs"
    answers = json.loads(run_node(script, str(tmp_path / "trial.mjs"), text=json.dumps(plain)))
    for (name, given), answer in zip(CASES, answers, strict=True):
        try:
            expected = bits(getattr(wide_constructs, name)(*json.loads(json.dumps(given))))
        except ArchitectureError as error:
            expected = {"error": error.code}
        assert answer == expected, (name, given)


def test_every_native_is_run() -> None:
    used = Path(wide_constructs.__file__).read_text(encoding="utf-8")
    known = {name.rpartition(".")[2] for name in NATIVES}
    assert {name for name in known if name not in used} == {"as_text", "as_flag"}  # as they are


REFUSED = [
    ("return x if x else 1.0", "a comparison"),
    ("return float(flag and x > 1.0)", "numbers"),
    ("return 1.0 if items and flag else 2.0", "truth values"),
    ('return float(len(f"{x}"))', "whole numbers, :g"),
    ("return items[::2][0]", "first and end of a list"),
    ("return {1.0: x}[1.0]", "a list of records"),
    ("return float(len({x}))", "a list"),
    ("return items.pop()", "methods of records, texts and lists"),
    ("return x ** 2.0", "multiplication"),
    ("try:\n        return x\n    except ValueError:\n        return x", "checks before"),
    ("for a, b in items:\n        x = a\n    return x", "names of a tuple"),
    ("return min(name)", "numbers"),
    ("raise ValueError(name)", 'raise SizingError("code")'),
]


@pytest.mark.parametrize(("body", "use"), REFUSED, ids=[body for body, _ in REFUSED])
def test_what_a_reader_may_not_say(body: str, use: str) -> None:
    head = "def f(x: float, flag: bool, name: str, items: list[float]) -> float:\n    "
    try:
        found = program(head + body + "\n")
        faults = faults_of(found, ReaderModule(found, frozenset(), {}))
    except SubsetError as error:
        faults = error.faults
    assert len(faults) == 1
    assert faults[0].startswith("trial.py:")
    assert use in faults[0].partition("; use ")[2]
