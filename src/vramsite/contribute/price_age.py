"""How old the prices of each provider are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.catalog import Catalog


@dataclass(frozen=True, slots=True)
class ProviderAge:
    """The newest and the oldest price of a provider."""

    slug: str
    offers: int
    newest: date
    oldest: date


def provider_ages(catalog: Catalog) -> list[ProviderAge]:
    """All providers, the most outdated first."""
    dates: dict[str, list[date]] = {}
    for offer in catalog.offers:
        dates.setdefault(offer.provider_slug, []).append(offer.as_of)
    ages = [ProviderAge(slug, len(days), max(days), min(days)) for slug, days in dates.items()]
    return sorted(ages, key=lambda age: (age.newest, age.slug))
