"""data/site.yaml: what the operator of a site says of it. Optional, as is each of its keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SITE_FILE = "site.yaml"
# RFC 9116: an address of web, mail or telephone; here without anything that could end its line.
_CONTACT = re.compile(r"(?:https://|mailto:[^@\s]+@|tel:\+?[0-9-])[!-~]+")


class SiteFileError(ValueError):
    """A file that cannot be used; the message says what to change."""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The keys of the file; "" where one is not set."""

    base_url: str = ""
    security_contact: str = ""


def read_site_file(data_dir: Path) -> SiteFile:
    """What the file says; nothing where there is none. Raises SiteFileError."""
    path = data_dir / SITE_FILE
    if not path.is_file():
        return SiteFile()
    from vramsite.catalog.rule_yaml import RuleFileError, read_rules  # late: few sites have one

    try:
        content: dict[str, Any] = read_rules(path)
    except RuleFileError as error:
        raise SiteFileError(f"{path}: {error.message}") from error
    if not set(content) <= {"base_url", "security_contact"} or not all(
        isinstance(value, str) for value in content.values()
    ):
        raise SiteFileError(
            f"{path}: may hold base_url: https://host/ and security_contact: mailto:name@host, "
            "nothing else"
        )
    found = SiteFile(**content)
    if found.security_contact and not _CONTACT.fullmatch(found.security_contact):
        raise SiteFileError(
            f"{path}: security_contact: write mailto:name@host, tel:+1-… or the https:// address "
            "of a page that says whom to tell"
        )
    return found
