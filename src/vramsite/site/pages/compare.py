"""Two to four pairs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.finder import example_pairs, finder_view
from vramsite.site.pages import PageKey
from vramsite.site.pages.shared import book_of, names_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.report.finder import FinderView
    from vramsite.site.context import SiteContext


class CompareKind:
    """The page "compare" of each locale."""

    name = "compare"
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
            "pages/compare.html",
            view=view,
            files=files_of(site, view),
            example=example_pairs(book_of(site)),
            names=names_of(site),
            origin=site.urls.origin,
        )


def files_of(site: SiteContext, view: FinderView) -> dict[str, str] | None:
    """Link paths of the engine, its rules, each model and device; None without an engine."""
    engine = site.engine
    if engine is None:
        return None
    base = site.urls.base_path
    found = {"engine": engine.whole_engine(), "rules": engine.rules()}
    found |= {f"m {entry[0]}": engine.model(entry[0]) for entry in view.models}
    found |= {f"d {choice.card.id}": engine.device(choice.card.id) for choice in view.devices}
    return {name: base + address for name, address in found.items()}


KIND = CompareKind()
