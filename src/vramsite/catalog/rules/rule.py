"""What a rule is, and how a set of rules is run over the entries of one kind."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from pydantic import BaseModel

from vramsite.catalog.faults import MOST_OF_A_KIND, Fault
from vramsite.catalog.loader import Entry
from vramsite.catalog.yaml_source import KeyPath

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Context:
    """What rules may look at beside the entry."""

    today: date
    gpu_ids: frozenset[str]
    format_names: frozenset[str] | None  # None: data/quants.yaml is faulty itself


Finding = tuple[KeyPath, str]
Rule = Callable[[R, Context], Iterator[Finding]]


def run_rules(
    entries: Iterable[Entry[R]], rules: Iterable[Rule[R]], context: Context
) -> Iterator[Fault]:
    """The faults that these rules find in these entries, the first ones of a kind in each."""
    rules = list(rules)
    for entry in entries:
        for rule in rules:
            for keys, message in itertools.islice(rule(entry.record, context), MOST_OF_A_KIND):
                yield entry.document.fault(keys, message)


def future_dates(value: object, today: date, keys: KeyPath = ()) -> Iterator[Finding]:
    """Dates after `today` anywhere in a record: values of date type, and keys that hold dates."""
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from future_dates(getattr(value, name), today, (*keys, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from future_dates(item, today, (*keys, index))
    elif isinstance(value, date):
        if value > today:
            yield keys, f"found {value}; lies in the future (today is {today})"
    elif isinstance(value, str) and keys and keys[-1] in ("released", "launched", "as_of"):
        if value > today.isoformat()[: len(value)]:
            yield keys, f"found {value}; lies in the future (today is {today})"


def unknown_source_keys(record: BaseModel, sources: Mapping[str, str]) -> Iterator[Finding]:
    """Sources of values that the record does not have: mostly a misspelt key."""
    known = set(type(record).model_fields) - {"id", "vendor_slug", "sources"}
    for key in sources:
        if key not in known:
            near = difflib.get_close_matches(key, sorted(known), n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else "name a key of this file"
            yield ("sources", key), f"is the source of no value; {hint}"
