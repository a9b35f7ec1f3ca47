"""What the lists of all models and of all devices say, and the start page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import WITH_RESERVE, Book, PairSummary
from vramsite.report.recommend import default_device

if TYPE_CHECKING:
    from vramsite.report.cards import DeviceCard, ModelCard, PricedCard

NEWEST = 12


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A model in the list: its need at the default format, and the device of its own page.

    `device` is the cheapest that holds it with reserve; `holds` is False where it only has the
    most memory of all.
    """

    model: ModelCard
    summary: PairSummary
    device: DeviceCard
    holds: bool


@dataclass(frozen=True, slots=True)
class MemoryClass:
    """Devices sold with the same memory."""

    memory_gb: float
    devices: list[PricedCard]


@dataclass(frozen=True, slots=True)
class HomeView:
    """The start page: how much there is, what is new, and devices by their memory."""

    model_count: int
    device_count: int
    pair_count: int
    newest: list[ModelEntry]
    classes: list[MemoryClass]


def model_entry(book: Book, model_id: str) -> ModelEntry:
    """One line of the list of models."""
    chosen = default_device(book, model_id)
    summary = book.summary(model_id, chosen)
    return ModelEntry(
        model=book.model_card(model_id),
        summary=summary,
        device=book.device_card(chosen),
        holds=summary.verdict in WITH_RESERVE,
    )


def model_entries(book: Book) -> list[ModelEntry]:
    """All models by name."""
    entries = [model_entry(book, model_id) for model_id in book.catalog.models]
    entries.sort(key=lambda entry: (entry.model.name.casefold(), entry.model.id))
    return entries


def device_entries(book: Book) -> list[PricedCard]:
    """All devices by maker and name."""
    cards = [book.priced_card(gpu_id) for gpu_id in book.catalog.gpus]
    cards.sort(key=lambda card: (card.vendor.casefold(), card.name.casefold(), card.id))
    return cards


def memory_classes(book: Book) -> list[MemoryClass]:
    """All devices by the memory they are sold with, least first."""
    by_memory: dict[float, list[PricedCard]] = {}
    for card in device_entries(book):
        by_memory.setdefault(card.memory_gb, []).append(card)
    return [MemoryClass(gb, by_memory[gb]) for gb in sorted(by_memory)]


def home_view(book: Book) -> HomeView:
    """The start page; newest models first, those without a date last."""
    models = list(book.catalog.models.values())
    models.sort(key=lambda model: model.id)
    models.sort(key=lambda model: str(model.released or ""), reverse=True)
    return HomeView(
        model_count=len(book.catalog.models),
        device_count=len(book.catalog.gpus),
        pair_count=len(book.catalog.models) * len(book.catalog.gpus),
        newest=[model_entry(book, model.id) for model in models[:NEWEST]],
        classes=memory_classes(book),
    )
