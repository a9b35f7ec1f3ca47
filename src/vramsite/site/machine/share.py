"""Which picture goes with which page: one a model and language, one a language for the rest."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from vramsite.catalog.trace import Kept
from vramsite.report.choices import DEFAULT_FORMAT, short_context
from vramsite.report.hubs import model_entry
from vramsite.site.machine.og_image import Card, can_draw, draw_png

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.report.book import Book
    from vramsite.site.urls import Urls
    from vramsite.site.writing import Writer

SITE = "site"
_TEMPLATE = "machine/share.html"


class ShareImages:
    """Addresses and contents of the pictures; a card is made once a model and language."""

    def __init__(self, book: Book, urls: Urls, environments: dict[str, Environment]) -> None:
        self._book = book
        self._urls = urls
        self._environments = environments
        self._addresses: Kept[tuple[str | None, str], tuple[str, Card]] = Kept("share_image")

    def address(self, model_id: str | None, locale: str) -> str:
        """The address below the base path; None is the picture of all other pages."""
        return self._made(model_id, locale)[0]

    def write(self, model_id: str | None, locale: str, output: Writer) -> None:
        """Draw the picture, unless an earlier build left the same."""
        address, card = self._made(model_id, locale)
        output.write_once(address, lambda: draw_png(card))

    def _made(self, model_id: str | None, locale: str) -> tuple[str, Card]:
        key = (model_id, locale)
        found = self._addresses.get(key)
        if found is None:
            card = self._card(model_id, locale)
            name = f"{model_id or SITE}.{card.name()}"
            found = (self._urls.relative("share_image", (name,), locale), card)
            self._addresses[key] = found
        return found

    def _card(self, model_id: str | None, locale: str) -> Card:
        card = self._in_language(model_id, locale)
        texts = [card.subtitle, *(text for figure in card.figures for text in figure)]
        source = next(iter(self._environments))
        if locale != source and not all(map(can_draw, texts)):
            return self._in_language(model_id, source)  # a script that the font does not have
        return card

    def _in_language(self, model_id: str | None, locale: str) -> Card:
        template = self._environments[locale].get_template(_TEMPLATE)
        parts = urlsplit(self._urls.origin)
        site = f"vramsite · {parts.netloc}{self._urls.base_path}".rstrip("/")
        if model_id is None:
            catalog = self._book.catalog
            text = template.render(entry=None, models=len(catalog.models), gpus=len(catalog.gpus))
            verdict = "unified"
        else:
            entry = model_entry(self._book, model_id)
            text = template.render(
                entry=entry,
                format=DEFAULT_FORMAT,
                context=short_context(self._book.catalog.models[model_id]),
            )
            verdict = entry.summary.verdict if entry.holds else "unknown"
        title, subtitle, *rest = [line for line in html.unescape(text).splitlines() if line]
        figures = tuple(zip(rest[::2], rest[1::2], strict=True))
        return Card(title, subtitle, figures, site, verdict)
