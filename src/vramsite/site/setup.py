"""A worker's site: what it needs to make any page, whatever catalog and pages these are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jinja2 import Environment, Template

from vramsite.catalog.trace import note
from vramsite.site.context import SiteContext
from vramsite.site.i18n import load_translations
from vramsite.site.pages import PageKey, PageKind
from vramsite.site.plan import Chunk, check_addresses, make_plan, page_locales, shard
from vramsite.site.render import make_environment
from vramsite.site.spec import BuildSpec

if TYPE_CHECKING:
    from vramsite.site.facts import SiteFacts
    from vramsite.site.writing import Writer


@dataclass(slots=True)
class Site:
    """Everything one worker needs to make any page."""

    context: SiteContext
    environments: dict[str, Environment]
    kinds: dict[str, PageKind]
    facts: SiteFacts | None = None  # None: nobody knows what a page is made from
    day: Callable[[PageKey], str] = lambda key: ""  # of the newest fact on a page, for sitemaps

    def plan(self, shard_spec: str = "") -> list[Chunk]:
        """The chunks of the whole site, or of one shard of it."""
        chunks = make_plan(self.kinds, self.context.catalog, self.context.locales)
        check_addresses(chunks, self.context.urls)
        return shard(chunks, shard_spec) if shard_spec else chunks

    def locales_of(self, key: PageKey) -> tuple[str, ...]:
        """The locales in which the page of a key exists."""
        return page_locales(self.kinds[key.kind], self.context.locales)

    def page(self, key: PageKey, locale: str) -> str:
        """The HTML of one page."""
        return self.kinds[key.kind].render(self.environments[locale], self.context, key, locale)

    def write_beside(self, key: PageKey, output: Writer) -> None:
        """Write what goes with a page for machines: its data, badge, image."""
        if self.context.machine is not None:
            self.context.machine.write_beside(key, output)


def environments(spec: BuildSpec, context: SiteContext) -> dict[str, Environment]:
    """One Jinja environment a locale; whoever gets a template from it depends on that one."""
    found = {
        locale: make_environment(
            Path(spec.templates_dir),
            locale,
            context.locales,
            load_translations(Path(spec.locales_dir), locale),
            context.urls,
            context.assets,
        )
        for locale in context.locales
    }
    for locale, environment in found.items():
        _note_templates(environment, locale)
    return found


def _note_templates(environment: Environment, locale: str) -> None:
    get_template = environment.get_template

    def noted(name: Any, *arguments: Any, **named: Any) -> Template:
        note(("template", locale, str(name)))
        return get_template(name, *arguments, **named)

    environment.get_template = noted  # type: ignore[method-assign]


def make_site(spec: BuildSpec) -> Site:
    """The site that the spec's factory makes."""
    sys.path[:0] = [path for path in spec.search_path if path not in sys.path]
    module, _, function = spec.factory.partition(":")
    return cast(Site, getattr(importlib.import_module(module), function)(spec))
