"""Short names, the same ones whenever the same source is compiled.

Names of functions begin with a capital, those of variables have none: they cannot meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from string import ascii_lowercase, ascii_uppercase

_RESERVED = frozenset({"do", "if", "in", "of", "as", "is", "for", "let", "new", "try", "var"})


def function_names() -> Iterator[str]:
    """A … Z, Aa … Zz, Aaa … ."""
    for length in count():
        for first, rest in product(ascii_uppercase, product(ascii_lowercase, repeat=length)):
            yield first + "".join(rest)


def variable_names() -> Iterator[str]:
    """a … z, aa … zz, … without words of the language."""
    for length in count(1):
        for letters in product(ascii_lowercase, repeat=length):
            name = "".join(letters)
            if name not in _RESERVED:
                yield name
