"""data/config_keys.yaml: keys of a config.json that change none of the sizes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from vramsite.catalog.architectures.unread import KeyList, KeyRules
from vramsite.catalog.rule_yaml import read_rules


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NamesAndEnds(_Strict):
    """Whole names, and what names end with."""

    names: list[str] = Field(default_factory=list)
    ends: list[str] = Field(default_factory=list)

    def holds(self, name: str) -> bool:
        """Whether a key is meant."""
        return name in self.names or name.endswith(tuple(self.ends))


class ConfigKeysFile(_Strict):
    """The whole file; without it no key is known."""

    about_code: NamesAndEnds = NamesAndEnds()
    of_no_size: NamesAndEnds = NamesAndEnds()
    as_assumed: dict[str, list[Any]] = Field(default_factory=dict)
    unused: dict[str, list[str]] = Field(default_factory=dict)


@cache
def load_config_keys(data_dir: Path) -> ConfigKeysFile:
    """The file. Raises pydantic's ValidationError."""
    path = data_dir / "config_keys.yaml"
    if not path.exists() and not path.is_symlink():
        return ConfigKeysFile()
    return ConfigKeysFile.model_validate(read_rules(path))


@cache
def config_key_rules(data_dir: Path) -> KeyRules:
    """The same as it is asked by key."""
    found = load_config_keys(data_dir)
    return KeyRules(
        names=[*found.about_code.names, *found.of_no_size.names],
        ends=[*found.about_code.ends, *found.of_no_size.ends],
        assumed=[
            KeyList(key=key, entries=[json.dumps(value) for value in values])
            for key, values in found.as_assumed.items()
        ],
        unused=[KeyList(key=key, entries=types) for key, types in found.unused.items()],
    )
