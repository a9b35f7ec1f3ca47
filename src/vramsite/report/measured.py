"""Published measurements of one stream on one device, for the device's page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.catalog.measurements import measurements

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow

PARTIAL_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
ADDRESS = re.compile(r"https://([A-Za-z0-9.-]+)(?:/[^\s<>\"'()]*)?")
SHOWN = 30
SHOWN_A_MODEL = 2


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One published output speed; `context_tokens` were in the cache before it, None: not said.

    `model_name` is the catalog's name, or the published one of a model that it does not have.
    """

    model_id: str | None
    model_name: str
    format: str | None
    engine: str
    context_tokens: float | None
    decode_tps: float
    url: str | None
    host: str | None
    date: str | None


@dataclass(frozen=True, slots=True)
class Measured:
    """The rows a page shows, and how many there are in all."""

    rows: list[MeasuredRow]
    count: int


def comparable(row: MeasurementRow) -> bool:
    """One stream on one device, wholly in its memory, without drafting, and not in doubt."""
    return (
        row.usable
        and row.gpu_count == 1
        and row.batch in (None, 1.0)
        and not row.speculative
        and row.offload == "none"
        and row.per in ("total", "per_user")
    )


def address(source: str) -> tuple[str, str] | tuple[None, None]:
    """The link that a source begins with, and its host; None for none that is safe to set."""
    link = ADDRESS.match(source)
    return (link[0], link[1]) if link else (None, None)


def published_date(text: str | None) -> str | None:
    """A year, month or day; None where the row says none, or a span."""
    return text if text and PARTIAL_DATE.fullmatch(text) else None


def measured_by_device(catalog: Catalog) -> dict[str, Measured]:
    """What the catalog has measured on each device, models by name, each with its first rows."""
    found: dict[str, list[MeasuredRow]] = {}
    for row in measurements(catalog.data_dir):
        if row.gpu_id is None or row.metric != "decode_tps" or not comparable(row):
            continue
        url, host = address(row.source)
        model = catalog.models.get(row.model_id) if row.model_id else None
        found.setdefault(row.gpu_id, []).append(
            MeasuredRow(
                model_id=model.id if model else None,
                model_name=model.name if model else row.model_name,
                format=row.quant,
                engine=row.engine,
                context_tokens=row.context_tokens,
                decode_tps=row.value,
                url=url,
                host=host,
                date=published_date(row.date),
            )
        )
    return {gpu_id: _chosen(rows) for gpu_id, rows in found.items()}


def _chosen(rows: list[MeasuredRow]) -> Measured:
    """Models of the catalog first; of each model the rows with the shortest context."""
    ordered = sorted(
        rows,
        key=lambda row: (
            row.model_id is None,
            row.model_name.casefold(),
            row.context_tokens or 0.0,
            row.format or "",
            -row.decode_tps,
        ),
    )
    shown: list[MeasuredRow] = []
    times: dict[str, int] = {}
    for row in ordered:
        times[row.model_name] = times.get(row.model_name, 0) + 1
        if times[row.model_name] <= SHOWN_A_MODEL and len(shown) < SHOWN:
            shown.append(row)
    return Measured(shown, len(rows))
