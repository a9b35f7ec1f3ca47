"""Every construct of the engine's subset, to be run in two languages."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.errors import SizingError
from vramsite.sizing.numeric import ceil_to, floor, index

LIMIT = -3.5
NAME = "top"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    size: float = 1.5
    limit: float | None = None
    tags: list[str] = field(default_factory=lambda: ["a", "b"])
    inner: list[Part] = field(default_factory=list)


ORIGIN = Part(name="origin", size=-0.25)


@dataclass(slots=True, kw_only=True)
class Sums:
    total: float = 0.0
    counts: list[float] = field(default_factory=list)


def arithmetic(a: float, b: float) -> list[float]:
    return [
        a + b,
        a - b,
        a * b,
        -a,
        a - (b - a),
        a - -b,
        -(a + b),
        (a + b) * (a - b),
        a - b - a,
        a - b + a,
        a * b * a,
        a * (b * a),
        a / 3.0 / 7.0,
        a / (3.0 / 7.0),
        1e22 * a,
        0.1 + a,
        abs(a),
        a * 0.0,
        1.0 - 2.0 * b,
        -a - b,
        -(-a),  # noqa: B002
    ]


def divided(a: float, b: float) -> float:
    return a / b if b != 0.0 else 0.0


def extremes(a: float, b: float, c: float) -> list[float]:
    return [
        min(a, b),
        max(a, b),
        min(a, b, c),
        max(a, b, c),
        max(min(a, b), c),
        min(a, 0.0),
        max(0.0, a),
    ]


def whole(a: float, b: float) -> list[float]:
    return [floor(a), ceil_to(a, 256.0), floor(a / 3.0), -floor(-a), ceil_to(b, 0.5)]


def logic(a: float, b: float, flag: bool, name: str) -> list[bool]:
    return [
        a < b,
        a <= b,
        a > b,
        a >= b,
        a == b,
        a != b,
        0.0 < a <= 5.0,
        not flag,
        flag and a < b,
        flag or (a < b and b > 0.0),
        (flag or a < b) and b > 0.0,
        (a < b) == flag,
        not (a < b and flag),
        name == "x",
        name != "x",
        name in ["x", "y"],
        name not in ["x", "y"],
        (a if flag else b) > 0.0,
        True,
        False,
    ]


def choices(a: float, flag: bool, other: bool) -> list[float]:
    return [
        1.0 if flag else 2.0 if other else 3.0,
        (1.0 if flag else 2.0) * a,
        a + (1.0 if other else 0.0),
        1.0 if (flag and other) or a > 0.0 else LIMIT,
        -LIMIT,
        a - LIMIT,
        a * LIMIT,
    ]


def optional(a: float | None) -> float:
    if a is None:
        return -1.0
    b = a if a is not None else 0.0
    return b + 1.0


def ladder(a: float, flag: bool) -> str:
    if flag:
        if a > 1.0:
            return "big"
    elif a > 2.0:
        return "second"
    else:
        if a < 0.0:
            return "negative"
    return NAME


def nested_else(a: float, flag: bool) -> float:
    if flag:
        if a > 1.0:
            return 1.0
    else:
        return 2.0
    return 3.0


def loops(items: list[float], count: float) -> list[float]:
    total = 0.0
    seen = []
    for value in items:
        if value < 0.0:
            continue
        if value > 100.0:
            break
        total += value
        total *= 1.5
        seen.append(total)
    for place in range(len(items)):
        items[place] -= 0.5
        if place > 1:
            total = total / 2.0
    left = count
    while left > 0.0 and total < 1e6:
        left -= 1.0
        total += left
    for place in range(1, index(count) + 1):
        seen.append(float(place) * total)
    for _ in range(2):
        items.append(total)
    return seen


def growing(items: list[float]) -> float:
    for place in range(len(items)):
        items.append(float(place))
    return len(items) * 1.0


def comprehensions(items: list[float], parts: list[Part]) -> list[list[float]]:
    return [
        [a * 2.0 for a in items],
        [a for a in items if a > 0.0],
        [a + 1.0 for a in items if a > 0.0 if a < 10.0],
        [float(place) for place in range(len(items))],
        [part.size for part in parts if part.limit is None],
        [items[place] + parts[0].size for place in range(1, len(items))],
        [0.0 for _ in range(3)],
        [b + 1.0 for b in [a / 2.0 for a in items]],
    ]


def records(name: str, size: float) -> Part:
    plain = Part(name=name)
    return Part(
        inner=[plain, Part(name="q", tags=[name], size=size, limit=0.0), ORIGIN],
        name="outer",
        limit=None,
    )


def fresh(name: str) -> list[float]:
    first = Part(name=name)
    second = Part(name=name)
    first.tags.append("c")
    return [len(first.tags) * 1.0, len(second.tags) * 1.0]


def mutable(items: list[float]) -> Sums:
    sums = Sums(counts=[0.0, 0.0])
    for value in items:
        _add(sums, value)
    return sums


def _add(sums: Sums, value: float, at: float = 1.0) -> None:
    if value < 0.0:
        sums.counts[0] += 1.0
        return
    sums.total += value
    sums.counts[index(at)] += 1.0


def _defaults(a: float, b: float = 2.0, c: float | None = None, d: bool = True) -> list[float]:
    return [a, b, c if c is not None else -9.0, 1.0 if d else 0.0]


def arguments(x: float) -> list[list[float]]:
    return [
        _defaults(x),
        _defaults(x, 3.0),
        _defaults(x, d=False),
        _defaults(c=x, a=1.0),
        _defaults(x, c=None, d=False),
    ]


def _two(a: float) -> tuple[float, list[float]]:
    return a + 1.0, [a]


def unpacked(a: float) -> list[float]:
    first, second = _two(a)
    _, third = _two(first)
    return [first, second[0], third[0]]


def refused(a: float) -> float:
    if a > 1.0:
        raise SizingError("too_big")
    return a


def shadowed(items: list[float]) -> float:
    total = 0.0
    for a in items:
        for b in items:
            total += a * b
        c = total
        for d in range(2):
            total += c + float(d)
    halves = [e / 2.0 for e in items]
    return total + halves[0]


def copied(items: list[float], parts: list[Part]) -> list[list[float]]:
    same = [a for a in items]  # noqa: C416
    kept = [a for a in items if a > -1e9]
    tags = [tag for tag in parts[0].tags]  # noqa: C416
    alias = items
    same.append(9.0)
    kept.append(8.0)
    tags.append("c")
    alias.append(7.0)
    alias.append(6.0)
    alias.pop()
    same[0] = -5.0
    return [same, kept, items, [len(tags) * 1.0, len(parts[0].tags) * 1.0]]


def swapped(a: float, b: float) -> list[float]:
    a, b = b, a
    c = a
    a, b = _pair(b, c)
    return [a, b, c]


def _pair(a: float, b: float) -> tuple[float, float]:
    return a - b, a


def evaluated(items: list[float]) -> list[float]:
    sums = Sums(counts=items)
    sums.counts[0] += _bumped(sums, 3.0)
    sums.total = _bumped(sums, 5.0) - _bumped(sums, 0.5)
    tested = sums.total < 100.0 and _bumped(sums, 2.0) > 0.0
    either = sums.total < 100.0 or _bumped(sums, 4.0) > 0.0
    return [sums.total, sums.counts[0], 1.0 if tested else 0.0, 1.0 if either else 0.0]


def _bumped(sums: Sums, by: float) -> float:
    sums.counts[0] += by
    sums.total += by
    return sums.counts[0]


def counted(items: list[float], count: float) -> list[float]:
    found = []
    for place in range(len(items)):
        rest = len(items) - place - 1
        found.append(rest * 1.0)
        found.append((place + 1) / 2)
        found.append((place * 2 + 1) * count)
        if 0 <= rest < 2:
            found.append(items[rest])
    at = index(count)
    while at > 0:
        at = at - 1
        if at == 1:
            continue
        found.append(at * 0.5)
    return found
