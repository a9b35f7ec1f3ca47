"""The licences of the packages that vramsite runs with, as docs/licences.md lists them."""

from __future__ import annotations

import re
from email.message import Message
from importlib.metadata import metadata
from pathlib import Path
from typing import cast

# Those with a marker behind a semicolon are for other systems, and not installed everywhere.
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\;]+)(?!.*;)", re.MULTILINE)
_HEAD = """\
# Licences

vramsite is under the Apache License 2.0 (LICENSE). It runs with these packages, which are installed
from requirements.lock and not copied into the site or the repository. Pages hold nothing of them.
Written by `vramsite licences`, never by hand.

| package | version | licence |
|---|---|---|
"""


def locked_packages(lock: Path) -> dict[str, str]:
    """Name → version of the packages of a lock file that every system gets."""
    return dict(_PINNED.findall(lock.read_text(encoding="utf-8")))


def licence_of(package: str) -> str:
    """The licence that an installed package states. Raises PackageNotFoundError."""
    facts = cast(Message, metadata(package))  # its type knows less than its class
    stated = facts.get("License-Expression")
    if stated:
        return str(stated)
    classes = [
        value.rpartition(" :: ")[2]
        for value in facts.get_all("Classifier") or []
        if value.startswith("License :: OSI Approved ::")
    ]
    if classes:
        return ", ".join(classes)
    return str(facts.get("License") or "not stated").strip().split("\n")[0]


def licence_table(lock: Path) -> str:
    """The whole of docs/licences.md. Raises PackageNotFoundError for one that is not installed."""
    rows = [
        f"| {name} | {version} | {licence_of(name)} |\n"
        for name, version in sorted(locked_packages(lock).items())
    ]
    return _HEAD + "".join(rows)
