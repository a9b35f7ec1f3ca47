"""Values that no field of a catalog should hold, for hypothesis to draw from."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

LONG = int(os.environ.get("VRAMSITE_FUZZ", "1"))
"""How many times as many examples as the gate tries; above 1 they are new ones each time."""

TEXTS = [
    "", " ", "\t", "\n", "\u00a0", "NaN", "nan", "inf", "-Infinity", "None", "null", "true", "~",
    "a" * 9000, "x" * 119, "\u202e12 GB", "\u200b", "\ufeff", "\x7f", "\x85", "\u2028x", "\ufffd",
    "１２", "²", "١٢", "2026-11", "2026", "0000-01", "0001-01-01", "9999-12-31", "2026-02-30",
    "2026-W45-4", "20261105", "12345678901234567890", "1e400", "0x10", "1_000", "0b1", "017",
    "../../etc/passwd", "..\\..\\x", "%s%n{0}", "{{7*7}}", "{% raw %}", "<b>", "&amp;", "'\"`$(id)",
    "a/b;rm -rf", "-rf", "\U0001f600", "e\u0301" * 40, "\U0010ffff", "TODO", "*x", "&x", "!!int",
    "<<", "? x", "- x", "# x", "a: b", "|", ">", "%YAML 1.1", "---", "...",
]  # fmt: skip
NUMBERS = [
    0, 1, -1, 2, 3, 7, 2**31 - 1, 2**31, 2**53 - 1, 2**53, 2**63, 2**64, 10**24, -(10**24),
    0.0, -0.0, 0.1, 0.5, 0.999, 1.5, 1e-9, 1e-300, 5e-324, 1e6, 1e9, 1e15, 1e300, 1.7e308, -1e308,
    float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
SHAPES: list[Any] = [
    None, True, False, [], {}, [None], [[]], [0], [""], ["a", "a"], [1e300], {"": 1}, {"a": {}},
    {"gpu": []}, {"value": 1}, [[[[[]]]]], {"a": {"b": {"c": {"d": {}}}}}, [{}], [{"source": "x"}],
]  # fmt: skip

REMOVE = object()
"""Instead of a value: take the key or entry out."""


def values() -> st.SearchStrategy[Any]:
    """A spoilt value: of the lists above, or drawn."""
    drawn = st.one_of(
        st.integers(), st.floats(), st.text(max_size=30), st.lists(st.integers(), max_size=3)
    )
    return st.one_of(st.sampled_from([*TEXTS, *NUMBERS, *SHAPES, REMOVE]), drawn)


def tries(examples: int) -> settings:
    """So many examples in the gate, always the same; VRAMSITE_FUZZ times as many elsewhere."""
    return settings(
        max_examples=examples * LONG,
        derandomize=LONG == 1,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],  # what is found is small as it is
        suppress_health_check=list(HealthCheck),
    )


def places(value: Any, keys: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value inside, itself left out; of long lists only the first entries."""
    found = [keys] if keys else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*keys, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:3]):
            found += places(inner, (*keys, index))
    return found


def spoilt(value: Any, keys: tuple[str | int, ...], new: object) -> Any:
    """A copy with another value in that place."""
    if not keys:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is REMOVE and len(keys) == 1:
        del copy[keys[0]]
    else:
        copy[keys[0]] = spoilt(copy[keys[0]], keys[1:], new)
    return copy
