"""Reads one YAML file of the catalog: plain values, and the line of each key for messages.

Only a small part of YAML is allowed (mappings, lists, plain values; no anchors, no tags), with the
scalars of YAML 1.2: `no` is a text, `2026-11` is a text, `1e-6` is a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from vramsite.catalog.faults import Fault

MAX_BYTES = 1_000_000
MAX_DEPTH = 24

KeyPath = tuple[str | int, ...]

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("bool", r"^(?:true|false)$", ["t", "f"]),
    ("int", r"^-?(?:0|[1-9][0-9]{0,24})$", list("-0123456789")),
    (
        "float",
        r"^-?(?:0|[1-9][0-9]{0,24})(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?$",
        list("-0123456789"),
    ),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)

_SCALARS: dict[str, Callable[[str], Any]] = {
    "tag:yaml.org,2002:str": str,
    "tag:yaml.org,2002:int": int,
    "tag:yaml.org,2002:float": float,
    "tag:yaml.org,2002:bool": lambda text: text == "true",
    "tag:yaml.org,2002:null": lambda text: None,
}
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TODO = re.compile(r"^\s*(?:- +)*(?:([A-Za-z_][\w.]*):)?.*\bTODO\b:? ?(.*)")
_CONTAINERS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True, slots=True)
class Document:
    """A file as read: `data` is its mapping, `shown` its path in messages."""

    path: Path
    shown: str
    data: dict[str, Any]

    def line(self, keys: KeyPath) -> int:
        """The line of the innermost of `keys` that the file has (1 where it has none)."""
        return _find_line(_compose(self.path.read_text(encoding="utf-8")), keys)

    def fault(self, keys: KeyPath, message: str) -> Fault:
        """A fault at a key of this file."""
        return Fault(self.shown, self.line(keys), dotted(keys), message)


def dotted(keys: KeyPath) -> str:
    """`("files", 2, "bytes")` as `files[2].bytes`."""
    text = ""
    for key in keys:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
    return text


def read_document(path: Path, data_dir: Path, faults: list[Fault]) -> Document | None:
    """Read a file below `data_dir`. None, with the reasons in `faults`, when it cannot be used."""
    shown = shown_path(path, data_dir)
    try:
        text = _read_text(path)
    except _UnusableError as error:
        faults.append(Fault(shown, error.line, "", error.message))
        return None
    open_points = _open_points(text, shown)
    if open_points:
        faults.extend(open_points)
        return None
    try:
        node = _compose(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 if mark is not None else 1
        faults.append(Fault(shown, line, "", f"is not valid YAML: {problem}"))
        return None
    if not isinstance(node, yaml.MappingNode):
        faults.append(Fault(shown, 1, "", "must be a mapping of keys to values (`key: value`)"))
        return None
    builder = _Builder(shown, faults)
    before = len(faults)
    data = builder.build(node, ())
    return None if len(faults) > before else Document(path, shown, data)


def _open_points(text: str, shown: str) -> list[Fault]:
    # A file that `add-model` or `add-gpu` began says TODO where a person has to look something up.
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _TODO.match(line)
        if match:
            hint = match.group(2).strip(" #'\"") or "fill it in, or take the line out"
            found.append(Fault(shown, number, match.group(1) or "", f"is still TODO: {hint}"))
    return found


def shown_path(path: Path, data_dir: Path) -> str:
    """The path in messages: from the folder that holds the data folder."""
    return path.relative_to(data_dir.parent).as_posix()


class _UnusableError(Exception):
    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def _read_text(path: Path) -> str:
    if path.is_symlink():
        raise _UnusableError("is a symbolic link; put the file itself here")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise _UnusableError(f"is bigger than {MAX_BYTES} bytes; split it")
        raw = path.read_bytes()
    except OSError as error:
        raise _UnusableError(f"cannot be read: {error.strerror}") from error
    if raw.startswith(b"\xef\xbb\xbf"):
        raise _UnusableError("starts with a byte order mark; save it as UTF-8 without BOM", 1)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _UnusableError("is not UTF-8; save it as UTF-8", line) from error
    _refuse_deep_nesting(text)
    for number, line_text in enumerate(text.split("\n"), 1):
        if "\t" in line_text[: len(line_text) - len(line_text.lstrip())]:
            raise _UnusableError("is indented with a tab; use spaces", number)
    return text


def _refuse_deep_nesting(text: str) -> None:
    # Before parsing: the parser recurses, and a hostile file must not exhaust the stack.
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket.group() in "[{" else -1
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, bracket.start()) + 1
            raise _UnusableError(f"is nested deeper than {MAX_DEPTH} levels", line)
    for number, line_text in enumerate(text.split("\n"), 1):
        dashes = re.match(r"(?:[-?:] +)*", line_text)
        if line_text.startswith(" " * 200) or (dashes and dashes.end() > 2 * MAX_DEPTH):
            raise _UnusableError(f"is nested deeper than {MAX_DEPTH} levels", number)


def _compose(text: str) -> Any:
    loader = _Loader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _find_line(node: Any, keys: KeyPath) -> int:
    line = 1
    for key in keys:
        if isinstance(node, yaml.MappingNode):
            for key_node, value_node in node.value:
                if key_node.value == key:
                    line, node = key_node.start_mark.line + 1, value_node
                    break
            else:
                continue  # a part of a pydantic location that names no key
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            if not 0 <= key < len(node.value):
                break
            node = node.value[key]
            line = node.start_mark.line + 1
    return line


class _Builder:
    def __init__(self, shown: str, faults: list[Fault]) -> None:
        self.shown = shown
        self.faults = faults
        self.seen: set[int] = set()

    def refuse(self, node: Any, keys: KeyPath, message: str) -> None:
        line = node.start_mark.line + 1
        self.faults.append(Fault(self.shown, line, dotted(keys), message))

    def build(self, node: Any, keys: KeyPath, place: Any = None) -> Any:
        if id(node) in self.seen:
            return self.refuse(place, keys, "is an alias (*name); write the value out")
        self.seen.add(id(node))
        if isinstance(node, yaml.ScalarNode):
            return self.scalar(node, keys)
        if len(keys) > MAX_DEPTH:
            return self.refuse(node, keys[:3], f"is nested deeper than {MAX_DEPTH} levels")
        if node.tag not in _CONTAINERS:
            return self.refuse(node, keys, f"has the tag {node.tag}; write a plain value")
        if isinstance(node, yaml.SequenceNode):
            return [
                self.build(child, (*keys, index), node) for index, child in enumerate(node.value)
            ]
        return self.mapping(node, keys)

    def mapping(self, node: Any, keys: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.refuse(key_node, keys, "has a key that is not a text")
                continue
            key = key_node.value
            if key in values:
                self.refuse(key_node, (*keys, key), "is there twice; keep one of the two")
            values[key] = self.build(value_node, (*keys, key), key_node)
        return values

    def scalar(self, node: Any, keys: KeyPath) -> Any:
        make = _SCALARS.get(node.tag)
        if make is None:
            return self.refuse(node, keys, f"has the tag {node.tag}; write a plain value")
        if _CONTROL.search(node.value):
            return self.refuse(node, keys, "holds a control character; take it out")
        try:
            value = make(node.value)
        except ValueError:
            return self.refuse(node, keys, f"has the tag {node.tag}; write a plain value")
        if value in (float("inf"), float("-inf")):
            return self.refuse(node, keys, f"found {node.value}; is too big for a number")
        return value
