"""Pages of longer text: Markdown per locale, with values of the catalog filled in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import FileSystemLoader

from vramsite.site.pages import PageKey
from vramsite.site.prose import Prose, load_prose

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


def templates_folder(env: Environment) -> Path:
    """The folder that the environment reads its templates from."""
    if not isinstance(env.loader, FileSystemLoader):
        raise TypeError("prose is read from the folder of the templates")
    return Path(env.loader.searchpath[0])


class ProseKind:
    """One text `templates/prose/<locale>/<name>.md` as a page."""

    localized = True

    def __init__(self, name: str) -> None:
        self.name = name

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The text inside the site's layout; figures come from data/, so that they stay true."""
        text = load_prose(
            templates_folder(env),
            env,
            locale,
            self.name,
            assumptions=site.catalog.assumptions,
            model_count=len(site.catalog.models),
            device_count=len(site.catalog.gpus),
        )
        return site.render(
            env, key, locale, "pages/prose.html", prose=text, origin=site.urls.origin
        )


class EveryLanguageKind:
    """One page for all languages: each with its `prose/<locale>/<name>.md`."""

    localized = False

    def __init__(self, name: str, prose: str) -> None:
        self.name = name
        self.prose = prose

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """One page."""
        return [PageKey(self.name)]

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The texts with a link to each language's start page."""
        sections = [self._section(env, site, code) for code in site.locales]
        return site.render(
            env,
            key,
            locale,
            "pages/every_language.html",
            sections=sections,
            lost=self.name == "404",
        )

    def _section(self, env: Environment, site: SiteContext, locale: str) -> tuple[str, str, Prose]:
        """The language, its start page, and its text: `to` in it leads to pages of the language."""
        paths = {kind: site.urls.path(kind, (), locale) for kind in ("home", "models", "devices")}
        text = load_prose(templates_folder(env), env, locale, self.prose, to=paths)
        return locale, paths["home"], text
