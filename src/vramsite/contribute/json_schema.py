"""JSON Schema of the three kinds of entries, for editors: data/schema/*.schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vramsite.contribute.file_kinds import FROM_PATH, KINDS, FileKind

# Values that YAML writes as a number or a date and the records take as text or date.
_YEAR_PATTERN = r"^\d{4}(-\d{2}(-\d{2})?)?$"


def schema(kind: FileKind) -> dict[str, Any]:
    """The schema of one kind of file."""
    found = kind.record.model_json_schema(mode="validation")
    _tidy(found)
    for name in FROM_PATH:
        found["properties"].pop(name, None)
    found["required"] = [name for name in found.get("required", []) if name not in FROM_PATH]
    found.pop("description", None)
    parts = found.pop("$defs", {})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind.title,
        "description": "Written by `vramsite schema`; the records are in src/vramsite/catalog/.",
        **{key: value for key, value in found.items() if key != "title"},
        "$defs": parts,
    }


def schema_texts() -> dict[str, str]:
    """File name -> text, for data/schema/."""
    return {
        f"{kind.name}.schema.json": json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n"
        for kind in KINDS
    }


def write_schemas(data_dir: Path) -> list[Path]:
    """Write what is not fresh; gives the paths written."""
    written = []
    for name, text in schema_texts().items():
        path = data_dir / "schema" / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written


def _tidy(node: Any) -> None:
    """Shorten for people: no generated titles, `X or nothing` as X, a bare year may be a number."""
    if isinstance(node, list):
        for item in node:
            _tidy(item)
    if not isinstance(node, dict):
        return
    if isinstance(node.get("title"), str):
        node.pop("title")
    if node.get("pattern") == _YEAR_PATTERN and node.get("type") == "string":
        node["type"] = ["string", "integer"]
    if node.get("format") == "date":
        # The loader also takes a year or a month where the day is not known.
        node.pop("format")
        node["pattern"] = _YEAR_PATTERN
        node["type"] = ["string", "integer"]
    branches = node.get("anyOf")
    if isinstance(branches, list) and {"type": "null"} in branches and len(branches) == 2:
        (kept,) = [branch for branch in branches if branch != {"type": "null"}]
        node.pop("anyOf")
        for key, value in kept.items():
            node.setdefault(key, value)
        if node.get("default", ...) is None:
            node.pop("default")
    for value in list(node.values()):
        _tidy(value)
