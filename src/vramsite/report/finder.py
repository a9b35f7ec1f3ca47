"""What the finder asks of every model: uses with their contexts, formats, classes of size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.advice import advice
from vramsite.report.choices import LONG_CONTEXT_TOKENS, MATRIX_FORMATS, SHORT_CONTEXT_TOKENS
from vramsite.report.hubs import MemoryClass, device_entries, memory_classes
from vramsite.report.money_offers import device_offers

if TYPE_CHECKING:
    from vramsite.report.book import Book
    from vramsite.report.cards import PricedCard

SIZE_CLASSES = (100e9, 30e9, 10e9, 3e9, 0.0)
LEAST_TPS = 20.0  # where the catalog assumes nothing


@dataclass(frozen=True, slots=True)
class Use:
    """A way to use a model: tokens of context for each of so many users."""

    code: str
    context_tokens: int
    users: int


USES = (
    Use("chat", SHORT_CONTEXT_TOKENS, 1),
    Use("code", LONG_CONTEXT_TOKENS, 1),
    Use("long", 131072, 1),
    Use("many", SHORT_CONTEXT_TOKENS, 8),
    Use("crowd", SHORT_CONTEXT_TOKENS, 50),
)


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """A device to choose; `rent_usd`: the lowest price an hour of one of it, None for none."""

    card: PricedCard
    power_w: float | None
    rent_usd: float | None


@dataclass(frozen=True, slots=True)
class FinderView:
    """What the page of the finder, and that of the comparison, hand to their scripts.

    `models`: (id, name, parameters, active parameters in billions); `formats`: (name, bits a
    weight), largest first; `size_classes`: least parameters of each, falling.
    """

    models: list[tuple[str, str, int | None, float | None]]
    devices: list[DeviceChoice]
    formats: list[tuple[str, float]]
    uses: tuple[Use, ...]
    size_classes: tuple[float, ...]
    least_tps: float
    memory: list[MemoryClass]


def finder_view(book: Book) -> FinderView:
    """Everything but the answers: those come from the engine in the browser."""
    catalog = book.catalog
    money = catalog.assumptions.money
    models: list[tuple[str, str, int | None, float | None]] = [
        (model.id, model.name, model.params_total, model.params_active_b)
        for model in catalog.models.values()
    ]
    models.sort(key=lambda entry: (entry[1].casefold(), entry[0]))
    return FinderView(
        models=models,
        devices=[device_choice(book, card) for card in device_entries(book)],
        formats=[
            (name, catalog.formats[name].nominal_bits)
            for name in MATRIX_FORMATS
            if name in catalog.formats
        ],
        uses=USES,
        size_classes=SIZE_CLASSES,
        least_tps=LEAST_TPS if money is None else money.least_tps_per_user.value,
        memory=memory_classes(book),
    )


def example_pairs(book: Book) -> list[tuple[str, str]]:
    """(model, device) of a comparison to begin with: the newest model on its recommended devices.

    Of models that no single device holds there is nothing to compare; empty where all are such.
    """
    models = sorted(book.catalog.models.values(), key=lambda model: model.id)
    models.sort(key=lambda model: str(model.released or ""), reverse=True)
    for model in models:
        found = advice(book, model.id)
        if found.single and len(found.picks) > 1:
            return [(model.id, pick.machine.device.id) for pick in found.picks]
    return []


def device_choice(book: Book, card: PricedCard) -> DeviceChoice:
    """A device with what a comparison says of its power and rent."""
    one = [offer for offer in device_offers(book, card.id) if offer.gpu_count == 1]
    return DeviceChoice(
        card=card,
        power_w=book.catalog.gpus[card.id].tdp_w,
        rent_usd=one[0].usd_per_hour if one else None,
    )
