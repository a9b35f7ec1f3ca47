"""What is wrong in a catalog, told to the person who can put it right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_SHOWN = 60
MOST_OF_A_KIND = 25  # faults of one kind in one file: a file that is all wrong says so once


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One fault: where it is, what was found and what is allowed (or what to type)."""

    path: str  # as a contributor writes it, from the repository root
    line: int  # from 1; 0 where the file as a whole is meant
    key: str  # dotted, "" for the file as a whole
    message: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        text = f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"
        return visible(text)


def visible(text: str) -> str:
    """The text on one line: what a terminal would act upon, or hide, is written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning and three dots."""
    return text if len(text) <= most else text[: most - 3] + "..."


class CatalogError(ValueError):
    """A catalog with faults; `faults` holds all of them, by file and line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(set(faults))
        super().__init__("\n".join(str(fault) for fault in self.faults))
