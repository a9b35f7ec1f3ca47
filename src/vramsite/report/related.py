"""Which other devices and models a page links to: about ten, near in kind and size."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from vramsite.report.book import Book
from vramsite.report.recommend import holders

if TYPE_CHECKING:
    from vramsite.report.cards import DeviceCard, ModelCard

DEVICES = 8
MODELS = 8
CHEAPEST_HOLDERS = 4
SAME_VENDOR = 4


def _apart(one: float | None, other: float | None) -> float:
    """How far two sizes are apart, as a ratio on a log scale; unknown counts as far."""
    if not one or not other:
        return 9.0
    return abs(log(one / other))


def _near_devices(book: Book, gpu_id: str) -> list[str]:
    """All other devices, nearest first: memory, then kind, then maker."""
    key = ("near_devices", gpu_id)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    here = book.device_card(gpu_id)

    def distance(card: DeviceCard) -> tuple[float, str]:
        apart = _apart(card.memory_gb, here.memory_gb)
        apart += 0.0 if card.kind == here.kind else 0.5
        apart += 0.0 if card.vendor == here.vendor else 0.2
        apart += 0.2 * _apart(card.bandwidth_gb_s, here.bandwidth_gb_s)
        return (apart, card.id)

    others = [book.device_card(other) for other in book.catalog.gpus if other != gpu_id]
    near = [card.id for card in sorted(others, key=distance)]
    book.memo[key] = near
    return near


def related_devices(book: Book, model_id: str, gpu_id: str) -> list[str]:
    """Devices like this one and the cheapest that hold the model, smallest memory first."""
    key = ("related_devices", model_id, gpu_id)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    chosen = [other for other in holders(book, model_id, limit=CHEAPEST_HOLDERS) if other != gpu_id]
    for other in _near_devices(book, gpu_id):
        if len(chosen) >= DEVICES:
            break
        if other not in chosen:
            chosen.append(other)
    chosen.sort(key=lambda other: (book.device_card(other).memory_gb, other))
    book.memo[key] = chosen
    return chosen


def related_models(book: Book, model_id: str) -> list[str]:
    """Models of the same maker and of like size, smallest first."""
    key = ("related_models", model_id)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    here = book.model_card(model_id)

    def distance(card: ModelCard) -> tuple[float, str]:
        apart = _apart(card.params_total, here.params_total)
        apart += 0.3 * _apart(card.params_active_b, here.params_active_b)
        return (apart, card.id)

    others = [book.model_card(other) for other in book.catalog.models if other != model_id]
    others.sort(key=distance)
    same = [card.id for card in others if card.vendor == here.vendor][:SAME_VENDOR]
    chosen = list(same)
    for card in others:
        if len(chosen) >= MODELS:
            break
        if card.id not in chosen:
            chosen.append(card.id)
    chosen.sort(key=lambda other: (book.model_card(other).params_total or 0, other))
    book.memo[key] = chosen
    return chosen
