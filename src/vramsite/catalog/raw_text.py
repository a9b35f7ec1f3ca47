"""The text of a catalog file; what no honest file holds is refused before a parser runs."""

from __future__ import annotations

import re
import stat
from pathlib import Path

MAX_BYTES = 1_000_000
MAX_DEPTH = 24
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# What hides, or turns other letters round: zero width, direction, line and paragraph, tags.
_HIDDEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\uffff\U000e0000-\U000e0fff]"
)


def hidden_character(text: str) -> str | None:
    """Names a character of the text that acts on its reader unseen; None where there is none."""
    if _CONTROL.search(text):
        return "a control character"
    hidden = _HIDDEN.search(text)
    return f"U+{ord(hidden.group()):04X}, which cannot be seen" if hidden else None


class UnusableError(Exception):
    """A file that cannot be used; `line` is 0 where the file as a whole is meant."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def read_plain(path: Path, data_dir: Path, most_bytes: int) -> str:
    """The text of any file below `data_dir`. Raises UnusableError with what to do about it."""
    if path.is_symlink():
        raise UnusableError("is a symbolic link; put the file itself here")
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise UnusableError("is no file; put a file of that name here")
        if found.st_size > most_bytes:
            raise UnusableError(f"is bigger than {most_bytes} bytes; split it")
        if not path.resolve().is_relative_to(data_dir.resolve()):
            raise UnusableError("lies outside the data folder; put the file itself here")
        raw = path.read_bytes()
    except OSError as error:
        raise UnusableError(f"cannot be read: {error.strerror}") from error
    if raw.startswith(b"\xef\xbb\xbf"):
        raise UnusableError("starts with a byte order mark; save it as UTF-8 without BOM", 1)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UnusableError("is not UTF-8; save it as UTF-8", line) from error


def read_text(path: Path, data_dir: Path) -> str:
    """The text of a YAML file of the catalog. Raises UnusableError."""
    text = read_plain(path, data_dir, MAX_BYTES)
    _refuse_deep_nesting(text)
    for number, line_text in enumerate(text.split("\n"), 1):
        if "\t" in line_text[: len(line_text) - len(line_text.lstrip())]:
            raise UnusableError("is indented with a tab; use spaces", number)
    return text


def _refuse_deep_nesting(text: str) -> None:
    # Before parsing: the parser recurses, and a hostile file must not exhaust the stack.
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        # Closing ones in texts must not make room for opening ones after them.
        depth = depth + 1 if bracket.group() in "[{" else max(0, depth - 1)
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, bracket.start()) + 1
            raise UnusableError(f"is nested deeper than {MAX_DEPTH} levels", line)
    for number, line_text in enumerate(text.split("\n"), 1):
        dashes = re.match(r"(?:[-?:] +)*", line_text)
        if line_text.startswith(" " * 200) or (dashes and dashes.end() > 2 * MAX_DEPTH):
            raise UnusableError(f"is nested deeper than {MAX_DEPTH} levels", number)
