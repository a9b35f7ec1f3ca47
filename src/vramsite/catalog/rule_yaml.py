"""Reads a YAML file of rules or coefficients: anchors allowed, within what such a file needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from vramsite.catalog.faults import shortened
from vramsite.catalog.raw_text import MAX_DEPTH, UnusableError, read_plain

MOST_BYTES = 8 * 2**20
MOST_VALUES = 500_000  # with every alias written out
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml: ten times as fast


class RuleFileError(ValueError):
    """A file of rules that cannot be used; `line` is 0 where the file as a whole is meant."""

    def __init__(self, path: Path, message: str, line: int = 0) -> None:
        super().__init__(f"{path.name}: {message}")
        self.path = path
        self.message = message
        self.line = line


def read_rules(path: Path) -> Any:
    """The mapping that a file holds. Raises RuleFileError."""
    try:
        return _read(path, read_plain(path, path.parent, MOST_BYTES))
    except UnusableError as error:
        raise RuleFileError(path, error.message, error.line) from error


def _read(path: Path, text: str) -> Any:
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if not isinstance(node, yaml.MappingNode):
                raise UnusableError("must be a mapping of keys to values (`key: value`)", 1)
            _expanded(node, {}, 0)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error) or type(error).__name__
        line = mark.line + 1 if mark is not None else 0
        raise RuleFileError(path, f"is not valid YAML: {shortened(problem, 200)}", line) from error


def _expanded(node: Any, sizes: dict[int, int], depth: int) -> int:
    """How many values the node is with its aliases written out: what they hold counts again."""
    found = sizes.get(id(node))
    line = node.start_mark.line + 1
    if found is None:
        if depth > MAX_DEPTH:
            raise UnusableError(f"is nested deeper than {MAX_DEPTH} levels", line)
        sizes[id(node)] = 0  # until it is known: an alias of what it stands in finds this
        found = 1
        if isinstance(node, yaml.ScalarNode):
            if node.tag.endswith(":float") and node.value.strip("+-.").lower() in ("inf", "nan"):
                raise UnusableError(f"holds {node.value}; a number must be finite", line)
        else:
            for child in node.value:
                for part in child if isinstance(child, tuple) else (child,):
                    found += _expanded(part, sizes, depth + 1)
                    if found > MOST_VALUES:
                        raise UnusableError("multiplies by aliases (*name); write it out", line)
        sizes[id(node)] = found
    elif found == 0:
        raise UnusableError("holds an alias (*name) of what it stands in", line)
    return found
