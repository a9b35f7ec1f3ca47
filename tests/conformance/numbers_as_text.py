"""Numbers to print, and what Python's formats make of them."""

from __future__ import annotations

import random
from typing import Any

from vramsite.site.formatting import Formatter

LOCALES = ("en", "de")
COUNT = 1_000
# The name of a format in Python and in JavaScript, and the arguments after the number.
FORMATS: list[tuple[str, str, list[Any]]] = [
    ("integer", "integer", []),
    ("number", "number", []),
    ("number", "number", [0]),
    ("number", "number", [3]),
    ("compact", "compact", []),
    ("compact", "compact", [1]),
    ("three_digits", "threeDigits", []),
    ("unit", "unit", ["GB/s"]),
    ("gib", "gib", []),
    ("gib", "gib", [1]),
    ("gb", "gb", []),
    ("mib", "mib", []),
    ("bytes_auto", "bytesAuto", []),
    ("tps", "tps", []),
    ("percent", "percent", []),
    ("percent", "percent", [1]),
    ("usd", "usd", []),
    ("usd", "usd", [False]),
    ("amount", "amount", ["EUR"]),
    ("amount", "amount", ["CHF", False]),
    ("price", "price", []),
    ("price", "price", ["GBP"]),
    ("cost", "cost", []),
    ("cost", "cost", ["EUR"]),
    ("tokens", "tokens", []),
    ("tokens_short", "tokensShort", []),
    ("billions", "billions", []),
    ("seconds", "seconds", []),
    ("span", "span", [12.345]),
    ("tps_range", "tpsRange", [2.5, 99.95]),
    ("tps_range", "tpsRange", [None, None]),
    ("gib_range", "gibRange", [2.5e10, 9.995e10]),
    ("gib_range", "gibRange", [None, 1.0]),
]
EDGES = [
    0.0, -0.0, 0.5, 1.5, 2.5, 0.005, 0.015, 0.025, 1.005, 2.675, 9.995, 9.994999, 99.95, 99.949,
    99.96, 999.5, 1000.5, 0.999, 0.9995, 0.9994, 599.9, 600.0, 5399.0, 5400.0, 1e-7, -0.001,
    -0.5, -1.005, -12345.678, 1024.0, 8192.0, 131072.0, 1048576.0, 1048577.0, 2.0**30, 1.6e9, 1e15,
    123456789012345.0, 358.3e9, 0.6e9, 32e9, 0.125, 0.375, 1e21,
]  # fmt: skip


def numbers() -> list[float]:
    """Edges, halves at every place, and numbers of every size."""
    rng = random.Random(5)
    found = list(EDGES)
    while len(found) < COUNT:
        size = 10.0 ** rng.uniform(-4, 13)
        kind = len(found) % 4
        if kind == 0:
            found.append(size)
        elif kind == 1:
            found.append(float(round(size, 1)))
        elif kind == 2:  # halves: where rounding modes part
            found.append(
                float(f"{rng.randint(0, 9999)}.{rng.choice(['5', '05', '25', '005', '115'])}")
            )
        else:
            found.append(float(rng.randint(0, 10**9)))
    return found


def expected(locale: str) -> list[list[str]]:
    """For each number what each format prints."""
    formatter = Formatter(locale)
    return [
        [getattr(formatter, name)(value, *more) for name, _, more in FORMATS] for value in numbers()
    ]


def question() -> dict[str, Any]:
    """What JavaScript is asked."""
    return {
        "numbers": [repr(value) for value in numbers()],  # as text: JSON.stringify drops -0
        "formats": [[name, more] for _, name, more in FORMATS],
    }
