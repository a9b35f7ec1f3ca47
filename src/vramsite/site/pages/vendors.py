"""All makers of models and devices, and the families of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.families import families
from vramsite.report.makers import makers
from vramsite.site.pages import PageKey

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class VendorsKind:
    """The page "vendors" of each locale."""

    name = "vendors"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)] if catalog.gpus else []

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page."""
        catalog = site.catalog
        return site.render(
            env,
            key,
            locale,
            "pages/vendors.html",
            makers=list(makers(catalog).values()),
            families=[one for one in families(catalog.models).values() if one.has_page],
            origin=site.urls.origin,
        )


KIND = VendorsKind()
