"""Finds a config.json: a file, standard input, or a repository when the network is there."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

MOST_BYTES = 8 * 2**20  # config.json files are some kilobytes; a checkpoint is no config
_REPO = re.compile(r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")


class SourceError(ValueError):
    """A source that cannot be read; the message says what to give instead."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """A config.json and what its repository says beside it."""

    config: dict[str, Any]
    read_from: str  # for `sources`
    repo: str | None = None
    params_total: int | None = None
    checkpoint_bytes: int | None = None
    license: str | None = None


def read_source(source: str, stdin: TextIO | None = None) -> ModelSource:
    """Read `-`, a path to config.json (or its folder), or `owner/name`. Raises SourceError."""
    if source == "-":
        text = (stdin or sys.stdin).read(MOST_BYTES + 1)
        return ModelSource(_parse(text, "standard input"), "config.json, given by hand")
    path = Path(source)
    if path.is_dir():
        path = path / "config.json"
    if path.is_file():
        if path.stat().st_size > MOST_BYTES:
            raise SourceError(f"{path}: too big for a config.json")
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(f"{path}: is no text; give the config.json") from error
        return ModelSource(_parse(text, str(path)), "config.json of the repository")
    if _REPO.match(source) and not source.endswith(".json"):
        from vramsite.contribute.hub import read_repository

        return read_repository(source)
    raise SourceError(
        f"{source}: no such file; give a config.json, - for standard input, or owner/name"
    )


def _parse(text: str, where: str) -> dict[str, Any]:
    if len(text) > MOST_BYTES:
        raise SourceError(f"{where}: too long for a config.json")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: is no JSON: {error}") from error
    if not isinstance(found, dict) or not found:
        raise SourceError(f"{where}: a config.json is an object with keys such as hidden_size")
    return found
