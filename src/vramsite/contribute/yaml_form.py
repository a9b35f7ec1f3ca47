"""Reads and writes YAML files of the catalog with their comments, always in the same form."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.emitter import Emitter
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.representer import RoundTripRepresenter

WIDTH = 100  # a long text is broken at the first space after this column
_SCHEMA_LINE = re.compile(r"^# yaml-language-server:.*\n")


class FormError(ValueError):
    """A file that is no YAML mapping."""


class _Emitter(Emitter):
    # ruamel breaks long texts before the width and can leave a space at the end of a line; PyYAML
    # breaks at the first space after it. The catalog's files are in PyYAML's form.
    def write_plain(self, text: Any, split: Any = True) -> None:
        yaml.emitter.Emitter.write_plain(self, text, split)  # type: ignore[arg-type]

    def write_single_quoted(self, text: Any, split: Any = True) -> None:
        yaml.emitter.Emitter.write_single_quoted(self, text, split)  # type: ignore[arg-type]

    def write_double_quoted(self, text: Any, split: Any = True) -> None:
        yaml.emitter.Emitter.write_double_quoted(self, text, split)  # type: ignore[arg-type]


class _Representer(RoundTripRepresenter):
    pass


_Representer.add_representer(
    type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null")
)


def _parser() -> YAML:
    parser = YAML()
    parser.Emitter = _Emitter
    parser.Representer = _Representer
    parser.width = WIDTH
    parser.preserve_quotes = True
    parser.indent(mapping=2, sequence=4, offset=2)
    return parser


def load(text: str) -> CommentedMap:
    """The mapping of a file, with its comments. Raises FormError."""
    try:
        found = _parser().load(text)
    except (MarkedYAMLError, ValueError) as error:
        raise FormError(f"is not valid YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(found, CommentedMap):
        raise FormError("must be a mapping of keys to values")
    return found


def dump(data: CommentedMap) -> str:
    """The text of a file in its form."""
    stream = io.StringIO()
    _parser().dump(data, stream)
    return stream.getvalue()


def schema_line(kind: str, depth: int) -> str:
    """The comment that tells editors where the schema of a file lies, `depth` folders up."""
    return f"# yaml-language-server: $schema={'../' * depth}schema/{kind}.schema.json\n"


def without_schema_line(text: str) -> str:
    """The text without the comment for editors at its top."""
    return _SCHEMA_LINE.sub("", text, count=1)


def write_new(path: Path, text: str) -> None:
    """Write a file that must not be there yet. Raises FileExistsError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise FileExistsError(f"{path} is there already; give another id, or edit it") from None
