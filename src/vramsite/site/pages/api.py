"""/api/: the files for machines explained, with an example of each address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.recommend import default_device
from vramsite.site.pages import PageKey
from vramsite.site.pages.prose_pages import templates_folder
from vramsite.site.pages.shared import book_of
from vramsite.site.prose import load_prose

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


class FilesKind:
    """A text about files, with the smallest model and the device of its page as the example."""

    localized = True

    def __init__(self, name: str) -> None:
        self.name = name

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page, as long as there is something to show."""
        return [PageKey(self.name)] if catalog.models and catalog.gpus else []

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The text inside the site's layout."""
        models = site.catalog.models.values()
        model = min(models, key=lambda model: (model.params_headline_b, model.id))
        device = site.catalog.gpus[default_device(book_of(site), model.id)]
        text = load_prose(
            templates_folder(env),
            env,
            locale,
            self.name,
            model=model,
            device=device,
            origin=site.urls.origin,
            base=site.urls.base_path,
        )
        template = f"pages/{self.name}.html"
        return site.render(env, key, locale, template, prose=text, origin=site.urls.origin)


KIND = FilesKind("api")
