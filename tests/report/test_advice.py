from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from made_up_money import ASSUMED
from made_up_report import gpu, made_up_book

from vramsite.report.advice import advice


def by_role(found):
    return {role: pick for pick in found.picks for role in pick.roles}


def priced(book, gpu_id, bandwidth, msrp, **street):
    changes = {"bandwidth_gb_s": bandwidth}
    if street:
        changes["street_usd"] = {"as_of": "2026-02", "source": "made up"} | street
    book.catalog.gpus[gpu_id] = gpu(gpu_id, 24.0, msrp, **changes)


def test_the_best_value_takes_the_used_price_with_its_date():
    book = made_up_book()
    priced(book, "used-24gb", 500.0, 1500.0, low=250.0, high=350.0, condition="used")
    value = by_role(advice(book, "small-8b"))["value"].machine
    assert (value.device.id, value.usd) == ("used-24gb", 300.0)
    assert (value.price.condition, value.price.as_of) == ("used", "2026-02")


def test_one_machine_with_two_roles_is_named_once():
    found = advice(made_up_book(), "small-8b")
    assert len({pick.machine.device.id for pick in found.picks}) == len(found.picks)
    assert sorted(role for pick in found.picks for role in pick.roles) == [
        "fastest",
        "unified",
        "value",
    ]


def test_best_value_is_never_dearer_than_the_fastest():
    for model_id in ("small-8b", "sparse-30b"):
        roles = by_role(advice(made_up_book(), model_id))
        assert roles["value"].machine.usd <= roles["fastest"].machine.usd


def test_a_dearer_machine_says_what_it_is_dearer_than():
    book = made_up_book()
    book.catalog.gpus["shared-64gb"] = gpu(
        "shared-64gb", 64.0, 9000.0, kind="unified", backends=["metal"], bandwidth_gb_s=100.0
    )
    unified = by_role(advice(book, "small-8b"))["unified"]
    assert unified.machine.usd == 9000.0
    # All cards are equally fast: the cheaper of them is the fastest one named.
    assert unified.dearer_than is not None
    assert unified.dearer_than.id == "mid-12gb"


def test_an_announced_device_is_not_recommended():
    picks = advice(made_up_book(), "small-8b").picks
    assert "soon-96gb" not in {pick.machine.device.id for pick in picks}


def test_without_assumptions_about_money_nothing_is_rented():
    assert advice(made_up_book(), "small-8b").offer is None


def test_slow_machines_are_no_value_where_a_quicker_one_is_priced():
    book = made_up_book()
    quick = replace(book.summary("small-8b", "big-48gb").decode, value=50.0)
    slow = replace(quick, value=19.0)
    summaries = {
        "big-48gb": replace(book.summary("small-8b", "big-48gb"), decode=quick),
        "mid-12gb": replace(book.summary("small-8b", "mid-12gb"), decode=slow),
        "shared-64gb": replace(book.summary("small-8b", "shared-64gb"), decode=slow),
    }
    book.summary = lambda model_id, gpu_id: summaries[gpu_id]
    del book.catalog.gpus["soon-96gb"]
    # Without a least speed $400 / 19 tok/s beats $4,000 / 50 tok/s.
    assert by_role(advice(book, "small-8b"))["value"].machine.device.id == "mid-12gb"
    book.memo.clear()
    book.catalog.assumptions.money = ASSUMED
    book.money_facts = lambda: SimpleNamespace(hosted_api=SimpleNamespace(rows=[]))
    found = by_role(advice(book, "small-8b"))
    assert found["value"].machine.device.id == "big-48gb"
    assert found["unified"].machine.device.id == "shared-64gb"
