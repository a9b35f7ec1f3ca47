"""One model on every device, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.choices import DEFAULT_FORMAT, long_context, short_context
from vramsite.report.every_device import every_device
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class EveryDeviceKind:
    """Pages `/<locale>/every-device/<model>/`."""

    name = "every_device"
    localized = True

    def per_model(self, catalog: Catalog) -> list[PageKey]:
        """One page, as long as there is a device to set a model on."""
        return [PageKey(self.name)] if catalog.gpus else []

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The table of one model."""
        model = site.catalog.models[key.ids[0]]
        return site.render(
            env,
            key,
            locale,
            "pages/every_device.html",
            view=every_device(book_of(site), model.id),
            format=DEFAULT_FORMAT,
            short_tokens=short_context(model),
            long_tokens=long_context(model),
            origin=site.urls.origin,
        )


KIND = EveryDeviceKind()
