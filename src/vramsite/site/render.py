"""The Jinja environment of one locale, and fragments: markup rendered once and used again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path

from babel.support import NullTranslations
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from vramsite.catalog.trace import Kept
from vramsite.site.assets import Assets
from vramsite.site.formatting import Formatter, finalize
from vramsite.site.i18n import native_name
from vramsite.site.markup import as_markup, script_json, trim
from vramsite.site.translated import LocaleEnvironment
from vramsite.site.urls import Urls

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
NOINDEX = Markup('<meta name="robots" content="noindex, follow">')
"""A page that must stay out of search engines prints this in its head (``{{ noindex }}``);
the sitemap leaves out every page that does."""


WORDS = "components/words.html"
"""The template whose macros turn codes into words; their arguments are codes and records."""

_REMEMBERED_CALLS = 5000


class Fragments:
    """Macros called once for each key and locale; the markup is kept and used again.

    A table row's constant cells are the same on hundreds of pages: escaping them once is the
    larger part of what rendering costs.
    """

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._markup: Kept[tuple[str, str, Hashable], Markup] = Kept()
        self._words: dict[tuple[str, Hashable], Markup] = {}

    def __call__(self, template: str, macro: str, key: Hashable, *arguments: object) -> Markup:
        """The macro's markup for ``key``; ``arguments`` must follow from the key alone."""
        if template == WORDS:  # made of codes and templates, of no fact of the catalog
            found = self._words.get((macro, key))
            if found is None:
                module = self._env.get_template(template).module
                found = self._words[macro, key] = as_markup(getattr(module, macro)(*arguments))
            return found
        full_key = (template, macro, key)
        markup = self._markup.get(full_key)
        if markup is None:
            markup = as_markup(getattr(self._env.get_template(template).module, macro)(*arguments))
            self._markup[full_key] = markup
        return markup


class _Remembered:
    """A macro of an imported template: without the page's context, its markup follows from its
    arguments, so that the same arguments need not be rendered twice.
    """

    def __init__(self, macro: Callable[..., str]) -> None:
        self._macro = macro
        self.text = self.__call__  # see `lean_macro`
        self._markup: dict[tuple[object, ...], Markup] = {}

    def __call__(self, *arguments: Hashable) -> Markup:
        if Markup in map(type, arguments):  # equal to the same text unescaped, but not the same
            return Markup(self._macro(*arguments))
        markup = self._markup.get(arguments)
        if markup is None:
            if len(self._markup) >= _REMEMBERED_CALLS:
                self._markup.clear()
            markup = self._markup[arguments] = Markup(self._macro(*arguments))
        return markup


def _remember_words(env: Environment) -> None:
    """Let the macros that name codes in words, called a hundred times a page, work once each."""
    if WORDS in env.list_templates():
        names = vars(env.get_template(WORDS).module)
        macros = {name: _Remembered(item) for name, item in names.items() if callable(item)}
        names.update(macros)


def make_environment(
    templates_dir: Path,
    locale: str,
    locales: tuple[str, ...],
    translations: NullTranslations,
    urls: Urls,
    assets: Assets,
) -> Environment:
    """The environment that renders one locale's pages.

    Names in every template: ``locale``, ``languages`` (code → own name), ``url(kind, *ids)``,
    ``asset(name)``, ``integrity(name)``, ``csp``, ``noindex``, ``fmt`` (the ``Formatter``) and its
    methods as filters, ``fragment(template, macro, key, *arguments)`` and gettext.
    """
    env = LocaleEnvironment(
        translations,
        loader=FileSystemLoader(templates_dir),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
        auto_reload=False,
        cache_size=-1,
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
    )
    env.policies["ext.i18n.trimmed"] = True
    formatter = Formatter(locale)
    env.filters.update(formatter.filters(), trim=trim, tojson=script_json)
    env.plain_filters = formatter.plain_filters()
    env.fragment = Fragments(env)
    env.globals.update(
        locale=locale,
        languages={code: native_name(code) for code in locales},
        url=partial(_link, urls, locale),
        asset=lambda name: urls.base_path + assets.relative(name),
        integrity=assets.integrity,
        csp=Markup(CSP),
        noindex=NOINDEX,
        fmt=formatter,
        fragment=env.fragment,
    )
    _remember_words(env)
    return env


def _link(urls: Urls, locale: str, kind: str, *ids: str) -> str:
    return urls.path(kind, ids, locale)
