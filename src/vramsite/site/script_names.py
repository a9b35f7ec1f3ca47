"""Short names for what only our own scripts name: variables, functions and parameters.

A name is changed everywhere or nowhere. It stays where any use could be seen from outside: after a
dot, as a key or short property of an object, as a method, in a hole of a template literal, or
where no declaration is found (then it is the browser's).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from vramsite.site.engine_js.names import short_names

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_DECLARES = frozenset({"const", "let", "function", "class"})
_NO_CALLEE = frozenset({"if", "for", "while", "switch", "catch", "return"})
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_KEYWORDS = {
    "async", "await", "break", "case", "catch", "class", "const", "constructor", "continue",
    "default", "delete", "do", "else", "export", "extends", "finally", "for", "from", "function",
    "get", "if", "import", "in", "instanceof", "let", "new", "null", "of", "return", "set",
    "static", "super", "switch", "this", "throw", "true", "false", "try", "typeof", "undefined",
    "var", "void", "while",
}  # fmt: skip


def renamed(pieces: list[str], kept: frozenset[str]) -> list[str]:
    """The pieces of a script (strings and template literals whole) with short names."""
    places = [place for place, piece in enumerate(pieces) if not piece.isspace()]
    code = _Code([pieces[place] for place in places])
    counts = Counter(word for word in code.pieces if _WORD.fullmatch(word))
    chosen = sorted(
        (code.declared() - code.seen_outside() - kept - _KEYWORDS),
        key=lambda word: (-counts[word], word),
    )
    taken = set(counts) | code.in_texts()
    free = (name for name in short_names() if name not in taken)
    names = {word: next(free) for word in chosen if len(word) > 1}
    made = list(pieces)
    for place in places:
        made[place] = names.get(pieces[place], pieces[place])
    return made


class _Code:
    """The pieces of a script without blanks, and what each bracket belongs to."""

    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.inner = [""] * len(pieces)  # the innermost open bracket at a piece
        self.closed: dict[int, int] = {}  # place of an opening bracket → of its closing one
        open_: list[int] = []
        for place, piece in enumerate(pieces):
            if piece in _CLOSING.values() and open_:
                self.closed[open_.pop()] = place
            self.inner[place] = pieces[open_[-1]] if open_ else ""
            if piece in _CLOSING:
                open_.append(place)

    def at(self, place: int) -> str:
        return self.pieces[place] if 0 <= place < len(self.pieces) else ""

    def words(self) -> Iterator[tuple[int, str]]:
        for place, piece in enumerate(self.pieces):
            if _WORD.fullmatch(piece):
                yield place, piece

    def declared(self) -> set[str]:
        """Names that a declaration or a list of parameters gives."""
        found = set()
        for place, word in self.words():
            if self.at(place - 1) in _DECLARES or self.pieces[place + 1 : place + 3] == ["=", ">"]:
                found.add(word)
        for start, end in self.closed.items():
            opening, before = self.pieces[start], self.at(start - 1)
            if opening == "[" and before in _DECLARES:
                found |= self._listed(start, end)
            arrow = self.pieces[end + 1 : end + 3] == ["=", ">"]
            body = self.at(end + 1) == "{" and (before not in _NO_CALLEE or before == "catch")
            if opening == "(" and (arrow or body):
                found |= self._listed(start, end)
        return found

    def _listed(self, start: int, end: int) -> set[str]:
        """Words that follow a bracket or comma directly within it."""
        return {
            self.pieces[place]
            for place in range(start + 1, end)
            if _WORD.fullmatch(self.pieces[place]) and self.at(place - 1) in "([,"
        }

    def seen_outside(self) -> set[str]:
        """Names with a use that is no variable's, or that might not be one."""
        found = self.in_texts()
        for place, word in self.words():
            before, after = self.at(place - 1), self.at(place + 1)
            spread = self.pieces[max(0, place - 3) : place] == [".", ".", "."]
            if before == "." and not spread:
                found.add(word)
            if self.inner[place] == "{" and before in ("{", ",", ";", "}", "async", "get"):
                method = after == "(" and self.at(self.closed.get(place + 1, -2) + 1) == "{"
                if method or (before in "{," and after in (",", "}", "=", ":")):
                    found.add(word)
        return found

    def in_texts(self) -> set[str]:
        """Words of template literals."""
        literals = [piece for piece in self.pieces if piece.startswith("`")]
        return {word for piece in literals for word in _WORD.findall(piece)}
