"""What the configurator needs to work out costs: the engine's records as JSON, and who asks what.

What a model or a device brings travels in its card; rules, rates and electricity prices are one
file of all pages, the machines to rent another that is loaded when settings are not the page's.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vramsite.report.money_data import (
    assumed,
    cost_rules,
    default_choice,
    device_cost,
    grids,
    hosted_costs,
    hosted_sellers,
    offer_sellers,
    place_number,
    places,
    rates,
)
from vramsite.report.money_offers import SHOWN_OFFERS, device_offers, model_offers, offer_text
from vramsite.report.money_prices import newest_price_day

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vramsite.report.book import Book


def shared_costs(book: Book, locales: Iterable[str]) -> dict[str, Any] | None:
    """What is the same on all pages; None where the catalog assumes nothing of money."""
    if book.catalog.assumptions.money is None:
        return None
    return {
        "rules": asdict(cost_rules(book)),
        "rates": [asdict(rate) for rate in rates(book)],
        "grids": [asdict(grid) for grid in grids(book)],
        "places": [asdict(place) for place in places(book)],
        "choices": {locale: asdict(default_choice(book, locale)) for locale in locales},
        "shown": SHOWN_OFFERS,
        "newest": newest_price_day(book).isoformat(),
        "age_days": int(assumed(book).price_age_days.value),
    }


def model_costs(book: Book, model_id: str) -> dict[str, Any] | None:
    """Hosted prices of a model, and the machines to rent for its default configuration."""
    if book.catalog.assumptions.money is None:
        return None
    offers = model_offers(book, model_id)
    return {
        "hosted": [asdict(price) for price in hosted_costs(book, model_id)],
        "sellers": [asdict(seller) for seller in hosted_sellers(book, model_id)],
        "offers": [asdict(row) for row in offers.rows],
        "count": offers.count,
    }


def device_costs(book: Book, gpu_id: str) -> dict[str, Any] | None:
    """Prices, power and offers of a device, and where it stands."""
    if book.catalog.assumptions.money is None:
        return None
    return {
        "cost": asdict(device_cost(book, gpu_id)),
        "sellers": [asdict(seller) for seller in offer_sellers(book, gpu_id)],
        "place": place_number(book, gpu_id),
    }


def rented_devices(book: Book) -> dict[str, list[dict[str, Any]]]:
    """The offers of every device that somebody rents out, by device."""
    return {
        gpu_id: [offer_text(book, offer) for offer in device_offers(book, gpu_id)]
        for gpu_id in book.catalog.gpus
        if device_offers(book, gpu_id)
    }
