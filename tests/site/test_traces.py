"""Caches hide nothing: a page made after all others rests on the facts it rests on when made first.

The first takes everything from caches, the second reads everything. A cache that is no `Kept`, or
one that an id fills with more than the id says, shows here.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_project import write_small_project

from vramsite.catalog.trace import EVERYTHING, Fact, Origin
from vramsite.site.making import Made, Maker
from vramsite.site.spec import BuildSpec
from vramsite.site.writing import FileFacts

SAMPLES = 4


class _Nowhere:
    """Writes nothing."""

    def write(self, name: str, content: bytes) -> None: ...

    def write_once(self, name: str, make: Callable[[], bytes]) -> None: ...

    def take(self) -> tuple[dict[str, FileFacts], dict[str, bytes]]:
        return {}, {}


NOWHERE: Any = _Nowhere()


def facts_of(origin: Origin, answers: dict[Fact, Origin]) -> set[Fact]:
    """Every plain fact behind an origin. Templates are left out: one names those it imports, and
    who imported it first is no matter.
    """
    found: set[Fact] = set()
    seen: set[object] = set()
    waiting: list[Fact | Origin] = [*origin]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, frozenset):
            waiting += one
        elif one[0] == "?":
            waiting += answers[one]
        elif one[0] != "template":
            found.add(one)
    return found


def origins(made: Made) -> dict[Fact, Origin]:
    return {fact: answer.origin for fact, answer in made.answers}


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> BuildSpec:
    return write_small_project(tmp_path_factory.mktemp("traces") / "project")


def test_caches_hide_no_facts(spec: BuildSpec) -> None:
    maker = Maker(spec)
    answers: dict[Fact, Origin] = {}
    places: list[tuple[int, int]] = []
    for index, chunk in maker.chunks.items():
        made = maker.make(chunk, NOWHERE)
        answers |= origins(made)
        places += [(index, position) for position in range(len(made.records))]
    for index, position in random.Random(5).sample(places, SAMPLES):
        warm = maker.make(maker.chunks[index], NOWHERE, [position]).records[0]
        fresh = Maker(spec)
        cold = fresh.make(fresh.chunks[index], NOWHERE, [position])
        assert cold.records[0].unit == warm.unit
        read = facts_of(cold.records[0].origin, origins(cold))
        assert facts_of(warm.origin, answers) == read, warm.unit
        assert EVERYTHING not in read


def test_no_message_comes_from_code() -> None:
    """Translations count with the templates that hold them; one in code would count nowhere."""
    root = Path(__file__).resolve().parents[2]
    text = (root / "locales/messages.pot").read_text(encoding="utf-8")
    assert "#: src/" not in text
