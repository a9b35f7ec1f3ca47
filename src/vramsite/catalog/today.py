"""Which day it is, for the rule that a fact cannot be from the future."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

# A clock behind the day the catalog was first collected is wrong and proves nothing.
COLLECTED = date(2026, 11, 30)


def latest_today(now: datetime | None = None) -> date:
    """The latest date that is today anywhere on Earth (UTC+14), so that no time zone matters."""
    there = (now or datetime.now(UTC)) + timedelta(hours=14)
    return max(there.date(), COLLECTED)
