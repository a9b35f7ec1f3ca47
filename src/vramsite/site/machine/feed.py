"""The news as an Atom feed (RFC 4287): models by their release, devices by their launch.

The dates are those of the catalog, never the clock's, so that a build gives the same feed again.
A date of which only the year or month is known stands for its first day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog, GpuRecord, ModelRecord
    from vramsite.site.urls import Urls

MOST_ENTRIES = 60
EMPTY = "2000-01-01T00:00:00Z"
"""What a feed without entries was updated at: Atom wants a date."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One model or device; ``updated`` is a moment after RFC 3339, the other record is None."""

    updated: str
    id: str
    address: str
    model: ModelRecord | None = None
    device: GpuRecord | None = None


def moment(date: str) -> str:
    """The first moment of a day, month or year: 2026-08 is 2026-08-01T00:00:00Z."""
    year, month, day = (*date.split("-"), "01", "01")[:3]
    return f"{year}-{month}-{day}T00:00:00Z"


def feed_entries(catalog: Catalog, urls: Urls, locale: str) -> list[Entry]:
    """The newest entries that have a date, newest first, then by id."""
    found = [
        Entry(
            moment(str(model.released)),
            model.id,
            urls.absolute(urls.path("model", (model.id,), locale)),
            model=model,
        )
        for model in catalog.models.values()
        if model.released
    ]
    found += [
        Entry(
            moment(str(gpu.launched)),
            gpu.id,
            urls.absolute(urls.path("device", (gpu.id,), locale)),
            device=gpu,
        )
        for gpu in catalog.gpus.values()
        if gpu.launched
    ]
    found.sort(key=lambda entry: entry.id)
    found.sort(key=lambda entry: entry.updated, reverse=True)
    return found[:MOST_ENTRIES]


def feed(catalog: Catalog, urls: Urls, env: Environment, locale: str) -> bytes:
    """The feed of one language; ``env`` is the language's environment."""
    entries = feed_entries(catalog, urls, locale)
    text = env.get_template("machine/feed.html").render(
        entries=entries,
        updated=entries[0].updated if entries else EMPTY,
        address=urls.absolute(urls.path("feed", (), locale)),
        home=urls.absolute(urls.path("home", (), locale)),
    )
    return text.encode()
