"""Drawn programs of the subset mean the same in Node as in Python, to the last bit."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from javascript import HERE, run_node
from test_language import bits

from vramsite.site.engine_js import SubsetError, compile_modules
from vramsite.site.engine_js.link import SIZING_DIR
from vramsite.sizing.errors import SizingError

PROGRAMS = 400
HEAD = """from __future__ import annotations
from dataclasses import dataclass, field
from vramsite.sizing.errors import SizingError
from vramsite.sizing.numeric import ceil_to, floor, index


@dataclass(slots=True, kw_only=True)
class Box:
    size: float = 0.5
    items: list[float] = field(default_factory=list)


def bumped(box: Box, by: float = 1.0) -> float:
    box.size += by
    box.items.append(by)
    if box.size > 1e6:
        raise SizingError("too_big")
    return box.size


def split(a: float, b: float) -> tuple[float, float]:
    return a - b, a + b


"""
GIVEN = [
    [a, b, flag, items]
    for a in (0.0, -0.0, 1.0, -2.5, 7.0)
    for b in (3.0, -0.0, -0.75)
    for flag in (True, False)
    for items in ([1.0, -2.0, 0.25], [5.0])
]


class Writer:
    """Writes functions f(a, b, flag, items) of random statements."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.floats = ["a", "b"]
        self.lists = ["items"]
        self.lines: list[str] = []

    def number(self, depth: int = 2) -> str:
        pick = self.rng.randrange(13 if depth else 4)
        if pick < 2:
            return self.rng.choice(self.floats)
        if pick == 2:
            return self.rng.choice(["0.0", "1.0", "-1.0", "0.1", "2.0", "-0.0", "3.5"])
        if pick == 3:
            return self.rng.choice(
                ["box.size", f"len({self.rng.choice(self.lists)}) * 1.0", "items[0]"]
            )
        one, other = self.number(depth - 1), self.number(depth - 1)
        if pick < 7:
            return f"({one} {self.rng.choice('+-*')} {other})"
        return self.rng.choice([
            f"min({one}, {other})",
            f"max({one}, {other})",
            f"floor({one})",
            f"ceil_to({one}, 4.0)",
            f"(-{one})",
            f"abs({one})",
            f"({one} if {self.truth(depth - 1)} else {other})",
            f"bumped(box, {one})",
            f"bumped(by={one}, box=box)",
            "bumped(box)",
        ])  # fmt: skip

    def truth(self, depth: int = 1) -> str:
        one, other = self.number(max(depth - 1, 0)), self.number(max(depth - 1, 0))
        plain = [
            "flag",
            f"{one} {self.rng.choice(['<', '<=', '>', '>=', '==', '!='])} {other}",
            f"0.0 <= {self.rng.choice(self.floats)} < {other}",
            f"(({one} < {other}) == flag)",
        ]
        if depth:
            plain += [
                f"not ({self.truth(depth - 1)})",
                f"({self.truth(depth - 1)} and {self.truth(depth - 1)})",
                f"({self.truth(depth - 1)} or {self.truth(depth - 1)})",
            ]
        return self.rng.choice(plain)

    def items(self) -> str:
        name = self.rng.choice(self.lists)
        return self.rng.choice([
            name,
            "box.items",
            f"[x for x in {name}]",
            f"[x * {self.number(0)} for x in {name} if x < {self.number(0)}]",
            f"[float(at) for at in range(len({name}))]",
            f"[{self.number(1)}, {self.number(1)}]",
        ])  # fmt: skip

    def statement(self, indent: str, depth: int) -> None:
        rng = self.rng
        pick = rng.randrange(11 if depth else 7)
        if pick == 0:
            self.lines.append(f"{indent}{rng.choice(self.floats)} = {self.number()}")
        elif pick == 1:
            self.lines.append(
                f"{indent}{rng.choice(self.floats)} {rng.choice('+-*')}= {self.number()}"
            )
        elif pick == 2:
            self.lines.append(f"{indent}{rng.choice(self.lists)}.append({self.number()})")
        elif pick == 3:
            self.lines.append(
                f"{indent}{rng.choice(self.lists)}[0] {rng.choice(['=', '+='])} {self.number()}"
            )
        elif pick == 4:
            one, other = rng.sample(self.floats, 2)
            made = rng.choice([f"{other}, {one}", f"split({one}, {other})"])
            self.lines.append(f"{indent}{one}, {other} = {made}")
        elif pick == 5:
            self.lines.append(f"{indent}box.size {rng.choice(['=', '+=', '-='])} {self.number()}")
        elif pick == 6 and indent == "    ":
            name = f"v{len(self.lines)}"
            if rng.random() < 0.5:
                self.lines.append(f"{indent}{name} = {self.items()}")
                self.lines.append(f"{indent}{name}.append({self.number()})")
                self.lists.append(name)
            else:
                self.lines.append(f"{indent}{name} = {self.number()}")
                self.floats.append(name)
        elif pick in {7, 8}:
            self.lines.append(f"{indent}if {self.truth()}:")
            self.statement(indent + "    ", depth - 1)
            if rng.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self.statement(indent + "    ", depth - 1)
        elif pick == 9:
            name = f"at{len(self.lines)}"
            self.lines.append(f"{indent}for {name} in range(len({rng.choice(self.lists)})):")
            self.lines.append(f"{indent}    a = a + {name}")
            self.statement(indent + "    ", depth - 1)
        elif pick == 10:
            name = f"x{len(self.lines)}"
            self.lines.append(f"{indent}for {name} in [y for y in {rng.choice(self.lists)}]:")
            self.lines.append(f"{indent}    b = b - {name}")
            self.statement(indent + "    ", depth - 1)
        else:
            self.lines.append(
                f"{indent}{self.rng.choice(self.floats)} = bumped(box, {self.number()})"
            )

    def program(self, name: str) -> str:
        for _ in range(self.rng.randint(2, 7)):
            self.statement("    ", 2)
        head = f"def {name}(a: float, b: float, flag: bool, items: list[float]) -> list[float]:"
        last = f"    return [{', '.join(self.floats)}, box.size, len(box.items) * 1.0]"
        joined = "".join(
            f"\n    {each}.append(-1.0)\n    result.append({each}[0])" for each in self.lists
        )
        last = last.replace("return", "result =") + joined + "\n    return result"
        return "\n".join([head, "    box = Box()", *self.lines, last]) + "\n"


def translated(text: str, names: list[str]) -> str:
    numeric = SIZING_DIR / "numeric.py"
    sources = {
        "trial": (Path("trial.py"), text),
        "numeric": (numeric, numeric.read_text(encoding="utf-8")),
    }
    return compile_modules(sources, [f"trial.{name}" for name in names], [], []).text


def in_python(function: Any, given: list[Any]) -> Any:
    try:
        return bits(function(*json.loads(json.dumps(given))))
    except SizingError as error:
        return {"error": error.code}


def test_drawn_programs_in_node_as_in_python(tmp_path: Path) -> None:
    kept: dict[str, str] = {}
    for seed in range(PROGRAMS):
        text = Writer(seed).program(f"p{seed}")
        try:
            translated(HEAD + text, [f"p{seed}"])
        except SubsetError:
            continue
        kept[f"p{seed}"] = text
    assert len(kept) > PROGRAMS / 2
    whole = HEAD + "\n\n".join(kept.values())
    (tmp_path / "trial.mjs").write_text(translated(whole, list(kept)), encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(whole, "trial.py", "exec"), names)
    calls = [(name, given) for name in kept for given in GIVEN[:: 1 + int(name[1:]) % 5]]
    text = json.dumps([[f"{name}", bits(given)] for name, given in calls])
    module = str(tmp_path / "trial.mjs")
    answers = json.loads(run_node(HERE / "call_functions.mjs", module, text=text))
    for (name, given), answer in zip(calls, answers, strict=True):
        assert answer == in_python(names[name], given), f"{given}\n{kept[name]}"
