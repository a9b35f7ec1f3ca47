"""Which pages of the last site are still true: their facts are looked at again, not their making.

A fact that says the same is no reason to make anything anew. An answer whose own facts have
changed is worked out once more; if it says what it said, nothing that asked for it has changed
(Mokhov, Mitchell, Peyton Jones: Build systems à la carte, 2018, "verifying traces").
"""

from __future__ import annotations

from collections.abc import Callable

from vramsite.catalog.trace import ANSWER, Fact, memory, recording
from vramsite.site.store import Store

Digest = Callable[[Fact], bytes]
Ask = Callable[[Fact], None]


class Verifier:
    """Compares the facts of a store with those of today.

    ``digest`` says what a plain fact says today (KeyError: it is gone), ``ask`` works an answer
    out anew, into its cache.
    """

    def __init__(self, store: Store, digest: Digest, ask: Ask) -> None:
        self._store = store
        self._digest = digest
        self._ask = ask
        self._facts = store.facts()
        self._numbers = {fact: number for number, (fact, _) in self._facts.items()}
        self._origins = store.origins()
        self._answers = store.answers()
        self._same_facts: dict[int, bool] = {}
        self._same_origins: dict[int, bool] = {}
        self._resting: dict[int, bool] = {}

    def same(self, origin: int) -> bool:
        """Whether all that something was made from says what it said."""
        found = self._same_origins.get(origin)
        if found is None:
            self._same_origins[origin] = False
            members = self._origins.get(origin, (0,))
            found = all(self.same(-one) if one < 0 else self._same(one) for one in members)
            self._same_origins[origin] = found
        return found

    def recall(self, fact: Fact) -> object:
        """The value of an answer that still holds. KeyError for any other."""
        number = self._numbers[fact]
        if not self._same(number) or fact in memory.answers:
            raise KeyError(fact)
        return self._store.value(number)

    def _same(self, number: int) -> bool:
        found = self._same_facts.get(number)
        if found is None:
            self._same_facts[number] = False  # meanwhile it counts as unknown
            fact, digest = self._facts.get(number, ((), b""))
            if not fact:
                found = False
            elif fact[0] == ANSWER:
                found = self._same_answer(number, fact, digest)
            else:
                found = self._now(fact) == digest
            self._same_facts[number] = found
        return found

    def _now(self, fact: Fact) -> bytes | None:
        try:
            return self._digest(fact)
        except KeyError:
            return None

    def _same_answer(self, number: int, fact: Fact, digest: bytes) -> bool:
        origin = self._answers.get(number)
        if origin is None:
            return False
        if self.same(origin):
            return True
        try:
            with recording():
                self._ask(fact)
        except Exception:  # about an entry that is gone: nobody will ask this again
            return False
        made = memory.answers.get(fact)
        return made is not None and made.digest == digest

    def doubtful(self, made: set[Fact]) -> list[int]:
        """Answers that neither were made again nor rest on facts that all say what they said."""
        return [
            number
            for number, origin in self._answers.items()
            if self._facts[number][0] not in made and not self._rests(origin)
        ]

    def _rests(self, origin: int) -> bool:
        found = self._resting.get(origin)
        if found is None:
            members = self._origins[origin]
            found = all(self._rests(-one) if one < 0 else self._rested(one) for one in members)
            self._resting[origin] = found
        return found

    def _rested(self, number: int) -> bool:
        fact, digest = self._facts[number]
        if fact[0] != ANSWER:
            found = self._same_facts.get(number)
            return self._now(fact) == digest if found is None else found
        known = self._same_facts.get(number)
        if known is None:
            origin = self._answers.get(number)
            known = origin is not None and self._rests(origin)
        return known
