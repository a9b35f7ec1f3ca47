"""What the compiler of the engine refuses, and that it says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site.engine_js import SubsetError, compile_modules
from vramsite.site.engine_js.link import SIZING_DIR, read_sources, subset_faults

HEAD = """from __future__ import annotations
from dataclasses import dataclass, field
from vramsite.sizing.errors import SizingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    bytes: float = 0.0
    limit: float | None = None
    inner: list[Part] = field(default_factory=list)


def helper(a: float, b: float = 2.0) -> float:
    return a + b


def pair(a: float) -> tuple[float, str]:
    return a, "x"


def whole(a: float) -> list[float]:
    return [a]


ORIGIN = Part(name="origin")


"""
LINE = HEAD.count("\n") + 2

# A body of f(x: float, flag: bool, name: str, items: list[float], part: Part) -> float,
# and what the message must say.
REFUSED = [
    ("return x ** 2.0", "multiplication, tables"),
    ("return x % 2.0", "floor"),
    ("return x // 1.0", "floor of numeric"),
    ("return float(int(x))", "index or floor of numeric"),
    ("return round(x)", "no rounding"),
    ("return sum(items)", "a loop that adds in order"),
    ("return max(items)", "numbers"),
    ("return max(x, 1.0, key=helper)", "len, min, max"),
    ("return float(name)", "numbers"),
    ("return 1.0 if x else 2.0", "a comparison"),
    ("return 1.0 if items else 2.0", "a comparison"),
    ("return 1.0 if name else 2.0", "a comparison"),
    ("return 1.0 if part.limit else 2.0", "a comparison"),
    ("return 1.0 if not x else 2.0", "a comparison"),
    ("return x or 1.0", "a comparison"),
    ("return part.limit or 1.0", "a comparison"),
    ("while x:\n        x = x - 1.0\n    return x", "a comparison"),
    ("return 1.0 if items == [1.0] else 2.0", "two numbers, strings or truth values"),
    ("return 1.0 if part == part else 2.0", "two numbers, strings or truth values"),
    ("return 1.0 if flag == 1.0 else 2.0", "two numbers, strings or truth values"),
    ('return 1.0 if name < "b" else 2.0', "with numbers"),
    ('return 1.0 if "a" in name else 2.0', "a list of strings"),
    ("return 1.0 if x in items else 2.0", "a list of strings"),
    ("return 1.0 if part is part else 2.0", "is None"),
    ("return 1.0 if 0.0 < helper(x) < 2.0 else 2.0", "a variable for it"),
    ("return flag + 1.0", "numbers"),
    ("return len(name + x) * 1.0", "str as text"),
    ('return len(name + "x") * 1.0', "len of a list"),
    ("return len(items + items) * 1.0", "numbers"),
    ("return len(name) * 1.0", "len of a list"),
    ("return items[x]", "index() of numeric"),
    ("return items[-1]", "len(items) - 1"),
    ("return len(items[1:]) * 1.0", "a loop or a comprehension"),
    ("return x if flag else name", "one type"),
    ("return name", "float as the result"),
    ("return None", "float as the result"),
    ("return", "a float"),
    ("return part.size", "a field of the record"),
    ("return x.real", "attributes of records"),
    ("return unknown", "parameters, variables"),
    ("y = None\n    return x", "an annotation with its type"),
    ('y = 1.0\n    y = "a"\n    return x', "it as float"),
    ("y = z = 1.0\n    return x", "one at a time"),
    ("y: float\n    return x", "a name with its first value"),
    ("x += flag\n    return x", "numbers"),
    ("x //= 2.0\n    return x", "+= -= *= /="),
    ("for at in range(3):\n        at = 1\n    return x", "another name"),
    ("at = 0\n    for at in range(3):\n        x = x + 1.0\n    return x", "a name of its own"),
    ("for value in items:\n        x = x + value\n    return value", "parameters, variables"),
    ("for at in range(0, 9, 2):\n        x = x + 1.0\n    return x", "range(first, end)"),
    ("for at in range(x):\n        x = x + 1.0\n    return x", "index() of numeric"),
    ("for at, value in enumerate(items):\n        x = x + value\n    return x", "one name"),
    ("for letter in name:\n        x = x + 1.0\n    return x", "a list or range"),
    ("for value in items:\n        x = value\n    else:\n        x = 0.0\n    return x", "else"),
    ("return len([a for b in items for a in items]) * 1.0", "a loop"),
    ("return len([a for a in items if a]) * 1.0", "a comparison"),
    ("return len(list(a for a in items)) * 1.0", "functions of the engine"),
    ("return len({1.0}) * 1.0", "a list"),
    ('return {"a": 1.0}["a"]', "a list of records"),
    ("return (lambda a: a)(x)", "functions of the engine"),
    ("return x if (y := x) > 1.0 else 2.0", "an assignment of its own"),
    ('return len(f"{x}") * 1.0', "short codes"),
    ("return max(*items)", "arguments one by one"),
    ("return helper(*items)", "arguments one by one"),
    ("return helper()", "all arguments"),
    ("return helper(x, 1.0, 2.0)", "those it has"),
    ("return helper(x, c=1.0)", "each argument once"),
    ("return helper(b=helper(x), a=helper(x))", "the parameters' order"),
    ("return helper(name)", "float as helper's a"),
    ("return Part().bytes", "all fields"),
    ('return Part("a").bytes', "keywords"),
    ('return Part(name="a", size=1.0).bytes', "its own fields"),
    ('return Part(name=1.0).bytes', "str as Part.name"),
    ("items.sort()\n    return x", "append, pop() and plain functions"),
    ('items.append("a")\n    return x', "items of list[float]"),
    ("return name.count(name) * 1.0", "functions of the engine"),
    ("x > 1.0\n    return x", "calls"),
    ("assert flag\n    return x", "raise SizingError"),
    ('raise ValueError("a")', 'raise SizingError("code")'),
    ("raise SizingError(name)", 'raise SizingError("code")'),
    ("try:\n        return x\n    except SizingError:\n        return x", "checks before"),
    ("match x:\n        case 1.0:\n            return x", "if and elif"),
    ("def inner() -> float:\n        return x\n    return x", "a module-level function"),
    ("import math\n    return x", "an import at the top"),
    ("global LIMIT\n    return x", "parameters"),
    ("del items\n    return x", "a new list"),
    ("a, *b = items\n    return x", "names for a function's tuple"),
    ("return 1.0 if isinstance(x, float) else 2.0", "a field that tells the kind"),
    ("return ~x", "something simpler"),
    ("return x @ x", "+ - * /"),
    ("return 1j", "something simpler"),
    ("return -len(items) * 1.0", "a float"),
    ("return (len(items) * (2 - 3)) * 1.0", "floats"),
    ("part.bytes = 1.0\n    return x", "a new record"),
    ("part.inner[0].bytes += 1.0\n    return x", "a new record"),
    ("ORIGIN.inner.append(part)\n    return x", "a variable's own"),
    ("items[len(whole(x))] = helper(x)\n    return x", "a variable for the value"),
    ("return len([helper(a) for a in items if helper(a) > 1.0]) * 1.0", "a loop"),
]  # fmt: skip


def compiled(text: str, name: str = "trial") -> str:
    sources = {name: (Path("sizing") / f"{name}.py", text)}
    return compile_modules(sources, [f"{name}.f"], [], []).text


def with_body(body: str) -> str:
    parameters = "x: float, flag: bool, name: str, items: list[float], part: Part"
    return f"{HEAD}def f({parameters}) -> float:\n    {body}\n"


@pytest.mark.parametrize(("body", "use"), REFUSED, ids=[body for body, _ in REFUSED])
def test_refused_with_its_line(body: str, use: str) -> None:
    with pytest.raises(SubsetError) as caught:
        compiled(with_body(body))
    message = str(caught.value)
    place, _, text = message.partition(": ")
    file, _, line = place.rpartition(":")
    assert file == "sizing/trial.py"
    assert LINE - 1 <= int(line) <= LINE + body.count("\n")
    assert "is outside the engine's subset; use " in text
    assert use in text.partition("; use ")[2]


REFUSED_MODULES = [
    ("import math\n\ndef f(x: float) -> float:\n    return x\n", 1, "functions, dataclasses"),
    ("from math import floor\n", 1, "imports from dataclasses"),
    ("from vramsite.catalog import Catalog\n", 1, "imports from dataclasses"),
    ("from . import numeric\n", 1, "imports from dataclasses"),
    ("from dataclasses import replace\n", 1, "dataclass and field"),
    ("from dataclasses import dataclass as made\n", 1, "dataclass and field"),
    ("if True:\n    A = 1.0\n", 1, "functions, dataclasses"),
    ("A = [1.0]\n", 1, "a number, a string or a record"),
    ("A, B = 1.0, 2.0\n", 1, "a number, a string or a record"),
    ("A = 1.0\nA = 2.0\n", 2, "another name"),
    ("class A:\n    x: float\n", 1, "@dataclass"),
    ("@dataclass(frozen=True)\nclass A:\n    x: float\n", 2, "kw_only=True"),
    ("@dataclass(kw_only=True)\nclass A(B):\n    x: float\n", 2, "no bases"),
    ("@dataclass(kw_only=True)\nclass A:\n    def m(self) -> float:\n        return 1.0\n", 3,
     "functions over records"),
    ("@dataclass(kw_only=True)\nclass A:\n    x: float = field(default=1.0)\n", 3,
     "field(default_factory=list)"),
    ("@dataclass(kw_only=True)\nclass A:\n    x: dict[str, float]\n", 3, "list[…]"),
    ("@dataclass(kw_only=True)\nclass A:\n    x: set[float]\n", 3, "list[…]"),
    ("def f(x) -> float:\n    return 1.0\n", 1, "an annotation"),
    ("def f(x: float):\n    return 1.0\n", 1, "-> and a type"),
    ("def f(*x: float) -> float:\n    return 1.0\n", 1, "plain parameters"),
    ("def f(*, x: float) -> float:\n    return 1.0\n", 1, "plain parameters"),
    ("def f(x: float, /) -> float:\n    return 1.0\n", 1, "plain parameters"),
    ("def f(x: float = 1.0 + 1.0) -> float:\n    return x\n", 1, "a literal"),
    ("def f(x: int | str) -> float:\n    return 1.0\n", 1, "… | None"),
    ("@cache\ndef f(x: float) -> float:\n    return x\n", 2, "a plain function"),
    ("async def f(x: float) -> float:\n    return x\n", 1, "functions, dataclasses"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "use"), REFUSED_MODULES)
def test_refused_at_module_level(text: str, line: int, use: str) -> None:
    faults = subset_faults({"trial": (Path("trial.py"), text)})
    assert len(faults) == 1
    assert faults[0].startswith(f"trial.py:{line}: construct ")
    assert use in faults[0].partition("; use ")[2]


def test_all_functions_faults_are_told_at_once() -> None:
    text = "def f(x: float) -> float:\n    return x % 2.0\n\n\ndef g() -> float:\n    return -y\n"
    faults = subset_faults({"trial": (Path("trial.py"), text)})
    assert [fault.split(": ")[0] for fault in faults] == ["trial.py:2", "trial.py:6"]


def test_import_cycles_are_refused() -> None:
    sources = {
        "a": (Path("a.py"), "from vramsite.sizing.b import g\n"),
        "b": (Path("b.py"), "from vramsite.sizing.a import f\n"),
    }
    assert "import cycle a → b → a" in subset_faults(sources)[0]


def test_the_whole_engine_is_within_the_subset() -> None:
    assert subset_faults(read_sources(SIZING_DIR)) == []


def test_the_error_class_is_known_as_it_stands(tmp_path: Path) -> None:
    text = (SIZING_DIR / "errors.py").read_text(encoding="utf-8")
    (tmp_path / "errors.py").write_text(text.replace("self.code = code", "self.code = ''"))
    with pytest.raises(SubsetError, match=r"errors\.py:6"):
        read_sources(tmp_path)


def test_an_export_must_exist() -> None:
    with pytest.raises(KeyError):
        compile_modules({"a": (Path("a.py"), "A = 1.0\n")}, ["a.f"], [], [])
