from __future__ import annotations

from made_up_report import gpu, made_up_book

from vramsite.report.cards import list_price_usd
from vramsite.report.recommend import default_device, holders
from vramsite.report.related import related_devices, related_models


def street(low, high, condition):
    return {
        "low": low,
        "high": high,
        "condition": condition,
        "as_of": "2026-02",
        "source": "made up",
    }


def test_the_default_device_is_the_cheapest_with_reserve():
    # 8B at 4.8 bits are 4.5 GiB and 1.5 GiB more: the 12 GiB card for $400 is enough.
    assert default_device(made_up_book(), "small-8b") == "mid-12gb"


def test_a_larger_model_goes_to_the_next_cheapest():
    # 30B at 4.8 bits are 16.8 GiB: the shared 57.6 GiB for $2,000 beat 48 GiB for $4,000.
    assert default_device(made_up_book(), "sparse-30b") == "shared-64gb"


def test_an_announced_device_is_never_recommended():
    book = made_up_book()
    assert "soon-96gb" not in holders(book, "small-8b", limit=9)


def test_a_device_without_list_price_comes_last_however_cheap():
    book = made_up_book()
    book.catalog.gpus["grey-48gb"] = gpu(
        "grey-48gb", 48.0, None, street_usd=street(50.0, 60.0, "new")
    )
    assert holders(book, "small-8b", limit=9)[-1] == "grey-48gb"


def test_where_nothing_holds_it_the_most_memory_stands_in():
    book = made_up_book()
    large = book.catalog.models["sparse-30b"].model_copy(update={"params_total": 900_000_000_000})
    book.catalog.models["sparse-30b"] = large
    assert holders(book, "sparse-30b") == []
    assert default_device(book, "sparse-30b") == "shared-64gb"


def test_prices_new_before_list_before_used():
    assert list_price_usd(gpu("a-1gb", 1.0, 1000.0)) == 1000.0
    new = gpu("a-1gb", 1.0, 1000.0, street_usd=street(1200.0, 1400.0, "new"))
    assert list_price_usd(new) == 1300.0
    used = gpu("a-1gb", 1.0, 1000.0, street_usd=street(200.0, 400.0, "used"))
    assert list_price_usd(used) == 1000.0
    only_used = gpu("a-1gb", 1.0, None, street_usd=street(200.0, 400.0, "used"))
    assert list_price_usd(only_used) == 300.0
    assert list_price_usd(gpu("a-1gb", 1.0, None)) is None


def test_related_entries_are_others_and_not_twice():
    book = made_up_book()
    devices = related_devices(book, "small-8b", "mid-12gb")
    assert sorted(devices) == ["big-48gb", "shared-64gb", "soon-96gb"]
    assert related_models(book, "small-8b") == ["sparse-30b"]


def test_no_more_than_a_dozen_are_linked():
    book = made_up_book()
    for index in range(40):
        name = f"more-{index}gb"
        book.catalog.gpus[name] = gpu(name, 8.0 + index, 500.0 + index)
    assert len(related_devices(book, "small-8b", "mid-12gb")) == 8
