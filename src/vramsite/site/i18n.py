"""Languages: found by folder, extracted by Babel, compiled in memory from the .po files.

English is the source language and has no folder. Every folder ``locales/<code>/`` with an
``LC_MESSAGES/messages.po`` is one more language of the site. No .mo file is kept.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from babel.support import NullTranslations, Translations
from jinja2.ext import babel_extract

SOURCE_LOCALE = "en"
DOMAIN = "messages"
TEMPLATE_OPTIONS = {"silent": "false", "trimmed": "true", "newstyle_gettext": "true"}
"""How the Jinja extractor reads templates; the environment in ``render`` does the same."""

KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "N_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
_PYTHON_FOLDERS = ("src/vramsite/report", "src/vramsite/site")
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # a fixed date keeps the files reproducible
_PLACEHOLDER = re.compile(r"%\((\w+)\)[a-z]|%[a-z%]|\{(\w*)\}")
_TAG_OR_QUOTE = re.compile(r"<[^>]*>?|[>\"]|[\x00-\x08\x0b-\x1f]")


class I18nError(ValueError):
    """A locale folder that cannot be used; the message names it."""


def po_path(locales_dir: Path, locale: str) -> Path:
    """Where the messages of one locale are kept."""
    return locales_dir / locale.replace("-", "_") / "LC_MESSAGES" / f"{DOMAIN}.po"


def pot_path(locales_dir: Path) -> Path:
    """Where the extracted messages are kept."""
    return locales_dir / f"{DOMAIN}.pot"


def discover_locales(locales_dir: Path) -> tuple[str, ...]:
    """Every language of the site, the source language first, the others by name.

    Raises:
        I18nError: a folder that no CLDR locale is called after, or one without its .po file.
    """
    found = []
    for folder in sorted(locales_dir.iterdir()) if locales_dir.is_dir() else []:
        if not folder.is_dir() or folder.name.startswith((".", "__")):
            continue
        try:
            Locale.parse(folder.name)
        except (UnknownLocaleError, ValueError) as error:
            raise I18nError(f"{folder}: no language is called {folder.name!r}") from error
        code = folder.name.replace("_", "-")
        if not po_path(locales_dir, code).is_file():
            raise I18nError(f"{folder}: LC_MESSAGES/{DOMAIN}.po is missing")
        if code != SOURCE_LOCALE:
            found.append(code)
    return (SOURCE_LOCALE, *found)


def native_name(locale: str) -> str:
    """The language's name in itself: English, Deutsch."""
    parsed = Locale.parse(locale.replace("-", "_"))
    return (parsed.get_display_name(parsed) or locale).title()


def load_translations(locales_dir: Path, locale: str) -> NullTranslations:
    """The messages of one locale; fuzzy ones are left out, so that their English shows.

    Raises:
        I18nError: a translation that would put other markup or values into a page than English.
    """
    if locale == SOURCE_LOCALE:
        return NullTranslations()
    catalog = read_catalog(locales_dir, locale)
    for message in catalog:
        for fault in _unsafe(message):
            raise I18nError(f"{po_path(locales_dir, locale)}: {fault}")
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return Translations(compiled, domain=DOMAIN)


def read_catalog(locales_dir: Path, locale: str) -> Catalog:
    """The .po file of one locale as a Babel catalog."""
    with po_path(locales_dir, locale).open("rb") as file:
        return read_po(file, locale=locale.replace("-", "_"), domain=DOMAIN)


def extract_messages(root: Path) -> Catalog:
    """Every message of the templates and of ``report`` and ``site``, in file order."""
    catalog = Catalog(
        domain=DOMAIN, project="vramsite", creation_date=_EPOCH, charset="utf-8", fuzzy=False
    )
    catalog.header_comment = "# Messages of vramsite. Written by `vramsite i18n`, never by hand."
    for path, method in _sources(root):
        name = path.relative_to(root).as_posix()
        options = TEMPLATE_OPTIONS if method is babel_extract else {}
        for line, message, comments, context in extract_from_file(
            method, path, keywords=KEYWORDS, comment_tags=("i18n:",), options=options
        ):
            catalog.add(message, None, [(name, line)], auto_comments=comments, context=context)
    return catalog


def _sources(root: Path) -> Iterator[tuple[Path, Callable[..., Any] | str]]:
    for path in sorted((root / "templates").rglob("*.html")):
        yield path, babel_extract
    for folder in _PYTHON_FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            yield path, "python"


def pot_bytes(catalog: Catalog) -> bytes:
    """A catalog as a .po/.pot file: no line numbers, so that moving code changes nothing."""
    output = io.BytesIO()
    write_po(output, catalog, width=100, include_lineno=False, omit_header=False)
    return output.getvalue()


def update_catalogs(root: Path) -> list[Path]:
    """Write messages.pot anew and bring every .po file up to it; returns the files changed.

    New messages come out empty (never guessed from similar ones), gone ones are dropped.
    """
    locales_dir = root / "locales"
    template = extract_messages(root)
    changed = _write_if_new(pot_path(locales_dir), pot_bytes(template))
    for locale in discover_locales(locales_dir)[1:]:
        catalog = read_catalog(locales_dir, locale)
        catalog.update(template, no_fuzzy_matching=True, update_creation_date=False)
        catalog.obsolete.clear()
        catalog.creation_date = catalog.revision_date = _EPOCH
        changed += _write_if_new(po_path(locales_dir, locale), pot_bytes(catalog))
    return changed


def add_locale(root: Path, locale: str) -> Path:
    """Begin a language: its folder with every message still to translate; returns the file.

    Raises:
        I18nError: it exists already, or no language is called so.
    """
    path = po_path(root / "locales", locale)
    if path.exists():
        raise I18nError(f"{path} exists already")
    try:
        catalog = extract_messages(root)
        catalog.locale = Locale.parse(locale, sep="-")
    except (UnknownLocaleError, ValueError) as error:
        raise I18nError(f"no language is called {locale!r}") from error
    _write_if_new(path, pot_bytes(catalog))
    return path


def _write_if_new(path: Path, content: bytes) -> list[Path]:
    if path.is_file() and path.read_bytes() == content:
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return [path]


def catalog_faults(root: Path) -> list[str]:
    """Everything wrong with the languages: stale files, missing, fuzzy or mismatched messages."""
    locales_dir = root / "locales"
    template = extract_messages(root)
    pot = pot_path(locales_dir)
    faults = []
    if not pot.is_file() or pot.read_bytes() != pot_bytes(template):
        faults.append(f"{pot.relative_to(root)} is stale: run `vramsite i18n`")
    for locale in discover_locales(locales_dir)[1:]:
        catalog = read_catalog(locales_dir, locale)
        name = po_path(locales_dir, locale).relative_to(root)
        for message in template:
            if message.id:
                translated = catalog.get(message.id, message.context)
                faults += [f"{name}: {fault}" for fault in _message_faults(message, translated)]
    return faults


def _message_faults(source: Message, translated: Message | None) -> list[str]:
    source_texts = [source.id] if isinstance(source.id, str) else [str(text) for text in source.id]
    shown = source_texts[0][:60]
    if translated is None or not translated.string:
        return [f"missing translation of {shown!r}"]
    strings = translated.string
    texts = [str(text) for text in ([strings] if isinstance(strings, str) else strings)]
    if not all(texts):
        return [f"missing plural form of {shown!r}"]
    if translated.fuzzy:
        return [f"fuzzy translation of {shown!r}"]
    return [*_unsafe(Message(source.id, translated.string, context=source.context))]


def _unsafe(message: Message) -> Iterator[str]:
    # Translations go into pages as they are, into attributes too: their markup must be English's.
    if not message.id or not message.string:
        return
    sources = [message.id] if isinstance(message.id, str) else [str(text) for text in message.id]
    strings = message.string
    texts = [str(text) for text in ([strings] if isinstance(strings, str) else strings)]
    shown = sources[0][:60]
    known = [_markup(text) for text in sources]
    for text in texts:
        if text and _markup(text) not in known:
            yield f"markup of {shown!r} is {known[0]}, translated {_markup(text)}"
    expected = set[str]().union(*(placeholders(text) for text in sources))
    yield from [
        f"placeholders of {shown!r} are {sorted(expected)}, translated {sorted(found)}"
        for found in (placeholders(text) for text in texts if text)
        if found != expected and not (len(sources) > 1 and found <= expected)
    ]


def _markup(text: str) -> list[str]:
    return sorted(_TAG_OR_QUOTE.findall(text))


def placeholders(text: str) -> set[str]:
    """The named and positional placeholders of a message: ``%(name)s``, ``{name}``, ``%s``."""
    return {match.group(0) for match in _PLACEHOLDER.finditer(text) if match.group(0) != "%%"}
