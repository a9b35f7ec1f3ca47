"""The day of the newest fact that a page shows: what a sitemap calls its last change.

It follows from the catalog alone, never from a clock or an earlier build, so that the same catalog
gives the same site. A fact that is put right without a new day does not move it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from vramsite.report.money_data import kept
from vramsite.report.money_offers import device_offers, model_offers
from vramsite.report.money_prices import hosted_prices

if TYPE_CHECKING:
    from vramsite.report.book import Book

HUBS = frozenset(
    {"home", "models", "models_part", "devices", "devices_part", "vendors", "find", "compare"}
)


def newest_day(book: Book, kind: str, ids: tuple[str, ...]) -> str:
    """A day, month or year after ISO 8601, "" for a page that shows no dated fact.

    `kind` and `ids` are those of a page key.
    """
    days: list[str] = []
    if kind == "pair":
        model_id, gpu_id = ids
        days += [
            kept(book, ("newest_day", "model", model_id), lambda: newest_day(book, "model", ids)),
            kept(book, ("newest_day", "offers", gpu_id), lambda: _newest_of_device(book, gpu_id)),
        ]
        days += [row.date for row in book.nearest(model_id, gpu_id).rows if row.date is not None]
    if kind in ("model", "every_device"):
        days += _given(book.catalog.models[ids[0]].released)
    if kind == "model":
        days += _model_prices(book, ids[0])
    if kind == "device":
        days += _device_days(book, ids[-1])
    if kind in HUBS:
        days += _news(book)
    return max(days, default="")


def _newest_of_device(book: Book, gpu_id: str) -> str:
    """The device's own days and those of the offers with it."""
    days = [*_device_days(book, gpu_id)]
    days += [offer.as_of.isoformat() for offer in device_offers(book, gpu_id)]
    return max(days, default="")


def _model_prices(book: Book, model_id: str) -> Iterator[str]:
    yield from (price.as_of.isoformat() for price in hosted_prices(book, model_id))
    if book.catalog.assumptions.money is not None:
        yield from (row.as_of for row in model_offers(book, model_id).rows)


def _device_days(book: Book, gpu_id: str) -> Iterator[str]:
    gpu = book.catalog.gpus[gpu_id]
    if gpu.status == "released":
        yield from _given(gpu.launched)
    if gpu.street_usd is not None:
        yield from _given(gpu.street_usd.as_of)


def _news(book: Book) -> Iterator[str]:
    for model in book.catalog.models.values():
        yield from _given(model.released)
    for gpu in book.catalog.gpus.values():
        if gpu.status == "released":
            yield from _given(gpu.launched)


def _given(day: object) -> Iterator[str]:
    if day is not None:
        yield str(day)
