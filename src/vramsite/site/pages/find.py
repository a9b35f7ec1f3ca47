"""The finder: which models run on hardware of one’s own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.finder import finder_view
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class FindKind:
    """The page "find" of each locale."""

    name = "find"
    localized = True

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page, as long as there is something to choose."""
        return [PageKey(self.name)] if catalog.models and catalog.gpus else []

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The page; without an engine there is no form."""
        view = finder_view(book_of(site))
        return site.render(
            env,
            key,
            locale,
            "pages/find.html",
            view=view,
            files=files_of(site),
            origin=site.urls.origin,
        )


def files_of(site: SiteContext) -> dict[str, str] | None:
    """Link paths of the engine, its rules, all models, and each device; None without an engine."""
    engine = site.engine
    if engine is None:
        return None
    base = site.urls.base_path
    found = {
        "engine": engine.whole_engine(),
        "rules": engine.rules(),
        "models": engine.all_models(),
    }
    found |= {gpu_id: engine.device(gpu_id) for gpu_id in site.catalog.gpus}
    return {name: base + address for name, address in found.items()}


KIND = FindKind()
