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
from collections.abc import Callable, Collection, Container, Hashable, Iterator
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

    # A value lies in there with its origin (None: not noted), so that one look finds both: keys are
    # long and their hashes dear.
    __slots__ = ("_last", "_question", "_questions")

    def __init__(
        self, question: str = "", questions: Container[object] = (), last: Collection[Any] = ()
    ) -> None:
        super().__init__()
        self._question = question
        self._questions = questions
        self._last = last

    def __reduce__(self) -> Any:
        raise TypeError("caches stay where they are")

    def _answer(self, key: Any) -> Fact | None:
        """The name of the answer kept under a key, None for what is no answer."""
        if self._question:
            return (ANSWER, self._question, *(key if isinstance(key, tuple) else (key,)))
        if isinstance(key, tuple) and key[0] in self._questions:
            return (ANSWER, *key)
        return None

    @overload
    def get(self, key: K, default: None = None, /) -> V | None: ...
    @overload
    def get(self, key: K, default: V, /) -> V: ...
    @overload
    def get(self, key: K, default: T, /) -> V | T: ...

    def get(self, key: K, default: Any = None, /) -> Any:
        """The value of a key; a miss begins the making of it."""
        entry = _get(self, key)
        if entry is None:
            if not _frames or (entry := self._missed(key)) is None:
                return default
        elif _frames and (origin := entry[1]) is not None:
            _frames[-1].facts.add(origin)
        return entry[0]

    def _missed(self, key: Any) -> Any:
        """The entry that the last build left, or None and the beginning of a new one."""
        if key in self._last:
            return None
        if memory.recall is not None and (fact := self._answer(key)) is not None:
            try:
                entry: Any = (memory.recall(fact), fact)
            except KeyError:
                entry = _get(self, key)  # it may have been made anew to see whether it holds
            else:
                _set(self, key, entry)
            if entry is not None:
                _frames[-1].facts.add(fact)
                return entry
        _frames.append(Frame((id(self), key)))
        return None

    def __contains__(self, key: object) -> bool:
        return self.get(key, _MISSING) is not _MISSING  # type: ignore[arg-type]

    def __getitem__(self, key: K) -> V:
        value: Any = self.get(key, _MISSING)
        if value is _MISSING:
            raise KeyError(key)
        found: V = value
        return found

    def __setitem__(self, key: K, value: V) -> None:
        origin: Fact | Origin | None = EVERYTHING
        if key in self._last:
            origin = None
        elif _frames:
            made_from = _close((id(self), key))
            origin = self._answer(key)
            if origin is None:
                origin = made_from
            else:
                memory.answers[origin] = Answer(digest(value), made_from, value)
            _frames[-1].facts.add(origin)
        _set(self, key, (value, origin))

    def forget_last(self) -> None:
        """Forget what only the page before may have used."""
        for key in self._last:
            self.pop(key, None)


_get: Callable[[Any, Any], Any] = dict.get
_set: Callable[[Any, Any, Any], None] = dict.__setitem__
