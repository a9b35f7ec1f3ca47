"""Each construct of the subset means the same in Node as in Python, to the last bit."""

from __future__ import annotations

import json
import struct
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import constructs
import pytest
from javascript import HERE, run_node

from vramsite.site.engine_js import compile_modules
from vramsite.site.engine_js.link import SIZING_DIR
from vramsite.sizing.errors import SizingError

VALUES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    2.5,
    3.7,
    -7.25,
    255.0,
    256.0,
    1e-9,
    123456789.123,
    2.0**53,
    1e300,
]
PAIRS = [(a, b) for a in VALUES for b in VALUES]
LISTS = [[1.0, 2.0, 3.0], [0.3, -1.0, 7.0, 200.0, 5.0], [9.5], [-1.0, -0.0]]
PART = {"name": "p", "size": 2.5, "limit": None, "tags": [], "inner": []}
OTHER = {"name": "o", "size": 0.5, "limit": 3.0, "tags": [], "inner": []}

CASES: list[tuple[str, list[Any]]] = [
    *[("arithmetic", list(pair)) for pair in PAIRS],
    *[("divided", list(pair)) for pair in PAIRS],
    *[("extremes", [a, b, c]) for a, b in PAIRS for c in (0.0, -0.0, 2.0)],
    *[("whole", list(pair)) for pair in PAIRS if abs(pair[0]) < 1e17 and abs(pair[1]) < 1e17],
    *[("logic", [a, b, flag, name]) for a, b in PAIRS for flag in (True, False) for name in "xyz"],
    *[("choices", [a, f, o]) for a in VALUES for f in (True, False) for o in (True, False)],
    *[("optional", [a]) for a in (None, 0.0, 1.0)],
    *[("ladder", [a, flag]) for a in (-1.0, 0.0, 1.5, 3.0) for flag in (True, False)],
    *[("nested_else", [a, flag]) for a in (0.0, 2.0) for flag in (True, False)],
    *[("loops", [items, count]) for items in LISTS for count in (0.0, 3.0)],
    *[("growing", [items]) for items in LISTS],
    *[("comprehensions", [items, [PART, OTHER]]) for items in LISTS],
    ("records", ["n", 4.0]),
    ("fresh", ["n"]),
    *[("mutable", [items]) for items in LISTS],
    ("arguments", [0.5]),
    ("unpacked", [0.5]),
    ("refused", [0.5]),
    ("refused", [1.5]),
    *[("shadowed", [items]) for items in LISTS],
    *[("copied", [items, [PART, OTHER]]) for items in LISTS],
    *[("swapped", list(pair)) for pair in PAIRS],
    *[("evaluated", [items]) for items in LISTS],
    *[("counted", [items, count]) for items in LISTS for count in (0.0, 1.0, 5.0)],
]  # fmt: skip


def bits(value: Any) -> Any:
    """A value with every number as its eight bytes."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return {"hex": struct.pack(">d", float(value)).hex()}
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: bits(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, dict):
        return {name: bits(part) for name, part in value.items()}
    return [bits(part) for part in value]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What Node says to all cases."""
    folder = tmp_path_factory.mktemp("language")
    numeric = SIZING_DIR / "numeric.py"
    trial = Path(constructs.__file__)
    sources = {
        "trial": (trial, trial.read_text(encoding="utf-8")),
        "numeric": (numeric, numeric.read_text(encoding="utf-8")),
    }
    names = sorted({f"trial.{name}" for name, _ in CASES})
    text = compile_modules(sources, names, [], ["trial.Part", "trial.Sums"]).text
    (folder / "trial.mjs").write_text(text, encoding="utf-8")
    text = json.dumps([[name, bits(given)] for name, given in CASES])
    return list(
        json.loads(run_node(HERE / "call_functions.mjs", str(folder / "trial.mjs"), text=text))
    )


def test_every_construct_in_node_as_in_python(answers: list[Any]) -> None:
    assert len(answers) == len(CASES)
    for (name, given), answer in zip(CASES, answers, strict=True):
        copies = json.loads(json.dumps(given))
        if name in {"comprehensions", "copied"}:
            copies[1] = [constructs.Part(**part) for part in copies[1]]
        try:
            expected = bits(getattr(constructs, name)(*copies))
        except SizingError as error:
            expected = {"error": error.code}
        assert answer == expected, (name, given)
