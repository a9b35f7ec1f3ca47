"""One model on one device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.pair import PairView, pair_view
from vramsite.site.configurator import setup_of
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of, money_of, names_of, training_for

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


def view_of(site: SiteContext, model_id: str, gpu_id: str) -> PairView:
    """The view of one pair; the last one is kept, since its locales are rendered in a row."""
    cached = site.cache.get(("pair.view",))
    if cached is not None and cached[0] == (model_id, gpu_id):
        view: PairView = cached[1]
        return view
    view = pair_view(book_of(site), model_id, gpu_id)
    site.cache[("pair.view",)] = ((model_id, gpu_id), view)
    return view


class PairKind:
    """Pages `/<locale>/models/<model>/<device>/`."""

    name = "pair"
    localized = True

    def per_model(self, catalog: Catalog) -> list[PageKey]:
        """Every device."""
        return [PageKey(self.name, (gpu_id,)) for gpu_id in catalog.gpus]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page of one pair."""
        model_id, gpu_id = key.ids
        return site.render(
            env,
            key,
            locale,
            "pages/pair.html",
            view=view_of(site, model_id, gpu_id),
            money=money_of(site, model_id, gpu_id, locale),
            training=training_for(site, model_id, gpu_id),
            names=names_of(site),
            setup=setup_of(site, key, locale),
            origin=site.urls.origin,
        )


KIND = PairKind()
