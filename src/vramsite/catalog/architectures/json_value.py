"""Looking into parsed JSON (or YAML): the only functions that see values of any type.

Each has a twin in JavaScript (`vramsite.site.engine_js.natives`); all else about reading a
config.json is compiled from the functions that call these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import cast

SHOWN_LENGTH = 60
WHOLE_DIGITS = 9
WHOLE_LIMIT = 2.0**53


def item(values: Mapping[str, object], key: str) -> object:
    """The value of a key, None where it is not there."""
    return values.get(key)


def key_names(values: Mapping[str, object]) -> list[str]:
    """The keys of a mapping, in their order."""
    return [str(key) for key in values]


def kind_of(value: object) -> str:
    """null, number, text, flag, list, mapping, or other (which JSON does not have)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "mapping" if isinstance(value, Mapping) else "other"


def as_number(value: object) -> float:
    """A number as such, infinity for one that no float holds; check `kind_of` before."""
    try:
        return float(cast(float, value))
    except OverflowError:
        return float("inf")


def as_text(value: object) -> str:
    """A text as such."""
    return cast(str, value)


def as_flag(value: object) -> bool:
    """A truth value as such."""
    return cast(bool, value)


def as_items(value: object) -> list[object]:
    """A list as such."""
    return cast("list[object]", value)


def as_mapping(value: object) -> Mapping[str, object]:
    """A mapping as such."""
    return cast("Mapping[str, object]", value)


def nothing() -> Mapping[str, object]:
    """A mapping without keys."""
    return {}


def merged(values: Mapping[str, object], over: Mapping[str, object]) -> Mapping[str, object]:
    """All keys of both; the second one's values count."""
    return {**values, **over}


def with_number(values: Mapping[str, object], key: str, value: float) -> Mapping[str, object]:
    """The same with another number under a key."""
    return {**values, key: value}


def with_texts(
    values: Mapping[str, object], key: str, value: Sequence[str]
) -> Mapping[str, object]:
    """The same with another list of texts under a key."""
    return {**values, key: list(value)}


def shown(value: object) -> str:
    """A value for a message, cut where it is long."""
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE_LIMIT:
        value = int(value)  # 64.0 is 64 over there
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return f"{text[: SHOWN_LENGTH - 1]}…" if len(text) > SHOWN_LENGTH else text


def whole_number(text: str) -> float | None:
    """The whole number that a text holds; None where it holds something else."""
    digits = text.strip()
    return float(digits) if digits.isdecimal() and len(digits) <= WHOLE_DIGITS else None


def decimal_number(text: str) -> float | None:
    """The decimal number that a text is; None where it is something else."""
    return float(text) if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text) else None
