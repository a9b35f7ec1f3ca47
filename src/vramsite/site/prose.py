"""Longer text written as Markdown, one file a page and locale: templates/prose/<locale>/."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import markdown
from jinja2 import Environment
from markupsafe import Markup

from vramsite.catalog.trace import note

_EXTENSIONS = ("tables", "toc", "attr_list", "def_list", "fenced_code", "md_in_html")


@dataclass(frozen=True, slots=True)
class Prose:
    """A rendered text: ``title`` is its first-level heading, which ``body`` no longer holds.

    ``toc`` is the nested list of its second- and third-level headings as links.
    """

    title: str
    body: Markup
    toc: Markup


_MARKS = re.compile(r"([\\`*_\[\]])")


def markdown_escaped(text: str) -> str:
    """A value of the catalog that is to stand in Markdown as it is: no link, no emphasis."""
    return _MARKS.sub(r"\\\1", text)


class ProseError(ValueError):
    """A prose file that is missing or has no title; the message names the file."""


def load_prose(
    templates_dir: Path, env: Environment, locale: str, name: str, **names: object
) -> Prose:
    """Read ``prose/<locale>/<name>.md``, fill in ``{{ … }}`` and turn it into HTML.

    ``env`` must be the locale's environment: values from the catalog are formatted by its filters
    (a text by ``md``), and a value nobody gave is an error.

    Raises:
        ProseError: no such file, or its first line is no ``# Title``.
    """
    note(("prose", locale, name))
    path = templates_dir / "prose" / locale / f"{name}.md"
    if not path.is_file():
        raise ProseError(f"{path}: every language needs this text")
    env.filters["md"] = markdown_escaped
    first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    if not first.startswith("# "):
        raise ProseError(f"{path}: the first line must be '# Title'")
    source = env.from_string(rest).render(**names)
    converter = markdown.Markdown(
        extensions=list(_EXTENSIONS),
        extension_configs={"toc": {"toc_depth": "2-3"}},
        output_format="html",
    )
    # Markdown's tables have heads of columns alone, and do not say so.
    html = converter.convert(source).replace("<th>", '<th scope="col">')
    body = Markup(html.replace('<a href="https://', '<a rel="noopener" href="https://'))
    toc = Markup(getattr(converter, "toc", ""))  # set by the extension of that name
    return Prose(first.removeprefix("# ").strip(), body, toc)
