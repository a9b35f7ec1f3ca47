"""Typed access to the keys of a config.json, with errors that name the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vramsite.catalog.architectures.json_value import (
    as_flag,
    as_items,
    as_mapping,
    as_number,
    as_text,
    item,
    kind_of,
    merged,
    nothing,
    shown,
    with_number,
    with_texts,
)

MOST = 9007199254740992.0  # 2**53: whole numbers below it are exact


class ArchitectureError(ValueError):
    """A config.json that a reader cannot turn into layers; `key` is the dotted path in it.

    `code` says in one word what is wrong, for messages in other languages: missing, type (of
    another), list, mapping (missing or of another type), range, whole, length, layers, other.
    """

    def __init__(self, key: str, message: str, code: str = "other") -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message
        self.code = code


@dataclass(slots=True)
class Keys:
    """A mapping of config.json keys. Every getter raises ArchitectureError on a wrong type.

    `asked` holds the names of all keys that were asked for, here or in mappings within.
    """

    values: Mapping[str, object]
    path: str = "config"
    asked: list[str] = field(default_factory=list)

    def value(self, key: str) -> object:
        """The value of a key, None where it is not there."""
        self.asked.append(key)
        return item(self.values, key)

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return kind_of(self.value(key)) != "null"

    def is_list(self, key: str) -> bool:
        """Whether the key holds a list."""
        return kind_of(self.value(key)) == "list"

    def number(self, key: str, default: float | None = None) -> float:
        """A non-negative finite number; the default where the key is absent or null."""
        value = self.value(key)
        if kind_of(value) == "null" and default is not None:
            return default
        return _number(value, f"{self.path}.{key}")

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        value = self.value(key)
        if kind_of(value) == "null" and default is not None:
            return default
        return _text(value, f"{self.path}.{key}")

    def flag(self, key: str, default: bool | None = None) -> bool:
        """A boolean."""
        value = self.value(key)
        if kind_of(value) == "null" and default is not None:
            return default
        _check(value, f"{self.path}.{key}", "flag", "true or false is needed")
        return as_flag(value)

    def numbers(self, key: str, length: float | None = None) -> list[float]:
        """A list of numbers, of the length given where one is given."""
        path = f"{self.path}.{key}"
        return [_number(value, path) for value in self._items(key, length)]

    def texts(self, key: str, length: float | None = None) -> list[str]:
        """A list of strings, of the length given where one is given."""
        path = f"{self.path}.{key}"
        return [_text(value, path) for value in self._items(key, length)]

    def sub(self, key: str) -> Keys:
        """A nested mapping."""
        value = self.value(key)
        if kind_of(value) != "mapping":
            raise ArchitectureError(f"{self.path}.{key}", "is missing or no mapping", "mapping")
        return Keys(as_mapping(value), f"{self.path}.{key}", self.asked)

    def under(self, nested: Keys) -> Keys:
        """These keys where `nested` has no others."""
        return Keys(merged(self.values, nested.values), nested.path, self.asked)

    def with_number(self, key: str, value: float) -> Keys:
        """The same with another number under a key."""
        return Keys(with_number(self.values, key, value), self.path, self.asked)

    def with_texts(self, key: str, value: Sequence[str]) -> Keys:
        """The same with another list of texts under a key."""
        return Keys(with_texts(self.values, key, value), self.path, self.asked)

    def _items(self, key: str, length: float | None) -> list[object]:
        value = self.value(key)
        path = f"{self.path}.{key}"
        if kind_of(value) != "list":
            raise ArchitectureError(path, "is missing or no list", "list")
        items = as_items(value)
        if length is not None and len(items) != length:
            message = f"has {len(items)} entries; {length:g} are needed"
            raise ArchitectureError(path, message, "length")
        return items


def no_keys(path: str = "config") -> Keys:
    """No keys at all: everything has its default."""
    return Keys(nothing(), path)


def _check(value: object, path: str, kind: str, needed: str) -> None:
    if kind_of(value) == "null":
        raise ArchitectureError(path, "is missing; copy it from config.json", "missing")
    if kind_of(value) != kind:
        raise ArchitectureError(path, f"is {shown(value)}; {needed}", "type")


def _number(value: object, path: str) -> float:
    _check(value, path, "number", "a number is needed")
    number = as_number(value)
    if not 0.0 <= number < MOST:
        raise ArchitectureError(path, f"is {shown(value)}; out of range", "range")
    return number


def _text(value: object, path: str) -> str:
    _check(value, path, "text", "a text is needed")
    return as_text(value)
