"""One family of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.families import families
from vramsite.report.makers import family_view
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class FamilyKind:
    """Pages `/<locale>/families/<family>/`."""

    name = "family"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """Every family of more than one model."""
        found = families(catalog.models).values()
        return [
            PageKey(self.name, (family.slug,))
            for family in found
            if family.has_page and catalog.gpus
        ]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page of one family."""
        view = family_view(book_of(site), key.ids[0])
        return site.render(
            env, key, locale, "pages/family.html", view=view, origin=site.urls.origin
        )


KIND = FamilyKind()
