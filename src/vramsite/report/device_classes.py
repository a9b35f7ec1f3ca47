"""Which classes of devices hold a model in which format, and how fast it is over the context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import WITH_RESERVE, Book
from vramsite.report.cards import list_price_usd
from vramsite.report.choices import (
    curve_contexts,
    page_settings,
    short_context,
    with_context,
    with_format,
)
from vramsite.report.formats import DYNAMIC_PREFIX, listed_formats
from vramsite.sizing.figures import context_verdict

if TYPE_CHECKING:
    from vramsite.report.cards import DeviceCard
    from vramsite.sizing.records import Estimate, Memory

KINDS = ("consumer", "workstation", "datacenter", "unified")


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One format: its need, and of each kind of device the smallest that holds it with reserve."""

    format: str
    needed_bytes: float
    smallest: tuple[DeviceCard | None, ...]


@dataclass(frozen=True, slots=True)
class SpeedPoint:
    """Output speed with so many tokens in the cache."""

    context_tokens: int
    verdict: str
    decode: Estimate


def device_classes(book: Book, model_id: str) -> list[ClassRow]:
    """Every listed format at the short context, largest first; columns in the order of `KINDS`."""
    model = book.catalog.models[model_id]
    first = next(iter(book.catalog.gpus.values()))
    settings = page_settings(first, context_tokens=short_context(model))
    by_kind = [_released(book, kind) for kind in KINDS]
    rows = []
    for name in listed_formats(book, model):
        if name.startswith(DYNAMIC_PREFIX):
            continue  # lies between two steps of the usual ladder and is held by the same devices
        memory = book.whole(model_id, with_format(settings, name))
        if memory is None:
            continue
        smallest = tuple(_smallest(book, model_id, cards, memory) for cards in by_kind)
        rows.append(ClassRow(name, memory.device_bytes, smallest))
    rows.sort(key=lambda row: (-row.needed_bytes, row.format))
    return rows


def _released(book: Book, kind: str) -> list[DeviceCard]:
    """Devices of a kind by memory; of the same memory the cheapest first."""
    key = ("released", kind)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    cards = [book.device_card(gpu_id) for gpu_id in book.catalog.gpus]
    cards = [card for card in cards if card.kind == kind and card.status == "released"]

    def order(card: DeviceCard) -> tuple[float, bool, float, str]:
        price = list_price_usd(book.catalog.gpus[card.id])
        return (card.memory_gb, price is None, price or 0.0, card.id)

    cards.sort(key=order)
    book.memo[key] = cards
    return cards


def _smallest(
    book: Book, model_id: str, cards: list[DeviceCard], memory: Memory
) -> DeviceCard | None:
    for card in cards:
        usable = book.summary(model_id, card.id).usable_bytes
        verdict = context_verdict(memory, usable, card.kind, book.assumptions(card.id))
        if verdict in WITH_RESERVE:
            return card
    return None


def speed_over_context(book: Book, model_id: str, gpu_id: str) -> list[SpeedPoint]:
    """Output speed on one device at the contexts of the memory chart; none where unknown."""
    model = book.catalog.models[model_id]
    settings = page_settings(book.catalog.gpus[gpu_id], context_tokens=short_context(model))
    points = []
    for tokens in curve_contexts(model):
        found = book.try_brief(model_id, gpu_id, with_context(settings, tokens))
        if found is not None and found.decode_tps.value is not None:
            points.append(SpeedPoint(tokens, found.verdict, found.decode_tps))
    return points
