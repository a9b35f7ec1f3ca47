"""Long tables in parts: the first stands at the table's own address, each further one at its own.

A table is cut when it has more than ``ROWS`` rows; shorter ones stay on one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from vramsite.site.pages import PageKey

ROWS = 250
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Part(Generic[Row]):
    """One part of a table: ``number`` of ``count``, from 1, and its rows; ``total`` rows in all."""

    number: int
    count: int
    total: int
    rows: Sequence[Row]


def count_of(total: int) -> int:
    """How many parts so many rows take; one for an empty table."""
    return max(1, -(-total // ROWS))


def further_keys(kind: str, total: int) -> list[PageKey]:
    """The pages of the second part and those after it."""
    return [PageKey(kind, (str(number),)) for number in range(2, count_of(total) + 1)]


def part_of(rows: Sequence[Row], key: PageKey) -> Part[Row]:
    """The part that a page shows: its number is the key's id, the first has none."""
    number = int(key.ids[0]) if key.ids else 1
    some = rows[(number - 1) * ROWS : number * ROWS]
    return Part(number, count_of(len(rows)), len(rows), some)
