"""Puts the keys of an entry in the order of its record; what stands in free mappings stays."""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel
from ruamel.yaml.comments import CommentedMap, CommentedSeq


def order_keys(data: CommentedMap, record: type[BaseModel]) -> None:
    """Reorder in place, also below. Unknown keys keep their order, after the known ones.

    Comments move with their key; a comment above the first key stays at the top.
    """
    names = list(record.model_fields)
    known = [name for name in names if name in data]
    wanted = [*known, *(key for key in data if key not in names)]
    if wanted != list(data):
        for key in wanted:
            data.move_to_end(key)
    for name in known:
        _order_below(data[name], record.model_fields[name].annotation)


def _order_below(value: Any, annotation: Any) -> None:
    inner = record_in(annotation)
    if inner is None:
        return
    if isinstance(value, CommentedMap) and get_origin(annotation) is not dict:
        order_keys(value, inner)
    elif isinstance(value, CommentedSeq):
        for item in value:
            if isinstance(item, CommentedMap):
                order_keys(item, inner)


def record_in(annotation: Any) -> type[BaseModel] | None:
    """The record that a field holds: itself, optional, or in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        found = record_in(argument)
        if found is not None:
            return found
    return None
