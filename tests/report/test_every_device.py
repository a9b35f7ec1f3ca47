"""A model on every device: what comes first, and nothing is lost."""

from __future__ import annotations

from made_up_report import gpu, made_up_book

from vramsite.report.every_device import SHOWN, VERDICTS, every_device


def test_holders_come_first_the_cheapest_at_the_top() -> None:
    view = every_device(made_up_book(), "small-8b")
    found = [(row.device.id, row.summary.verdict) for row in view.first]
    holding = [name for name, verdict in found if verdict in ("fits", "unified")]
    assert [name for name, _ in found][: len(holding)] == holding
    first = [row.device for row in view.first[: len(holding)]]
    prices = [card.price_usd for card in first if card.has_list_price]
    assert prices == [400.0, 2000.0, 4000.0, 100.0]  # the last is announced, not on sale


def test_no_device_is_lost_or_named_twice() -> None:
    book = made_up_book()
    for place in range(2 * SHOWN):
        name = f"more-{place}"
        book.catalog.gpus[name] = gpu(name, 12.0 + place, 500.0 + place)
    view = every_device(book, "small-8b")
    assert len(view.first) == SHOWN
    named = [row.device.id for row in view.first]
    named += [row.device.id for _, rows in view.others for row in rows]
    assert sorted(named) == sorted(book.catalog.gpus)
    assert [code for code, _ in view.others] == [
        code for code in VERDICTS if code in dict(view.others)
    ]
    assert all(row.summary.verdict == code for code, rows in view.others for row in rows)
    assert view.rows[:SHOWN] == view.first
    assert sorted(row.device.id for row in view.rows) == sorted(book.catalog.gpus)
