"""What the page kinds share within one worker: the book behind the views, names by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.book import Book
from vramsite.report.money_records import MoneyView
from vramsite.report.money_view import money_view
from vramsite.report.training_table import Training, training_of

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


def book_of(site: SiteContext) -> Book:
    """The worker's book, made when a page first asks for it."""
    if site.book is None:
        site.book = Book(site.catalog, site.sizer)
    return site.book


class Names:
    """The names of all models and devices by id; whoever reads one depends on that one."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._models = frozenset(catalog.models)

    def __getitem__(self, entry_id: str) -> str:
        if entry_id in self._models:
            return self._catalog.models[entry_id].name
        return self._catalog.gpus[entry_id].name


def names_of(site: SiteContext) -> Names:
    """The names of all models and devices by id."""
    if site.names is None:
        site.names = Names(site.catalog)
    return site.names


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
