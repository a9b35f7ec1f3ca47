"""One maker: its models and devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.makers import maker_view, makers
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class VendorKind:
    """Pages `/<locale>/vendors/<maker>/`."""

    name = "vendor"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """Every maker, as long as there is a device to set its models on."""
        return [PageKey(self.name, (slug,)) for slug in makers(catalog) if catalog.gpus]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page of one maker."""
        view = maker_view(book_of(site), key.ids[0])
        return site.render(
            env, key, locale, "pages/vendor.html", view=view, origin=site.urls.origin
        )


KIND = VendorKind()
