"""What the page kinds share within one worker: the book behind the views, names by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.book import Book

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
