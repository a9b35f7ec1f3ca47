"""The page kinds of the site: one module a kind, each with a module-level ``KIND``.

A page is a pure function of (catalog, key, locale). A kind says which keys a catalog gives
(``keys``, or ``per_model`` for pages that every model has) and turns one key into HTML
(``render``). The address is not the kind's business:
``vramsite.site.urls`` holds the pattern of every kind under the kind's ``name``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from jinja2 import Environment

    from vramsite.catalog import Catalog
    from vramsite.site.context import SiteContext


@dataclass(frozen=True, slots=True, order=True)
class PageKey:
    """What names a page apart from its locale: its kind and the catalog ids it is about.

    ``ids`` is ``(model_id, gpu_id)`` for "pair", ``(model_id,)`` for "model", ``(gpu_id,)`` for
    "device" and empty for pages that exist once a locale.
    """

    kind: str
    ids: tuple[str, ...] = ()


class PageKind(Protocol):
    """One kind of page.

    ``name`` is the row of ``vramsite.site.urls.PATTERNS``. ``localized`` is False for files that
    exist once for all languages (the language choice at ``/``, ``404.html``); these are rendered
    with the source locale's environment.
    """

    name: str
    localized: bool

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        """The complete HTML of one page; ``env`` is the environment of ``locale``.

        Usually: build the view record, then
        ``return site.render(env, key, locale, "pages/<kind>.html", view=view)``, which adds
        ``page`` (a ``PageMeta``: canonical, alternates, …) to the template's names.
        """
        ...


@runtime_checkable
class SingleKind(PageKind, Protocol):
    """A kind whose pages belong to no model: few, however many pairs there are."""

    def keys(self, catalog: Catalog) -> list[PageKey]:
        """Every page of this kind that the catalog gives, in a stable order."""
        ...


@runtime_checkable
class PerModelKind(PageKind, Protocol):
    """A kind with the same pages for every model. Nobody ever lists them all."""

    def per_model(self, catalog: Catalog) -> list[PageKey]:
        """The pages that each model has; the model's id, which comes first, is left out of them."""
        ...


def keys_of(kind: PageKind, catalog: Catalog) -> Iterator[PageKey]:
    """Every page of a kind, one after the other."""
    if isinstance(kind, PerModelKind):
        rest = kind.per_model(catalog)
        for model_id in catalog.models:
            yield from (PageKey(key.kind, (model_id, *key.ids)) for key in rest)
    elif isinstance(kind, SingleKind):
        yield from kind.keys(catalog)


def page_kinds() -> dict[str, PageKind]:
    """Every page kind by name, found in the modules of this package, sorted by name.

    Raises:
        ValueError: two modules claim the same name.
    """
    kinds: dict[str, PageKind] = {}
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        kind: PageKind | None = getattr(module, "KIND", None)
        if kind is None:
            continue
        if kind.name in kinds:
            raise ValueError(f"two page kinds are called {kind.name!r}")
        kinds[kind.name] = kind
    return dict(sorted(kinds.items()))
