"""Which facts an answer was made from: reads are noted while it is made, caches hand them on.

A build keeps these notes, so that the next one renders only what some changed fact went into
(docs/architecture.md, "Builds that render only what changed").

A *fact* is a tuple: ("gpus", "rtx-4090", "msrp_usd") is a field of a record, ("gpus",) the list of
ids, ("side", "electricity") a file. An *answer* is a fact too, ("?", "related_models", "glm-4.5"):
who asks depends on what it says, not on everything that was read to find it. `Kept` is the one
kind of dictionary in which anything made from facts may be kept: whoever takes something out of it
depends on what it was made from. Outside `recording` nothing is noted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, overload

Fact = tuple[str | float, ...]
Origin = frozenset["Fact | Origin"]

EVERYTHING: Fact = ("everything",)
"""What was made from nobody knows what depends on every fact there is."""

ANSWER = "?"
DIGEST_SIZE = 16

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
_MISSING: Any = object()


class Frame:
    """What was read since one answer or page was begun; `owner` is its place in a cache."""

    __slots__ = ("facts", "owner")

    def __init__(self, owner: tuple[int, Hashable] | None = None) -> None:
        self.facts: set[Fact | Origin] = set()
        self.owner = owner

    def origin(self) -> Origin:
        """Everything read, as it is kept."""
        return frozenset(self.facts)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that others depend on by what it says: the digest of its value."""

    digest: bytes
    origin: Origin
    value: object


class Memory:
    """What a build knows beside the caches: answers of this run, and those of the last one.

    `recall(fact)` gives the value of an answer that the last build left and that still holds;
    raises KeyError for any other.
    """

    def __init__(self) -> None:
        self.answers: dict[Fact, Answer] = {}
        self.recall: Callable[[Fact], object] | None = None
        self._origins: dict[Origin, Origin] = {}

    def same(self, origin: Origin) -> Origin:
        """One object for equal origins: hundreds of answers have the same."""
        return self._origins.setdefault(origin, origin)

    def forget(self) -> None:
        """Begin anew: another build in the same process."""
        self.taken()
        self.recall = None

    def taken(self) -> dict[Fact, Answer]:
        """The answers since the last call; whoever keeps them has them from now on."""
        found, self.answers = self.answers, {}
        self._origins.clear()
        return found


_frames: list[Frame] = []
memory = Memory()


def digest(value: object) -> bytes:
    """A short name of what a value says: records and numbers by what they print."""
    return hashlib.blake2b(repr(value).encode(), digest_size=DIGEST_SIZE).digest()


def note(fact: Fact) -> None:
    """Say that a fact was read."""
    if _frames:
        _frames[-1].facts.add(fact)


@contextmanager
def recording() -> Iterator[Frame]:
    """Note what is read inside; whatever was left open in there counts as well."""
    frame = Frame()
    depth = len(_frames)
    _frames.append(frame)
    try:
        yield frame
    finally:
        for inner in _frames[depth + 1 :]:
            frame.facts |= inner.facts
        del _frames[depth:]
        if _frames:
            _frames[-1].facts |= frame.facts


def _close(owner: tuple[int, Hashable]) -> Origin:
    """End the frame that a miss opened; what nobody put away inside belongs to it."""
    index = len(_frames) - 1
    while _frames[index].owner != owner and _frames[index].owner is not None:
        index -= 1
    # Where nobody asked before, the value may be made from anything that was read so far.
    origin = frozenset(set[Fact | Origin]().union(*(frame.facts for frame in _frames[index:])))
    if _frames[index].owner is not None:
        del _frames[index:]
    return memory.same(origin)


class Kept(dict[K, V]):
    """A cache that remembers what its values were made from.

    A look for what is missing begins the making of it, putting it in ends it: the usual way
    (`found = kept.get(key)`, and if there is none `kept[key] = make()`) is all it takes.

    `question` makes every value an answer of that name with the key as its arguments; `questions`
    those whose key begins with one of the names. Entries named in `last` are overwritten by one
    page after the other: they are not noted, and `forget_last` removes them between pages.
    """

    __slots__ = ("_last", "_origins", "_question", "_questions")

    def __init__(
        self, question: str = "", questions: Container[object] = (), last: Container[object] = ()
    ) -> None:
        super().__init__()
        self._question = question
        self._questions = questions
        self._last = last
        self._origins: dict[K, Fact | Origin] = {}

    def __reduce__(self) -> Any:
        raise TypeError("caches stay where they are")

    def _answer(self, key: K) -> Fact | None:
        """The name of the answer kept under a key, None for what is no answer."""
        if self._question:
            arguments: Any = key if isinstance(key, tuple) else (key,)
            return (ANSWER, self._question, *arguments)
        if isinstance(key, tuple) and key[0] in self._questions:
            return (ANSWER, *key)
        return None

    def _look(self, key: K) -> Any:
        missing: Any = _MISSING
        value: Any = super().get(key, missing)
        if not _frames or (self._last and key in self._last):
            return value
        if value is not _MISSING:
            _frames[-1].facts.add(self._origins[key])
            return value
        if memory.recall is not None and (fact := self._answer(key)) is not None:
            try:
                value = memory.recall(fact)
            except KeyError:
                value = super().get(key, missing)  # it may have been made anew to see whether
            else:
                super().__setitem__(key, value)
                self._origins[key] = fact
            if value is not _MISSING:
                _frames[-1].facts.add(fact)
                return value
        _frames.append(Frame((id(self), key)))
        return _MISSING

    @overload
    def get(self, key: K, default: None = None, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V, /) -> V: ...
    @overload
    def get(self, key: K, default: T, /) -> V | T: ...

    def get(self, key: K, default: Any = None, /) -> Any:
        """The value of a key; a miss begins the making of it."""
        value = self._look(key)
        return default if value is _MISSING else value

    def __contains__(self, key: object) -> bool:
        return self._look(key) is not _MISSING  # type: ignore[arg-type]

    def __getitem__(self, key: K) -> V:
        value = super().__getitem__(key)
        if _frames and not (self._last and key in self._last):
            _frames[-1].facts.add(self._origins[key])
        return value

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        if self._last and key in self._last:
            return
        if not _frames:
            self._origins[key] = EVERYTHING
            return
        origin = _close((id(self), key))
        fact = self._answer(key)
        if fact is not None:
            memory.answers[fact] = Answer(digest(value), origin, value)
        self._origins[key] = fact or origin
        _frames[-1].facts.add(fact or origin)

    def __delitem__(self, key: K) -> None:
        super().__delitem__(key)
        self._origins.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        super().clear()
        self._origins.clear()

    def forget_last(self) -> None:
        """Forget what only the page before may have used."""
        for key in [key for key in self if key in self._last]:
            del self[key]
