"""Questions that read much and answer little: their answers stand between facts and pages.

A page that asks one depends on what the answer says, not on all that was read to find it: which
devices a model is recommended rests on every price, but one price rarely changes the answer. They
are kept in `Book.memo` under the name and the arguments; the next build may take them from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vramsite.catalog.trace import Fact
    from vramsite.report.book import Book

LAST_ONLY = frozenset({("money.speeds",), ("nearest",)})
"""Keys of `Book.memo` that one pair after the other overwrites."""

# Name -> the function of (book, *arguments) that answers it, as module.function of this package.
QUESTIONS: dict[object, str] = {
    "model_card": "book.Book.model_card",
    "device_card": "book.Book.device_card",
    "summary": "book.Book.summary",
    "long_needed": "book.Book.long_needed",
    "by_price": "recommend.by_price",
    "fit_there": "recommend.fit_there",
    "holders": "recommend.holders",
    "released": "device_classes._released",
    "near_devices": "related._near_devices",
    "related_devices": "related.related_devices",
    "related_models": "related.related_models",
    "advice": "advice.advice",
    "model_offers": "money_offers.model_offers",
    "device_offers": "money_offers.device_offers",
    "hosted_prices": "money_prices.hosted_prices",
    "newest_price_day": "money_prices.newest_price_day",
    "load_watts": "money_power.load_watts",
    "training_table": "training_table.method_table",
}


def ask(book: Book, fact: Fact) -> None:
    """Answer a question anew, for its place in the book's caches.

    Raises:
        KeyError: not a question that can be asked by name.
    """
    from importlib import import_module

    _, name, *arguments = fact
    module, *names = QUESTIONS[name].split(".")
    found: Any = import_module(f"vramsite.report.{module}")
    for part in names:
        found = getattr(found, part)
    found(book, *arguments)
