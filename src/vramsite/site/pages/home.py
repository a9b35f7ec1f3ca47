"""The start page of a language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.hubs import home_view
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class HomeKind:
    """The page "home" of each locale."""

    name = "home"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page."""
        view = home_view(book_of(site))
        return site.render(env, key, locale, "pages/home.html", view=view, origin=site.urls.origin)


KIND = HomeKind()
