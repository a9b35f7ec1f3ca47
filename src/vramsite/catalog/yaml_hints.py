"""What to type where a file is no valid YAML: the parser's words are about parsing."""

from __future__ import annotations

from typing import Any

from vramsite.catalog.faults import shortened

# A part of what the parser says (libyaml and PyYAML word it differently), and what to do about it.
_WHAT_TO_TYPE = (
    ("mapping values are not allowed", "put a text that holds ': ' in quotes; write a space after"
     " the colon of each key, and keys of one mapping below each other"),
    ("entries are not allowed", "begin a list on the line after its key, each entry with '- '"),
    ("cannot start any token", "put a text that begins with this character in quotes"),
    ("undefined alias", "put a text that begins with '*' in quotes"),
    ("a single document", "take the line '---' out; one file holds one entry"),
    ("while scanning a quoted scalar", "close the quote that begins here"),
    ("while scanning a simple key", "write `key: value` on this line"),
    ("while parsing a flow", "close the bracket; entries are separated by commas"),
    ("while parsing a block mapping", "keys of one mapping stand below each other; a text with"
     " quotes inside goes in the other kind of quotes"),
    ("while parsing a block collection", "entries of one list stand below each other, each with"
     " '- '"),
    ("escape character", "write \\\\ for a backslash, or put the text in single quotes"),
    ("block scalar", "write the text on the line after '|'"),
    ("acceptable character", "take the control character out; the file must be plain text"),
)  # fmt: skip
_ELSE = "write lines of `key: value`"
# Where the parser finds the end missing far below, the beginning is what the writer looks for.
_BEGINNINGS = ("while scanning a quoted scalar", "while scanning a simple key")


def yaml_problem(error: Exception) -> tuple[int, str]:
    """Line (1 where the parser names none) and message of what keeps a text from being YAML."""
    context, problem = getattr(error, "context", None), getattr(error, "problem", None)
    said = shortened(", ".join(filter(None, (context, problem))) or str(error), 160)
    mark: Any = getattr(error, "problem_mark", None)
    if context in _BEGINNINGS:
        mark = getattr(error, "context_mark", None) or mark
    line = mark.line + 1 if mark is not None else 1
    hint = next((hint for part, hint in _WHAT_TO_TYPE if part in said), _ELSE)
    return line, f"is not valid YAML: {hint} ({said})"
