"""One device: its facts with sources, its usable memory, and the table of all models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.device import device_view
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class DeviceKind:
    """Pages `/<locale>/devices/<device>/`."""

    name = "device"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """Every device."""
        return [PageKey(self.name, (gpu_id,)) for gpu_id in catalog.gpus]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page of one device."""
        cached = site.cache.get(("device.view",))
        if cached is None or cached[0] != key.ids[0]:
            cached = (key.ids[0], device_view(book_of(site), key.ids[0]))
            site.cache[("device.view",)] = cached
        return site.render(
            env, key, locale, "pages/device.html", view=cached[1], origin=site.urls.origin
        )


KIND = DeviceKind()
