"""The base of all catalog records, and the value types they share."""

from __future__ import annotations

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


def first_day(partial: str) -> date:
    """First day of `2026`, `2026-11` or `2026-11-05`. Raises ValueError for what is no date."""
    parts = [int(part) for part in partial.split("-")]
    return date(parts[0], parts[1] if len(parts) > 1 else 1, parts[2] if len(parts) > 2 else 1)


def _as_date(value: Any) -> Any:
    if isinstance(value, str):
        return date.fromisoformat(value)
    return value


def _as_text(value: Any) -> Any:
    # A year alone is a number in YAML.
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value


SLUG = r"^[a-z0-9]+(?:[.-][a-z0-9]+)*$"

Slug = Annotated[str, Field(pattern=SLUG, max_length=80)]
Text = Annotated[str, Field(min_length=1, max_length=8000)]
Label = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^<>\n\r\t]+$")]
HfRepo = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$", max_length=120)]
HttpsUrl = Annotated[str, Field(pattern=r"^https://[^\s<>\"'\\]+$", max_length=500)]
FormatName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=40)]
PartialDate = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$"),
    AfterValidator(_partial_date),
]
IsoDate = Annotated[date, BeforeValidator(_as_date)]
Positive = Annotated[float, Field(gt=0, lt=2**53)]
Count = Annotated[int, Field(gt=0, lt=2**53)]
Sources = dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Text]
