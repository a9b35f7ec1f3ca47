"""A record as one line: its numbers as bytes, everything else as words. See answer_all.mjs."""

from __future__ import annotations

import base64
import json
import struct
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from vramsite.site.engine_js import compile_engine
from vramsite.site.engine_js.readers_module import compile_readers


@cache
def _names(kind: type, readers: bool) -> tuple[str, ...]:
    """Fields in the order of their names over there, without those that nothing reads."""
    module = compile_readers() if readers else compile_engine()
    read = [item.name for item in fields(kind) if item.name not in module.unread]
    return tuple(sorted(read, key=lambda name: module.fields.get(name, name)))


def flatten(value: Any, numbers: list[float], words: list[str], readers: bool) -> None:
    """Append a value's numbers and words in the order that both languages keep.

    `readers`: the value is one of the readers' module, not of the engine's.
    """
    if isinstance(value, float):
        numbers.append(value)
    elif isinstance(value, str):
        words.append(value)
    elif value is None or isinstance(value, bool):
        words.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        numbers.append(float(value))
    elif isinstance(value, list):
        words.append(f"[{len(value)}")
        for item in value:
            flatten(item, numbers, words, readers)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _names(type(value), readers):
            flatten(getattr(value, name), numbers, words, readers)
    else:
        raise TypeError(f"{value!r} is no value of the engine")


def line(values: list[Any], readers: bool = False) -> str:
    """One line for a list of values."""
    numbers: list[float] = []
    words: list[str] = []
    flatten(values, numbers, words, readers)
    packed = base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()
    return json.dumps([words, packed], separators=(",", ":"), ensure_ascii=False)


def difference(one: str, other: str) -> str:
    """Where two lines differ, for people."""
    sides = []
    for text in (one, other):
        words, packed = json.loads(text)
        raw = base64.b64decode(packed)
        sides.append((words, struct.unpack(f"<{len(raw) // 8}d", raw)))
    if sides[0][0] != sides[1][0]:
        return f"words {sides[0][0]} and {sides[1][0]}"
    apart = [
        f"number {place}: {one!r} and {other!r}"
        for place, (one, other) in enumerate(zip(sides[0][1], sides[1][1], strict=False))
        if struct.pack("<d", one) != struct.pack("<d", other)
    ]
    return f"{len(apart)} of {len(sides[0][1])} numbers: {'; '.join(apart[:5])}"
