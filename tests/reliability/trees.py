"""Built files as trees to compare: the same tags, attributes and values, whatever the texts say."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hostile_catalog import HOSTILE_LABELS, HOSTILE_TEXT, PLAIN
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import escape as markup_escape

from vramsite.site.prose import markdown_escaped

_HASH = re.compile(r"\b[0-9a-f]{64}\b|(?<=[./])[0-9a-f]{10,12}(?=[./]|$)")
_PLAIN_FORMS = [HOSTILE_TEXT, *HOSTILE_LABELS, PLAIN]
# As they are, as shown in a piece of HTML or Markdown to copy, as a part of JSON in an attribute.
_TEXTS = [
    *_PLAIN_FORMS,
    *(escape(text) for text in _PLAIN_FORMS),
    *(str(markup_escape(text)) for text in _PLAIN_FORMS),
    *(str(markup_escape(markdown_escaped(text))) for text in _PLAIN_FORMS),
    *(markdown_escaped(text) for text in _PLAIN_FORMS),
    *(str(htmlsafe_json_dumps(text))[1:-1] for text in _PLAIN_FORMS),
    *(json.dumps(text)[1:-1] for text in _PLAIN_FORMS),
]


def same_name(path: str) -> str:
    """A file's name without the part that tells its content."""
    return _HASH.sub("H", path)


def neutral(text: str) -> str:
    """The text with every replaced value as one sign."""
    for value in _TEXTS:
        text = text.replace(value, "§")
    return same_name(text)


class _Tokens(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Any] = []
        self.text: list[str] = []

    def _flush(self) -> None:
        text = " ".join("".join(self.text).split())
        if text and self.cdata_elem == "script":  # none but JSON-LD, see the test of the CSP
            self.found.append(json_tree(text.encode()))
        elif text:
            self.found.append(neutral(text))
        self.text.clear()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._flush()
        self.found.append((tag, [(name, neutral(value or "")) for name, value in attrs]))

    def handle_endtag(self, tag: str) -> None:
        self.cdata_elem = tag if tag == "script" else self.cdata_elem
        self._flush()
        self.cdata_elem = None
        self.found.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self._flush()
        self.found.append(("comment", neutral(data)))

    def handle_decl(self, decl: str) -> None:
        self.found.append(("declaration", decl))

    def unknown_decl(self, data: str) -> None:
        self.found.append(("unknown", data))

    def handle_pi(self, data: str) -> None:
        self.found.append(("instruction", data))


def html_tree(content: bytes) -> Any:
    parser = _Tokens()
    parser.feed(content.decode("utf-8"))
    parser.close()
    return parser.found


def json_tree(content: bytes) -> Any:
    return _neutral_values(json.loads(content.decode("utf-8")))


def _neutral_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {neutral(key): _neutral_values(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_neutral_values(inner) for inner in value]
    return neutral(value) if isinstance(value, str) else value


def xml_tree(content: bytes) -> Any:
    def tree(element: ElementTree.Element) -> Any:
        attributes = {name: neutral(value) for name, value in element.attrib.items()}
        text = neutral(element.text or "").strip()
        return (element.tag, attributes, text, [tree(inner) for inner in element])

    return tree(ElementTree.fromstring(content))


def csv_tree(content: bytes) -> Any:
    text = io.StringIO(content.decode("utf-8"), newline="")
    return [[neutral(cell) for cell in row] for row in csv.reader(text, strict=True)]


def text_tree(content: bytes) -> Any:
    return neutral(content.decode("utf-8")).split("\n")


READERS: dict[str, Callable[[bytes], Any]] = {
    ".html": html_tree,
    ".json": json_tree,
    ".svg": xml_tree,
    ".xml": xml_tree,
    ".csv": csv_tree,
    ".js": text_tree,
    ".css": text_tree,
    ".txt": text_tree,
    "": text_tree,
}
PICTURES = frozenset({".png"})


def trees(folder: Path) -> dict[str, Any]:
    """Every file of a site by its name, as a tree; pictures have none."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in PICTURES:
            found[same_name(path.relative_to(folder).as_posix())] = None
        elif path.is_file():
            tree = READERS[path.suffix](path.read_bytes())
            found[same_name(path.relative_to(folder).as_posix())] = tree
    return found
