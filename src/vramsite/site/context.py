"""What every page of one build shares: the catalog, the sizer, the addresses, the assets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from vramsite.site.urls import Urls

if TYPE_CHECKING:
    from pathlib import Path

    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.report.sizer import Sizer
    from vramsite.site.assets import Assets
    from vramsite.site.engine_js.files import EngineFiles
    from vramsite.site.pages import PageKey


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
    ``sisters`` maps each locale to the link path of the page in that language.
    """

    kind: str
    ids: tuple[str, ...]
    locale: str
    path: str
    canonical: str
    alternates: tuple[Alternate, ...]
    sisters: dict[str, str]


@dataclass(slots=True)
class SiteContext:
    """The shared, read-only state of one worker; ``cache`` is free for page modules.

    ``engine`` is the configurator's engine and data; a site without one has no configurator.
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
    cache: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def write_assets(self, output: Path) -> int:
        """Write assets, engine and its data below ``output``; returns the bytes written."""
        written = self.assets.write(output)
        return written + (self.engine.write(output) if self.engine is not None else 0)

    def meta(self, key: PageKey, locale: str) -> PageMeta:
        """The addresses of one page and its sisters."""
        sisters = {other: self.urls.path(key.kind, key.ids, other) for other in self.locales}
        absolute = {other: self.urls.absolute(path) for other, path in sisters.items()}
        alternates = [Alternate(other, url) for other, url in absolute.items()]
        alternates.append(Alternate("x-default", absolute[self.locales[0]]))
        return PageMeta(
            kind=key.kind,
            ids=key.ids,
            locale=locale,
            path=sisters[locale],
            canonical=absolute[locale],
            alternates=tuple(alternates),
            sisters=sisters,
        )

    def render(
        self, env: Environment, key: PageKey, locale: str, template: str, **names: object
    ) -> str:
        """One page through a template, with ``page`` (its ``PageMeta``) added to the names."""
        return env.get_template(template).render(page=self.meta(key, locale), **names)
