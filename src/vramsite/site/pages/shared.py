"""What the page kinds share within one worker: the book behind the views, names by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.book import Book
from vramsite.report.money_records import MoneyView
from vramsite.report.money_view import money_view
from vramsite.report.training_table import Training, training_of

if TYPE_CHECKING:
    from vramsite.site.context import SiteContext


def book_of(site: SiteContext) -> Book:
    """The worker's book, made when a page first asks for it."""
    key = ("pages.book",)
    book = site.cache.get(key)
    if not isinstance(book, Book):
        book = site.cache[key] = Book(site.catalog, site.sizer)
    return book


def names_of(site: SiteContext) -> dict[str, str]:
    """The names of all models and devices by id."""
    key = ("pages.names",)
    names = site.cache.get(key)
    if not isinstance(names, dict):
        names = {model.id: model.name for model in site.catalog.models.values()}
        names |= {gpu.id: gpu.name for gpu in site.catalog.gpus.values()}
        site.cache[key] = names
    return names


def money_of(site: SiteContext, model_id: str, gpu_id: str, locale: str) -> MoneyView | None:
    """The cost of a pair, in the country and currency that the language stands for."""
    return money_view(book_of(site), model_id, gpu_id, locale)


def training_for(site: SiteContext, model_id: str, gpu_id: str) -> Training | None:
    """Fine-tuning on a pair; the last one is kept, since its locales are rendered in a row."""
    cached = site.cache.get(("pages.training",))
    if cached is None or cached[0] != (model_id, gpu_id):
        cached = ((model_id, gpu_id), training_of(book_of(site), model_id, gpu_id))
        site.cache[("pages.training",)] = cached
    found: Training | None = cached[1]
    return found
