"""What is wrong in a catalog, told to the person who can put it right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault: where it is, what was found and what is allowed (or what to type)."""

    path: str  # as a contributor writes it, from the repository root
    line: int  # from 1; 0 where the file as a whole is meant
    key: str  # dotted, "" for the file as a whole
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"


class CatalogError(ValueError):
    """A catalog with faults; `faults` holds all of them, by file and line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(set(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))
