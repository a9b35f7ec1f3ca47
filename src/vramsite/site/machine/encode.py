"""Compact JSON: whole numbers without a fraction, no spaces, text as it is."""

from __future__ import annotations

import json


def json_bytes(value: object) -> bytes:
    """One line of UTF-8.

    Raises:
        ValueError: infinity or nan, which JSON cannot hold.
    """
    text = json.dumps(whole(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode() + b"\n"


def whole(value: object) -> object:
    """The same value with floats that are whole numbers as integers, which print shorter."""
    kind = type(value)
    if kind is float:
        return int(value) if value.is_integer() else value  # type: ignore[attr-defined, call-overload]
    if kind is dict:
        return {key: whole(item) for key, item in value.items()}  # type: ignore[attr-defined]
    if kind is list:
        return [whole(item) for item in value]  # type: ignore[attr-defined]
    return value
