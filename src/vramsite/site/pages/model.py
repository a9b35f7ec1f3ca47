"""One model: its default device's figures and the table of all devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.model import ModelView, model_view
from vramsite.site.configurator import setup_of
from vramsite.site.drawing import cache_path, feed_forward_path, speed_chart, strip_box
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of, money_of, names_of, training_for

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class ModelKind:
    """Pages `/<locale>/models/<model>/`."""

    name = "model"
    localized = True

    def per_model(self, catalog: Catalog) -> list[PageKey]:
        """One page, as long as there is a device to set a model on."""
        return [PageKey(self.name)] if catalog.gpus else []

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page of one model."""
        cached = site.cache.get(("model.view",))
        if cached is None or cached[0] != key.ids[0]:
            cached = (key.ids[0], model_view(book_of(site), key.ids[0]))
            site.cache[("model.view",)] = cached
        page: ModelView = cached[1]
        return site.render(
            env,
            key,
            locale,
            "pages/model.html",
            all=page,
            view=page.pair,
            box=strip_box(page.layers),
            cache_path=cache_path,
            ffn_path=feed_forward_path,
            chart=speed_chart(page.speeds),
            money=money_of(site, key.ids[0], page.pair.device.id, locale),
            training=training_for(site, key.ids[0], page.pair.device.id),
            names=names_of(site),
            setup=setup_of(site, key, locale, page.pair.device.id),
            origin=site.urls.origin,
        )


KIND = ModelKind()
