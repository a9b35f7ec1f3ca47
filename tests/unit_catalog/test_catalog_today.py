from __future__ import annotations

from datetime import UTC, date, datetime

from vramsite.catalog.today import latest_today


def test_the_latest_date_on_earth() -> None:
    assert latest_today(datetime(2027, 3, 1, 9, 59, tzinfo=UTC)) == date(2027, 3, 1)
    assert latest_today(datetime(2027, 3, 1, 10, 0, tzinfo=UTC)) == date(2027, 3, 2)


def test_a_clock_behind_the_catalog_is_not_believed() -> None:
    assert latest_today(datetime(1970, 1, 1, tzinfo=UTC)) == date(2026, 11, 30)
