"""Which models belong together: the line that their names begin with, up to its version.

"Qwen3 30B-A3B Instruct" and "Qwen3 Coder 30B-A3B" are of Qwen3, "Llama 3.1 8B" is of Llama 3.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.choices import DEFAULT_FORMAT, page_settings, short_context

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vramsite.catalog import ModelRecord
    from vramsite.report.book import Book
    from vramsite.report.cards import ModelCard

WORD = re.compile(r"[^\s-]+")
SIZE = re.compile(r"\(?(?:[AE]?\d+(?:\.\d+)?[BMT]|\d+x\d+B)\b.*", re.IGNORECASE)
VERSION = re.compile(r"[A-Z]*\d+(?:\.\d+)*", re.IGNORECASE)
SHOWN_SIBLINGS = 12


@dataclass(frozen=True, slots=True)
class Family:
    """A line of models; `slug` stands in its address."""

    slug: str
    name: str
    model_ids: tuple[str, ...]

    @property
    def has_page(self) -> bool:
        """Whether there is more than one model to list."""
        return len(self.model_ids) > 1


@dataclass(frozen=True, slots=True)
class Sibling:
    """A model beside others of its family; `needed_bytes`: default format, short context."""

    model: ModelCard
    needed_bytes: float | None


def family_name(name: str) -> str:
    """The beginning of a model's name that it shares with its family."""
    end = 0
    for word in WORD.finditer(name):
        if SIZE.fullmatch(word[0]):
            break
        end = word.end()
        if VERSION.fullmatch(word[0]) or re.search(r"[A-Za-z]\d", word[0]):
            break
    return name[:end].rstrip(" (-") or name


def slug_of(name: str) -> str:
    """A name as a part of an address."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")


def families(models: Mapping[str, ModelRecord]) -> dict[str, Family]:
    """All families by slug, also those of one model; members by size, then id."""
    members: dict[str, list[str]] = {}
    names: dict[str, str] = {}
    for model in models.values():
        name = family_name(model.name)
        slug = slug_of(name)
        names.setdefault(slug, name)
        members.setdefault(slug, []).append(model.id)
    found = {}
    for slug in sorted(members):
        ids = sorted(members[slug], key=lambda one: (models[one].params_total or 0, one))
        found[slug] = Family(slug, names[slug], tuple(ids))
    return found


def family_of(book: Book, model_id: str) -> Family:
    """The family of a model."""
    known = book.memo.get(("families",))
    if not isinstance(known, dict):
        known = book.memo[("families",)] = families(book.catalog.models)
    found: Family = known[slug_of(family_name(book.catalog.models[model_id].name))]
    return found


def needed_bytes(book: Book, model_id: str) -> float | None:
    """What any device would have to hold at the default format and short context."""
    settings = page_settings(
        next(iter(book.catalog.gpus.values())),
        format_name=DEFAULT_FORMAT,
        context_tokens=short_context(book.catalog.models[model_id]),
    )
    memory = book.whole(model_id, settings)
    return memory.device_bytes if memory is not None else None


def siblings(book: Book, model_id: str) -> list[Sibling]:
    """The other models of the family, smallest first."""
    others = [one for one in family_of(book, model_id).model_ids if one != model_id]
    return [
        Sibling(book.model_card(other), needed_bytes(book, other))
        for other in others[:SHOWN_SIBLINGS]
    ]
