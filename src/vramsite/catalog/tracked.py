"""A catalog whose records note what is read of them, and what such a fact says today."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from vramsite.catalog.catalog import Catalog
from vramsite.catalog.trace import Fact, Kept, digest, note

V = TypeVar("V")

ANY_FIELD = "*"
"""In the place of a field: the whole record."""

IS_THERE = "?"
"""In the place of a field: whether there is such a record."""


class TrackedRecord:
    """A record in all but its type; each field that is read is noted."""

    __slots__ = ("_fields", "_kind", "_known", "_name", "_record")

    def __init__(self, kind: str, name: str, record: Any) -> None:
        self._kind, self._name, self._record = kind, name, record
        self._fields: Mapping[str, Any] = record.__dict__
        self._known: dict[str, tuple[Fact, Any]] = {}

    def __getattr__(self, field: str) -> Any:
        found = self._known.get(field)
        if found is not None:
            note(found[0])
            return found[1]
        if field in self._fields:
            fact, value = self._known[field] = (self._kind, self._name, field), self._fields[field]
            note(fact)
            return value
        note((self._kind, self._name, ANY_FIELD))  # a method or property reads who knows what
        return getattr(self._record, field)

    def __repr__(self) -> str:
        note((self._kind, self._name, ANY_FIELD))
        return repr(self._record)


class TrackedRecords(dict[str, V]):
    """Records by id. The order and number of ids is one fact, each field of a record another."""

    __slots__ = ("_all", "_asked", "_kind", "_records")

    def __init__(self, kind: str, records: Mapping[str, V]) -> None:
        super().__init__(
            {name: cast(V, TrackedRecord(kind, name, one)) for name, one in records.items()}
        )
        self._kind = kind
        self._records = records
        self._all: Fact = (kind,)
        self._asked: dict[object, Fact] = {name: (kind, name, IS_THERE) for name in records}

    def says(self, fact: Fact) -> object:
        """What a fact about these records says; KeyError for a record or field there is not."""
        if fact == self._all:
            return list(self._records)
        _, name, field = fact
        if field == IS_THERE:
            return name in self._records
        record = self._records[str(name)]
        return record if field == ANY_FIELD else vars(record)[str(field)]

    def __iter__(self) -> Iterator[str]:
        note(self._all)
        return super().__iter__()

    def __len__(self) -> int:
        note(self._all)
        return super().__len__()

    def __contains__(self, name: object) -> bool:
        note(self._asked.get(name) or (self._kind, str(name), IS_THERE))
        return name in self._asked

    def __missing__(self, name: str) -> V:
        note((self._kind, name, IS_THERE))
        raise KeyError(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The record of an id, or `default`."""
        note(self._asked.get(name) or (self._kind, name, IS_THERE))
        return super().get(name, default)

    def keys(self) -> Any:
        """All ids."""
        note(self._all)
        return super().keys()

    def values(self) -> Any:
        """All records."""
        note(self._all)
        return super().values()

    def items(self) -> Any:
        """All ids with their records."""
        note(self._all)
        return super().items()


class TrackedList(list[V]):
    """A list that is one fact as a whole."""

    __slots__ = ("_fact",)

    def __init__(self, fact: Fact, items: list[V]) -> None:
        super().__init__(items)
        self._fact = fact

    def __iter__(self) -> Iterator[V]:
        note(self._fact)
        return super().__iter__()

    def __len__(self) -> int:
        note(self._fact)
        return super().__len__()

    def __getitem__(self, index: Any) -> Any:
        note(self._fact)
        return super().__getitem__(index)


class TrackedCatalog:
    """A catalog that notes what is read, and the digests of such facts.

    Engines, formats and assumptions are not noted: they belong to the rules, and a change of the
    rules makes every page anew.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._models = TrackedRecords("models", catalog.models)
        self._gpus = TrackedRecords("gpus", catalog.gpus)
        self._offers = TrackedList(("offers",), catalog.offers)
        self.catalog = replace(
            catalog,
            models=self._models,
            gpus=self._gpus,
            offers=self._offers,
            _architectures=Kept(),
            _devices=Kept(),
            size_factors=Kept("size_factor"),
        )

    def readers(self) -> dict[str | float, Callable[[Fact], bytes]]:
        """Kind of fact → what gives its digest today; KeyError where there is no such fact."""
        return {
            "models": lambda fact: digest(self._models.says(fact)),
            "gpus": lambda fact: digest(self._gpus.says(fact)),
            "offers": lambda fact: digest(list(list.__iter__(self._offers))),
        }
