"""What the readers of config.json use beyond the engine's subset, to be run in two languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from vramsite.catalog.architectures.json_value import (
    as_items,
    as_mapping,
    as_number,
    decimal_number,
    item,
    key_names,
    kind_of,
    merged,
    nothing,
    shown,
    whole_number,
    with_number,
    with_texts,
)
from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.sizing.numeric import index

NAMES = ("a", "b", "c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    heads: float
    size: float = 2.0
    tags: list[str] = field(default_factory=list)

    @property
    def width(self) -> float:
        return self.heads * self.size

    def scaled(self, by: float, *, more: float = 0.0) -> Shape:
        return replace(self, heads=self.heads * by + more)


@dataclass(slots=True, kw_only=True)
class Box:
    values: list[float] = field(default_factory=list)

    def add(self, value: float, *, times: Iterable[float] = ()) -> None:
        self.values += [value * each for each in times]
        self.values.append(value)


def texts(a: float, b: float, name: str, count: float) -> list[str]:
    whole = index(count)
    return [
        f"{a:g}", f"{b:g}", f"`{name}`[{whole}] is {shown(name)} ${{x}}",
        ", ".join(NAMES), *name.split(","),
    ]  # fmt: skip


def remainders(a: float, b: float) -> list[float]:
    return [a % b, (a + 1.0) % b, -a % b]


def methods(a: float) -> list[float]:
    shape = Shape(heads=a)
    box = Box()
    box.add(a, times=[1.0, 2.0])
    box.add(shape.scaled(3.0, more=1.0).width)
    return [shape.width, *box.values, *[value + 1.0 for value in box.values[1:-1]]]


def compared(a: float, b: float) -> list[bool]:
    one, other = Shape(heads=a, tags=["x"]), Shape(heads=b, tags=["x"])
    shapes = [one, Shape(heads=7.0)]
    return [
        one == other, one != other, other in shapes, other not in shapes,
        [a, b] == [b, a], sorted([b, a, 1.0]) == [a, b, 1.0], a in [b, 2.0], "b" in NAMES,
        ".." in "1..2", any(x > 1.0 for x in [a, b]), all([a > 0.0, b > 0.0]),
    ]  # fmt: skip


def pairs(items: list[float], *names: str) -> list[list[float]]:
    found = [[float(place) * value for place, value in enumerate(items)]]
    for one, other in zip(items, list(items), strict=True):
        found.append([one - other, float(items.count(one)), float(items.index(other))])
    for name, size in (("a", 1.0), ("bc", 2.0)):
        if name in names:
            found.append([size for _ in items])
    found.append([min(items), max(items), float(len(names))])
    return found


def emptiness(items: list[float], name: str) -> list[bool]:
    empty = not items
    if items:
        empty = name == ""
    return [empty, not name, bool_of(items)]


def bool_of(items: Sequence[float]) -> bool:
    if items:
        return True
    return not items and False


def looked_into(values: Mapping[str, object], key: str) -> list[str]:
    value = item(values, key)
    kind = kind_of(value)
    found = [kind, shown(value)]
    if kind == "number":
        found.append(f"{as_number(value):g}")
    if kind == "list":
        found.append(f"{len(as_items(value))}")
    if kind == "mapping":
        found += key_names(as_mapping(value))
        both = merged(as_mapping(value), with_number(nothing(), "n", 2.0))
        found.append(shown(item(both, "n")))
        found.append(shown(item(with_texts(both, "t", ["x", "y"]), "t")))
    return found


def numbers_of(text: str) -> list[float]:
    number = whole_number(text)
    if number is None:
        raise ArchitectureError("config.key", f"is {shown(text)}", "other")
    return [number]


def letters(text: str) -> list[str]:
    return [letter for letter in text if letter != "b"]


def cut(text: str, end: str) -> list[str]:
    found = [text.removeprefix(end), text.removesuffix(end)]
    if text.startswith(end):
        found.append("starts")
    if text.endswith(end):
        found.append("ends")
    number = decimal_number(text)
    if number is not None:
        found.append(f"{number:g}")
    return found
