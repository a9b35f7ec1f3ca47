"""All devices in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.hubs import device_entries
from vramsite.site.pages import PageKey
from vramsite.site.pages.parts import part_of
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class DevicesKind:
    """The page "devices" of each locale."""

    name = "devices"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page."""
        part = part_of(device_entries(book_of(site)), key)
        return site.render(
            env, key, locale, "pages/devices.html", part=part, origin=site.urls.origin
        )


KIND = DevicesKind()
