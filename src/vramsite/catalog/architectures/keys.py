"""Typed access to the keys of a config.json, with errors that name the key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MISSING = "is missing; copy it from config.json"


class ArchitectureError(ValueError):
    """A config.json that a reader cannot turn into layers; `key` is the dotted path in it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(f"{key}: {message}")
        self.key = key
        self.message = message


@dataclass(frozen=True, slots=True)
class Keys:
    """A mapping of config.json keys. Every getter raises ArchitectureError on a wrong type."""

    values: Mapping[str, object]
    path: str = "config"

    def has(self, key: str) -> bool:
        """Whether the key is there and not null."""
        return self.values.get(key) is not None

    def number(self, key: str, default: float | None = None) -> float:
        """A non-negative finite number; the default where the key is absent or null."""
        value = self.values.get(key)
        if value is None:
            if default is None:
                raise ArchitectureError(
                    f"{self.path}.{key}", "is missing; copy it from config.json"
                )
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ArchitectureError(f"{self.path}.{key}", f"is {value!r}; a number is needed")
        if not 0 <= value < 2**53:
            raise ArchitectureError(f"{self.path}.{key}", f"is {value!r}; out of range")
        return float(value)

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        value = self.values.get(key)
        if value is None:
            if default is None:
                raise ArchitectureError(
                    f"{self.path}.{key}", "is missing; copy it from config.json"
                )
            return default
        if not isinstance(value, str):
            raise ArchitectureError(f"{self.path}.{key}", f"is {value!r}; a text is needed")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """A boolean."""
        value = self.values.get(key)
        if value is None:
            if default is None:
                raise ArchitectureError(
                    f"{self.path}.{key}", "is missing; copy it from config.json"
                )
            return default
        if not isinstance(value, bool):
            raise ArchitectureError(f"{self.path}.{key}", f"is {value!r}; true or false is needed")
        return value

    def numbers(self, key: str, length: int | None = None) -> list[float]:
        """A list of numbers, of the length given where one is given."""
        return [
            Keys({"item": item}, f"{self.path}.{key}").number("item")
            for item in self._list(key, length)
        ]

    def texts(self, key: str, length: int | None = None) -> list[str]:
        """A list of strings, of the length given where one is given."""
        return [
            Keys({"item": item}, f"{self.path}.{key}").text("item")
            for item in self._list(key, length)
        ]

    def sub(self, key: str) -> Keys:
        """A nested mapping."""
        value = self.values.get(key)
        if not isinstance(value, Mapping):
            raise ArchitectureError(f"{self.path}.{key}", "is missing or no mapping")
        return Keys(value, f"{self.path}.{key}")

    def _list(self, key: str, length: int | None) -> list[object]:
        value = self.values.get(key)
        if not isinstance(value, list):
            raise ArchitectureError(f"{self.path}.{key}", "is missing or no list")
        if length is not None and len(value) != length:
            raise ArchitectureError(
                f"{self.path}.{key}", f"has {len(value)} entries; {length} are needed"
            )
        return list(value)
