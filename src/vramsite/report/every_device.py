"""A model on every device: the few that a reader looks for first, and where the others stand.

A page that lists all devices in a table grows with the catalog, so a model's own page shows the
first of them and names the others by verdict; the whole table has a page of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import GIB, Book, PairSummary
from vramsite.report.recommend import by_price

if TYPE_CHECKING:
    from vramsite.report.cards import ModelCard, PricedCard

SHOWN = 12
VERDICTS = ("fits", "unified", "tight", "raised", "offload", "exceeds", "unknown")
_RANK = {
    "fits": 0,
    "unified": 0,
    "tight": 1,
    "raised": 2,
    "offload": 3,
    "exceeds": 4,
    "unknown": 5,
}


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """One device in the table of all devices of a model."""

    device: PricedCard
    summary: PairSummary
    long_verdict: str
    long_needed_bytes: float

    @property
    def long_needed_gib(self) -> float:
        """The need at the long context in GiB: what a table sorts by."""
        return self.long_needed_bytes / GIB


@dataclass(frozen=True, slots=True)
class EveryDevice:
    """The devices of one model.

    `rows` holds all of them in the order a reader looks for them: holders by price, then those that
    offload by speed; `first` the ones that a model's page shows, `others` the rest by verdict.
    """

    model: ModelCard
    rows: list[DeviceRow]
    first: list[DeviceRow]
    others: list[tuple[str, list[DeviceRow]]]


def every_device(book: Book, model_id: str) -> EveryDevice:
    """All devices of the catalog for one model at the pages' settings."""
    rows = [_row(book, model_id, gpu_id) for gpu_id in sorted(book.catalog.gpus)]
    price_order = {card.id: place for place, card in enumerate(by_price(book))}
    last = len(price_order)

    def order(row: DeviceRow) -> tuple[int, float, float]:
        rank = _RANK[row.summary.verdict]
        speed = row.summary.decode.value or 0.0
        if rank < 2:
            return (rank, price_order.get(row.device.id, last), -speed)
        return (rank, -speed, price_order.get(row.device.id, last))

    ordered = sorted(rows, key=order)
    rest = ordered[SHOWN:]
    others = [(code, [row for row in rest if row.summary.verdict == code]) for code in VERDICTS]
    return EveryDevice(
        model=book.model_card(model_id),
        rows=ordered,
        first=ordered[:SHOWN],
        others=[(code, found) for code, found in others if found],
    )


def _row(book: Book, model_id: str, gpu_id: str) -> DeviceRow:
    long_verdict, long_needed = book.long_needed(model_id, gpu_id)
    return DeviceRow(
        device=book.priced_card(gpu_id),
        summary=book.summary(model_id, gpu_id),
        long_verdict=long_verdict,
        long_needed_bytes=long_needed,
    )
