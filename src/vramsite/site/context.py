"""What every page of one build shares: the catalog, the sizer, the addresses, the assets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from vramsite.catalog.trace import Kept, note
from vramsite.site.urls import Urls

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.report.book import Book
    from vramsite.report.sizer import Sizer
    from vramsite.site.assets import Assets
    from vramsite.site.configurator import CardFiles
    from vramsite.site.engine_js.files import EngineFiles
    from vramsite.site.machine.files import MachineFiles
    from vramsite.site.pages import PageKey
    from vramsite.site.pages.shared import Names
    from vramsite.site.writing import Writer


LAST_ONLY = frozenset({("pages.training",), ("pair.view",), ("model.view",), ("device.view",)})
"""Keys of ``SiteContext.cache`` that one page after the other overwrites."""


@dataclass(frozen=True, slots=True)
class Alternate:
    """One ``<link rel="alternate" hreflang=…>`` of a page; ``url`` is absolute."""

    hreflang: str
    url: str


@dataclass(frozen=True, slots=True)
class PageMeta:
    """What the layout of any page needs to know of its place on the site.

    ``path`` is the link path with the base path (``/repo/en/…``), ``canonical`` the same with the
    site's origin, ``alternates`` lists every sister page (itself included) and ``x-default``;
    ``sisters`` maps each locale to the link path of the page in that language. ``data`` is the
    link path of the same facts as JSON, ``badge`` that of the pair's picture, ``image`` the
    absolute address of the picture for links to the page; None where there is none.
    """

    kind: str
    ids: tuple[str, ...]
    locale: str
    path: str
    canonical: str
    alternates: tuple[Alternate, ...]
    sisters: dict[str, str]
    data: str | None = None
    badge: str | None = None
    image: str | None = None


@dataclass(slots=True)
class SiteContext:
    """The shared, read-only state of one worker; ``cache`` is free for page modules.

    ``engine`` and ``cards`` are the configurator's; a site without them has no configurator.
    ``machine`` is the data, badges and images beside the pages, if the site has them.
    ``book`` and ``names`` are made when a page first asks for them (``pages.shared``).
    ``catalog`` is already cut down to the entries the build was asked for, so a page may link to
    whatever it finds in there. ``locales`` starts with the source language, ``en``.
    ``cache`` lives as long as the worker: put what many pages share there (under a tuple key that
    begins with the module's name), never what depends on the order of pages.
    """

    catalog: Catalog
    sizer: Sizer
    urls: Urls
    locales: tuple[str, ...]
    assets: Assets
    engine: EngineFiles | None = None
    cards: CardFiles | None = None
    machine: MachineFiles | None = None
    book: Book | None = None
    names: Names | None = None
    cache: Kept[tuple[Any, ...], Any] = field(default_factory=partial(Kept, last=LAST_ONLY))

    def write_shared(self, output: Writer) -> None:
        """Write what belongs to no page: cards, engine and site-wide data."""
        for files in (self.cards, self.engine, self.machine):
            if files is not None:
                files.write(output)

    def meta(self, key: PageKey, locale: str) -> PageMeta:
        """The addresses of one page and its sisters."""
        sisters = {other: self.urls.path(key.kind, key.ids, other) for other in self.locales}
        absolute = {other: self.urls.absolute(path) for other, path in sisters.items()}
        alternates = [Alternate(other, url) for other, url in absolute.items()]
        alternates.append(Alternate("x-default", absolute[self.locales[0]]))
        machine = self.machine
        return PageMeta(
            kind=key.kind,
            ids=key.ids,
            locale=locale,
            path=sisters[locale],
            canonical=absolute[locale],
            alternates=tuple(alternates),
            sisters=sisters,
            data=machine.data(key) if machine else None,
            badge=machine.badge(key) if machine else None,
            image=machine.image(key, locale) if machine else None,
        )

    def render(
        self, env: Environment, key: PageKey, locale: str, template: str, **names: object
    ) -> str:
        """One page through a template, with ``page`` (its ``PageMeta``) added to the names."""
        note(("assets",))  # their folder's address is on every page
        return env.get_template(template).render(page=self.meta(key, locale), **names)
