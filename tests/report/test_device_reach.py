from __future__ import annotations

from dataclasses import replace

from made_up_report import made_up_book

from vramsite.report.device_reach import device_reach


def cells(book, gpu_id):
    table = device_reach(book, gpu_id)
    return {(row.bits, cell.context_tokens): cell for row in table.rows for cell in row.cells}


def test_the_largest_model_held_at_each_width():
    found = cells(made_up_book(), "big-48gb")
    # 30B: 16.8 GiB at 4.8 bits, 29.7 GiB at 8.5 bits, 55.9 GiB at 16 bits; 8B: 14.9 GiB at 16 bits.
    assert found[4, 8192].largest.model.id == "sparse-30b"
    assert found[8, 8192].largest.model.id == "sparse-30b"
    assert found[16, 8192].largest.model.id == "small-8b"
    assert [found[bits, 8192].count for bits in (4, 8, 16)] == [2, 2, 1]


def test_a_longer_context_leaves_less_room():
    # At 128K the cache of 16 GiB leaves no reserve beside 29.7 GiB of weights in 48 GiB.
    found = cells(made_up_book(), "big-48gb")
    assert found[8, 131072].largest.model.id == "small-8b"


def test_addresses_name_what_differs_from_the_pages_defaults():
    found = cells(made_up_book(), "big-48gb")
    assert found[4, 8192].largest.query == ""
    assert found[4, 32768].largest.query == "?c=32768"
    assert found[8, 32768].largest.query == "?f=Q8_0&c=32768"


def test_models_that_do_not_take_the_context_are_left_out():
    book = made_up_book()
    for model_id, model in book.catalog.models.items():
        book.catalog.models[model_id] = model.model_copy(update={"context_max_tokens": 16384})
    found = cells(book, "big-48gb")
    assert (found[4, 8192].count, found[4, 32768].count) == (2, 0)


def test_a_file_that_stays_in_four_bits_is_no_sixteen_bit_model():
    book = made_up_book()
    whole = book.sizes.load

    def load(model_id, settings):
        name = "Q4_K_M" if model_id == "small-8b" else settings.format
        return whole(model_id, replace(settings, format=name))

    book.sizes.load = load
    assert cells(book, "big-48gb")[16, 8192].count == 0


def test_the_largest_quick_model_is_named_beside_a_slow_one():
    # 500 GB/s over 4.8 GB and 18 GB of weights: 104 and 27.8 tok/s; 17 GB at 8.5 bits less.
    found = cells(made_up_book(), "big-48gb")
    assert found[4, 8192].quick is None
    slow = found[8, 8192]
    # 500e9 / (30e9 x 8.5 / 8) = 15.7 tok/s
    assert slow.largest.model.id == "sparse-30b"
    assert slow.quick.model.id == "small-8b"
