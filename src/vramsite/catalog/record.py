"""The base of all catalog records, and the value types they share."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Record(BaseModel):
    """Frozen, strict (no text for a number), and without unknown keys."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, protected_namespaces=()
    )


def _partial_date(text: str) -> str:
    first_day(text)
    return text


_PARTIAL = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")


def first_day(partial: str) -> date:
    """First day of `2026`, `2026-11` or `2026-11-05`. Raises ValueError for what is no date."""
    found = _PARTIAL.fullmatch(partial)
    if found is None:
        raise ValueError("must be a date such as 2026-11-05")
    year, month, day = found.groups(default="1")
    return date(int(year), int(month), int(day))


def _as_date(value: Any) -> Any:
    # Python reads further forms, such as 2026-W45-4, that nobody else would.
    if isinstance(value, str):
        if len(value) != len("2026-11-05"):
            raise ValueError("must be a date such as 2026-11-05")
        return first_day(value)
    return value


def _as_text(value: Any) -> Any:
    # A year alone is a number in YAML.
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


# What programs write where they had nothing to write; on a page it would pass for a value.
_NOTHING = frozenset(  # `none` is a word; with a dot they are YAML's numbers that are none
    {"nan", "NaN", "None", "null", "undefined", "inf", "-inf", "Infinity", "-Infinity"}
    | {".nan", ".NaN", ".NAN", ".inf", ".Inf", "-.inf"}
)


def _says_something(text: str) -> str:
    if text.strip() in _NOTHING:
        raise ValueError("says nothing; write what is meant, or take it out where it is not known")
    return text


SLUG = r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$"

Slug = Annotated[str, Field(pattern=SLUG, max_length=80)]
Text = Annotated[
    str, Field(min_length=1, max_length=8000, pattern=r"\S"), AfterValidator(_says_something)
]
Notes = Annotated[str, Field(max_length=8000), AfterValidator(_says_something)]
Label = Annotated[
    str,
    Field(min_length=1, max_length=120, pattern=r"^[^\s<>](?:[^<>\n\r\t]*[^\s<>])?$"),
    AfterValidator(_says_something),
]
_REPO = r"^[A-Za-z0-9][A-Za-z0-9_.-]*/[A-Za-z0-9][A-Za-z0-9_.-]*$"
HfRepo = Annotated[str, Field(pattern=_REPO, max_length=120)]
# A plain host, so that no name before an @ can pass for it.
_HTTPS = (
    r"^https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
    r"(?:[/?#][^\s<>\"'\\]*)?$"
)
HttpsUrl = Annotated[str, Field(pattern=_HTTPS, max_length=500)]
FormatName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=40)]
_PARTIAL_DATE = r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"
PartialDate = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(pattern=_PARTIAL_DATE),
    AfterValidator(_partial_date),
]
IsoDate = Annotated[date, BeforeValidator(_as_date)]
# Below this no quantity of ours is a quantity: a slip, and a number that no page could print.
LEAST = 1e-12
Positive = Annotated[float, Field(gt=0, ge=LEAST, lt=2**53)]
Count = Annotated[int, Field(gt=0, lt=2**53)]
Sources = Annotated[
    dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)], Text],
    Field(max_length=100),
]

FORMS = {
    SLUG: "must be an id: lower-case letters, digits, '.' and '-', such as rtx-4090",
    _REPO: "must look like owner/name",
    _HTTPS: "must be an address that begins with https://",
    _PARTIAL_DATE: "must be a date such as 2026, 2026-11 or 2026-11-05",
}
"""What to write for the patterns above."""
