"""Short names, the same ones whenever the same source is compiled.

While a module is put together, marks stand for names; when all uses are known, what is used most
gets the shortest name. A variable may be called like a function that its own function never uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from string import ascii_uppercase

# A mark is a number between two characters that no source has.
_FUNCTION, _FIELD, _VARIABLE, _END = "\ue000", "\ue001", "\ue002", "\ue003"
_GLOBAL_MARK = re.compile(f"[{_FUNCTION}{_FIELD}][0-9]+{_END}")
_VARIABLE_MARK = re.compile(f"{_VARIABLE}([0-9]+){_END}")
# Letters by how often the engine's own names have them: what repeats, packs well.
_LETTERS = "etrsnilaoucdphmfgbywkvxqjz"
_PIECE, _SHORT = 3, 20  # letters of a piece; what keeps short texts from always coming first
_RESERVED = frozenset({"do", "if", "in", "of", "as", "is", "for", "let", "new", "try", "var"})


def variable_mark(number: int) -> str:
    """The mark of a function's variable."""
    return f"{_VARIABLE}{number}{_END}"


def short_names(single: str = _LETTERS) -> Iterator[str]:
    """The letters of `single`, then two and more of all, without words of the language."""
    yield from single
    for length in count(2):
        for letters in product(_LETTERS, repeat=length):
            name = "".join(letters)
            if name not in _RESERVED:
                yield name


class Marks:
    """The marks of functions and fields, and what is put in their place.

    `taken` are names that fields have already.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._marks: dict[str, str] = {}
        self._taken = frozenset(taken)

    def function(self, name: str) -> str:
        """The mark of a function."""
        return self._marks.setdefault(name, f"{_FUNCTION}{len(self._marks)}{_END}")

    def field(self, name: str) -> str:
        """The mark of a field; a function's name has a dot in it, a field's has none."""
        return self._marks.setdefault(name, f"{_FIELD}{len(self._marks)}{_END}")

    def known(self, name: str) -> bool:
        """Whether a name has a mark."""
        return name in self._marks

    def named(self, texts: Iterable[str]) -> tuple[list[str], dict[str, str]]:
        """The texts, one a function, with names for marks; and the short name of each name."""
        marked = list(texts)
        counts = Counter(mark for text in marked for mark in _GLOBAL_MARK.findall(text))
        # Variables take letters from the front, functions from the back.
        functions = short_names(ascii_uppercase + _LETTERS[::-1])
        fields = (name for name in short_names() if name not in self._taken)
        short = {
            mark: next(functions if mark[0] == _FUNCTION else fields)
            for mark in sorted(counts, key=lambda mark: (-counts[mark], int(mark[1:-1])))
        }
        names = {name: short[mark] for name, mark in self._marks.items() if mark in short}
        return [_with_names(text, short) for text in marked], names


def _with_names(text: str, short: dict[str, str]) -> str:
    used = {short[mark] for mark in _GLOBAL_MARK.findall(text) if mark[0] == _FUNCTION}
    free = (name for name in short_names() if name not in used)
    numbers = dict.fromkeys(int(number) for number in _VARIABLE_MARK.findall(text))
    variables = {number: next(free) for number in numbers}  # by where they stand first
    text = _VARIABLE_MARK.sub(lambda found: variables[int(found[1])], text)
    return _GLOBAL_MARK.sub(lambda found: short[found[0]], text)


def alike_together(texts: Sequence[str]) -> list[str]:
    """The texts in an order in which each follows one that it has much in common with.

    What stands near packs better: some 150 bytes of the engine.
    """
    pieces = [{text[at : at + _PIECE] for at in range(len(text) - _PIECE + 1)} for text in texts]
    left = list(range(1, len(texts)))
    order = [0]
    while left:
        last = pieces[order[-1]]
        shares = [len(last & pieces[place]) / (len(pieces[place]) + _SHORT) for place in left]
        order.append(left.pop(shares.index(max(shares))))
    return [texts[place] for place in order]
