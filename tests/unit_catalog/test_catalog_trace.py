"""What is read while something is made is noted; caches hand on what they were made from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from pydantic import BaseModel

from vramsite.catalog.trace import EVERYTHING, Fact, Kept, digest, memory, note, recording
from vramsite.catalog.tracked import TrackedList, TrackedRecords

A: Fact = ("models", "a", "name")
B: Fact = ("models", "b", "name")


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    memory.forget()
    yield
    memory.forget()


def made(kept: Kept[str, int], key: str, value: int, *facts: Fact) -> int:
    found = kept.get(key)
    if found is None:
        for fact in facts:
            note(fact)
        found = kept[key] = value
    return found


def flat(origin: object) -> set[Fact]:
    assert isinstance(origin, frozenset)
    return {fact for one in origin for fact in (flat(one) if isinstance(one, frozenset) else {one})}


def test_what_comes_from_a_cache_rests_on_what_it_was_made_from() -> None:
    kept: Kept[str, int] = Kept()
    with recording() as first:
        made(kept, "x", 1, A)
    with recording() as second:
        assert made(kept, "x", 1, B) == 1
    with recording() as third:
        note(B)
    assert flat(first.origin()) == flat(second.origin()) == {A}
    assert flat(third.origin()) == {B}


def test_what_was_made_on_the_way_rests_on_its_own_alone() -> None:
    outer: Kept[str, int] = Kept()
    inner: Kept[str, int] = Kept()
    with recording():
        assert outer.get("x") is None
        note(A)
        made(inner, "y", 2, B)
        outer["x"] = 1
    with recording() as of_inner:
        inner["y"]
    with recording() as of_outer:
        assert "x" in outer
    assert flat(of_inner.origin()) == {B}
    assert flat(of_outer.origin()) == {A, B}


def test_a_look_that_makes_nothing_loses_nothing() -> None:
    kept: Kept[str, int] = Kept()
    with recording() as page:
        assert kept.get("never made") is None
        note(A)
        made(kept, "x", 1, B)
    assert flat(page.origin()) == {A, B}
    with recording() as other:
        kept.get("x")
    assert flat(other.origin()) == {B}


def test_what_nobody_asked_for_rests_on_all_that_was_read() -> None:
    kept: Kept[str, int] = Kept()
    with recording():
        note(A)
        kept["x"] = 1
    with recording() as page:
        kept["x"]
    assert flat(page.origin()) == {A}


def test_what_was_made_outside_rests_on_everything() -> None:
    kept: Kept[str, int] = Kept()
    kept["x"] = 1
    assert kept.get("x") == 1
    with recording() as page:
        kept.get("x")
    assert page.origin() == {EVERYTHING}


def test_an_error_leaves_no_trace() -> None:
    kept: Kept[str, int] = Kept()
    with suppress(ZeroDivisionError), recording():
        kept.get("x")
        raise ZeroDivisionError
    with recording() as page:
        note(B)
    assert page.origin() == {B}


def test_an_answer_is_a_fact_of_its_own() -> None:
    cards: Kept[str, int] = Kept("card")
    memo: Kept[tuple[str, str], int] = Kept(questions={"holders"})
    with recording() as page:
        made(cards, "a", 7, A)
        assert memo.get(("holders", "a")) is None
        note(B)
        memo[("holders", "a")] = 3
    assert page.origin() == {("?", "card", "a"), ("?", "holders", "a")}
    answers = memory.taken()
    assert answers[("?", "card", "a")].origin == {A}
    assert answers[("?", "card", "a")].digest == digest(7) != digest(8)
    assert answers[("?", "holders", "a")].value == 3
    assert memory.taken() == {}


def test_answers_of_the_last_build_are_taken_if_they_hold() -> None:
    left: dict[Fact, object] = {("?", "card", "a"): 7}
    memory.recall = left.__getitem__
    cards: Kept[str, int] = Kept("card")
    with recording() as page:
        assert made(cards, "a", 8, A) == 7
        assert made(cards, "b", 9, B) == 9
    assert page.origin() == {("?", "card", "a"), ("?", "card", "b")}
    assert memory.taken().keys() == {("?", "card", "b")}


def test_the_last_page_alone_is_not_noted() -> None:
    kept: Kept[tuple[str, ...], int] = Kept(last={("view",)})
    with recording() as page:
        assert kept.get(("view",)) is None
        note(A)
        kept[("view",)] = 1
        assert kept.get(("view",)) == 1
    assert page.origin() == {A}
    kept.forget_last()
    assert list(kept) == []


class Record(BaseModel):
    name: str
    price: float

    @property
    def label(self) -> str:
        return f"{self.name} at {self.price}"


def test_records_note_their_fields() -> None:
    records = TrackedRecords("gpus", {"a": Record(name="A", price=1.5)})
    with recording() as page:
        assert records["a"].name == "A"
        assert records["a"].label == "A at 1.5"
        assert records.get("b") is None
        with pytest.raises(KeyError):
            records["c"]
    assert page.origin() == {
        ("gpus", "a", "name"),
        ("gpus", "a", "*"),
        ("gpus", "b", "?"),
        ("gpus", "c", "?"),
    }
    assert records.says(("gpus", "a", "price")) == 1.5
    assert records.says(("gpus", "b", "?")) is False
    assert records.says(("gpus",)) == ["a"]
    with pytest.raises(KeyError):
        records.says(("gpus", "b", "price"))


@pytest.mark.parametrize(
    "look", [list, len, bool, sorted, lambda all_: all_.values(), lambda all_: all_.items()]
)
def test_a_look_at_all_is_a_fact(look: object) -> None:
    assert callable(look)
    records = TrackedRecords("gpus", {"a": Record(name="A", price=1.5)})
    offers = TrackedList(("offers",), [1, 2])
    with recording() as page:
        look(records)
    assert page.origin() == {("gpus",)}
    with recording() as page:
        assert [*offers] == [1, 2]
        assert offers[0] == 1
    assert page.origin() == {("offers",)}
