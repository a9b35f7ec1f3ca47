"""Text that is known to be markup, and two filters of Jinja's without their detours."""

from __future__ import annotations

from collections.abc import Callable
from json.encoder import encode_basestring_ascii

import markupsafe
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup, escape

# The part of `escape` that works on a plain text and gives a plain text.
escape_text: Callable[[str], str] = getattr(
    markupsafe, "_escape_inner", lambda text: str(escape(text))
)


def as_markup(text: str) -> Markup:
    """The text as markup, without the constructor's search for what it may be."""
    return str.__new__(Markup, text)


def trim(text: str) -> str:
    """The text without space around it; markup stays markup."""
    return str.__new__(type(text), str.strip(text))


def script_json(value: object) -> Markup:
    """JSON that may stand in a script element: `tojson`, quick for plain text."""
    if not isinstance(value, str):
        return htmlsafe_json_dumps(value, sort_keys=True)
    text = encode_basestring_ascii(value)
    for char in "<>&'":
        if char in text:
            text = text.replace(char, f"\\u{ord(char):04x}")
    return as_markup(text)
