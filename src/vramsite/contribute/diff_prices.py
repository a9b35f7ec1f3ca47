"""Which cloud prices change. Names of instances are free texts and stay out of the report: it is
posted as Markdown, and whoever opens a pull request may write them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_ROWS = 40


@dataclass(frozen=True, slots=True)
class PriceChange:
    """An offer that is new, gone or costs otherwise; USD an hour, None where it is not there."""

    provider: str
    gpu_id: str
    before: float | None
    after: float | None
    as_of: str  # day of the new price, or of the one that is gone
    same_day: bool  # the price changed and its day did not


def price_changes(before: dict[str, Any], after: dict[str, Any]) -> list[PriceChange]:
    """The difference of the `offers` of two snapshots, by provider and device."""
    changes = []
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        last = now if now is not None else before[key]
        provider, gpu_id = key.split(" ")[:2]
        changes.append(
            PriceChange(
                provider=provider,
                gpu_id=gpu_id,
                before=was and was["usd_per_hour"],
                after=now and now["usd_per_hour"],
                as_of=last["as_of"],
                same_day=bool(was and now and was["as_of"] == now["as_of"]),
            )
        )
    return changes


def price_table(changes: list[PriceChange]) -> list[str]:
    """The changes as lines of Markdown."""
    if not changes:
        return []
    lines = [
        "",
        "| | provider | device | USD an hour before | after | as of |",
        "|---|---|---|---:|---:|---|",
    ]
    for change in changes[:MOST_ROWS]:
        mark = "new" if change.before is None else "gone" if change.after is None else ""
        if change.same_day:
            mark = "⚠ `as_of` is as before"
        lines.append(
            f"| {mark} | {change.provider} | {change.gpu_id} | {_usd(change.before)} | "
            f"{_usd(change.after)} | {change.as_of} |"
        )
    if len(changes) > MOST_ROWS:
        lines.append(f"| | and {len(changes) - MOST_ROWS} more prices | | | | |")
    return lines


def _usd(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4g}"
