"""Reads one YAML file of the catalog: plain values, and the line of each key for messages.

Only a small part of YAML is allowed (mappings, lists, plain values; no anchors, no tags), with the
scalars of YAML 1.2: `no` is a text, `2026-11` is a text, `1e-6` is a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from vramsite.catalog.faults import MOST_OF_A_KIND, Fault, shortened
from vramsite.catalog.raw_text import MAX_DEPTH, UnusableError, hidden_character, read_text
from vramsite.catalog.yaml_hints import yaml_problem

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
VERBATIM = "config"
"""The key of what is copied from a config.json: there null is a value that somebody wrote."""
_TODO = re.compile(r"\bTODO\b:? ?(.*)")
_KEY = re.compile(r"\s*+(?:- ++)*+([A-Za-z_][\w.]*):")
_CONTAINERS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(frozen=True, slots=True)
class Document:
    """A file as read: `data` is its mapping, `shown` its path in messages.

    `empty` are the keys with nothing behind them; null is a value only where it was copied.
    """

    path: Path
    shown: str
    data: dict[str, Any]
    empty: tuple[KeyPath, ...] = ()

    def line(self, keys: KeyPath) -> int:
        """The line of the innermost of `keys` that the file has (1 where it has none)."""
        found = self.path.stat()
        return _find_line(_node_of(self.path, found.st_mtime_ns, found.st_size), keys)

    def fault(self, keys: KeyPath, message: str) -> Fault:
        """A fault at a key of this file."""
        return Fault(self.shown, self.line(keys), dotted(keys), message)


def dotted(keys: KeyPath) -> str:
    """`("files", 2, "bytes")` as `files[2].bytes`."""
    text = ""
    for key in keys:
        name = shortened(str(key))
        text += f"[{key}]" if isinstance(key, int) else f".{name}" if text else name
    return text


def read_document(path: Path, data_dir: Path, faults: list[Fault]) -> Document | None:
    """Read a file below `data_dir`. None, with the reasons in `faults`, when it cannot be used."""
    shown = shown_path(path, data_dir)
    try:
        text = read_text(path, data_dir)
    except UnusableError as error:
        faults.append(Fault(shown, error.line, "", error.message))
        return None
    open_points = _open_points(text, shown)
    if open_points:
        faults.extend(open_points)
        return None
    try:
        node = _compose(text)
    except (yaml.YAMLError, RecursionError) as error:
        line, message = yaml_problem(error)
        faults.append(Fault(shown, line, "", message))
        return None
    if not isinstance(node, yaml.MappingNode):
        faults.append(Fault(shown, 1, "", "must be a mapping of keys to values (`key: value`)"))
        return None
    builder = _Builder(shown, faults)
    before = len(faults)
    data = builder.build(node, ())
    if builder.left_out:
        message = f"has {builder.left_out} more faults; correct these first"
        faults.append(Fault(shown, 0, "", message))
    if len(faults) > before:
        return None
    return Document(path, shown, data, tuple(builder.empty))


def _open_points(text: str, shown: str) -> list[Fault]:
    # A file that `add-model` or `add-gpu` began says TODO where a person has to look something up.
    found: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        match = _TODO.search(line)
        if match and len(found) < MOST_OF_A_KIND:
            hint = match.group(1).strip(" #'\"") or "fill it in, or take the line out"
            key = _KEY.match(line)
            message = f"is still TODO: {shortened(hint, 200)}"
            found.append(Fault(shown, number, shortened(key.group(1)) if key else "", message))
    return found


def shown_path(path: Path, data_dir: Path) -> str:
    """The path in messages: from the folder that holds the data folder."""
    return path.relative_to(data_dir.parent).as_posix()


@lru_cache(maxsize=4)
def _node_of(path: Path, changed_ns: int, size: int) -> Any:
    # Kept between the faults of one file, which are made one after the other.
    return _compose(path.read_text(encoding="utf-8"))


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
        self.shown_faults = 0
        self.left_out = 0
        self.empty: list[KeyPath] = []

    def refuse(self, node: Any, keys: KeyPath, message: str) -> None:
        if self.shown_faults >= MOST_OF_A_KIND:
            self.left_out += 1
            return
        self.shown_faults += 1
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
            return self.refuse(
                node, keys, f"has the tag {shortened(node.tag)}; write a plain value"
            )
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
            if hidden_character(key):
                self.refuse(key_node, keys, "has a key with a character that cannot be seen")
                continue
            if key in values:
                self.refuse(key_node, (*keys, key), "is there twice; keep one of the two")
            values[key] = self.build(value_node, (*keys, key), key_node)
        return values

    def scalar(self, node: Any, keys: KeyPath) -> Any:
        make = _SCALARS.get(node.tag)
        if make is None:
            return self.refuse(
                node, keys, f"has the tag {shortened(node.tag)}; write a plain value"
            )
        hidden = hidden_character(node.value)
        if hidden:
            return self.refuse(node, keys, f"holds {hidden}; take it out")
        try:
            value = make(node.value)
        except ValueError:
            return self.refuse(
                node, keys, f"has the tag {shortened(node.tag)}; write a plain value"
            )
        if value is None and (node.value == "" or keys[0] != VERBATIM):
            self.empty.append(keys)
        if value in (float("inf"), float("-inf")):
            return self.refuse(
                node, keys, f"found {shortened(node.value)}; is too big for a number"
            )
        return value
