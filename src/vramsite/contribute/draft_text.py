"""The text of a drafted file: in form, with a TODO and a hint on each line that needs a person."""

from __future__ import annotations

from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq

from vramsite.contribute import yaml_form
from vramsite.contribute.file_kinds import FileKind
from vramsite.contribute.key_order import order_keys


def draft_text(kind: FileKind, values: dict[str, Any], todo: dict[str, str]) -> str:
    """The file. A value that is None and named in `todo` becomes `TODO` with its hint."""
    data = _commented(values, todo)
    order_keys(data, kind.record)
    return yaml_form.schema_line(kind.name, kind.depth) + yaml_form.dump(data)


def _commented(values: dict[str, Any], todo: dict[str, str]) -> CommentedMap:
    found = CommentedMap()
    for key, value in values.items():
        if (value is None or value == "") and key in todo:
            found[key] = f"TODO {todo[key]}"
        elif isinstance(value, dict):
            found[key] = _commented(value, todo)
        elif isinstance(value, list):
            found[key] = _listed(value, todo)
        else:
            found[key] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    # 24.0 GB is written as 24.
    return int(value) if isinstance(value, float) and value == int(value) else value


def _listed(values: list[Any], todo: dict[str, str]) -> CommentedSeq:
    found = CommentedSeq(
        _commented(value, todo) if isinstance(value, dict) else value for value in values
    )
    if all(not isinstance(value, dict | list) for value in values):
        found.fa.set_flow_style()
    return found
