"""Keys of a config.json that nothing has looked at and that may change sizes."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.catalog.architectures.json_value import as_mapping, item, key_names, kind_of, shown
from vramsite.catalog.architectures.keys import Keys

_DEEPEST = 8.0  # mappings within mappings that are looked into


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyList:
    """A key with the values that readers assume (as JSON), or the types it means nothing for."""

    key: str
    entries: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRules:
    """data/config_keys.yaml: keys that change no size."""

    names: list[str]
    ends: list[str]
    assumed: list[KeyList]
    unused: list[KeyList]


def unread_keys(rules: KeyRules, config: Keys, model_type: str) -> list[str]:
    """Dotted paths of the keys that no reader asked for and the rules do not name.

    To be called after the reader: it goes by what `config` was asked for.
    """
    asked: list[str] = []
    for name in config.asked:
        if name not in asked:
            asked.append(name)
    unused = [known.key for known in rules.unused if model_type in known.entries]
    return _unread(rules, config.values, "", [*asked, *unused], 0.0)


def _unread(
    rules: KeyRules, values: object, path: str, asked: list[str], depth: float
) -> list[str]:
    found: list[str] = []
    mapping = as_mapping(values)
    for name in key_names(mapping):
        value = item(mapping, name)
        kind = kind_of(value)
        if kind == "null" or _named(rules, name):
            continue
        if name not in asked:
            if not _assumed(rules, name, shown(value)):
                found.append(path + name)
        elif kind == "mapping" and depth < _DEEPEST:
            found += _unread(rules, value, path + name + ".", asked, depth + 1.0)
    return found


def _named(rules: KeyRules, name: str) -> bool:
    if name in rules.names:
        return True
    return any(name.endswith(end) for end in rules.ends)


def _assumed(rules: KeyRules, name: str, value: str) -> bool:
    return any(known.key == name and value in known.entries for known in rules.assumed)
