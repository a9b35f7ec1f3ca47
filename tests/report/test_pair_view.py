from __future__ import annotations

import pytest
from made_up_report import GIB, made_up_book

from vramsite.report.bars import WIDTH, draw
from vramsite.report.choices import curve_contexts, short_context
from vramsite.report.device import device_view
from vramsite.report.hubs import home_view, model_entries
from vramsite.report.model import model_view
from vramsite.report.pair import pair_view


def test_a_pair_that_fits():
    view = pair_view(made_up_book(), "small-8b", "mid-12gb")
    assert view.size.fit.verdict == "fits"
    assert view.holds
    assert not view.hopeless
    assert view.missing_bytes is None
    # 8e9 weights of 4.8 bits, 1 GiB of cache, half a GiB of buffers
    assert view.needed_bytes == 4.8e9 + 1.5 * GIB
    assert view.long_needed_bytes == 4.8e9 + 4.5 * GIB


def test_a_pair_that_needs_offload():
    view = pair_view(made_up_book(), "sparse-30b", "mid-12gb")
    assert view.size.fit.verdict == "offload"
    assert not view.holds
    assert view.missing_bytes == pytest.approx(18e9 + 1.5 * GIB - 12 * GIB)
    assert [segment.name for segment in view.bar.segments][-1] == "host"


def test_the_cache_note_counts_34_bytes_for_32_values():
    note = pair_view(made_up_book(), "small-8b", "mid-12gb").notes.cache
    assert note.long_bytes == 4 * GIB
    assert note.q8_bytes == 2.125 * GIB
    assert note.q8_saved_bytes == 1.875 * GIB
    assert note.growth_bytes == 3 * GIB
    assert note.token_bytes == 32 * 4096


def test_formats_come_from_large_to_small_and_the_best_is_the_largest_that_fits():
    view = pair_view(made_up_book(), "small-8b", "mid-12gb")
    assert [row.format for row in view.formats] == [
        "BF16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K",
    ]  # fmt: skip
    assert view.formats[0].native
    assert view.best_format is not None
    assert view.best_format.format == "Q8_0"  # 7.9 + 1.5 of 12 GiB; BF16 alone is 14.9
    assert view.formats[1].bits_per_weight == 8.5


def test_a_format_names_the_cheapest_device_that_holds_it():
    rows = pair_view(made_up_book(), "small-8b", "big-48gb").formats
    assert {row.format: row.device_id for row in rows}["Q8_0"] == "mid-12gb"
    assert {row.format: row.device_id for row in rows}["BF16"] == "shared-64gb"


def test_the_curve_keeps_the_weights_and_ends_at_the_models_limit():
    book = made_up_book()
    curve = pair_view(book, "small-8b", "mid-12gb").curve
    assert [row.context_tokens for row in curve] == [4096, 8192, 16384, 32768, 65536, 131072]
    # what is not cache: weights of 4.8 bits and half a GiB of buffers
    assert {row.needed_bytes - row.cache_bytes for row in curve} == {4.8e9 + 0.5 * GIB}
    assert [row.verdict for row in curve][-2:] == ["offload", "offload"]
    short = book.catalog.models["small-8b"].model_copy(update={"context_max_tokens": 40960})
    assert curve_contexts(short) == [4096, 8192, 16384, 32768, 40960]
    tiny = short.model_copy(update={"context_max_tokens": 2048})
    assert curve_contexts(tiny) == [2048]
    assert short_context(tiny) == 2048


def test_links_lead_to_other_pairs():
    view = pair_view(made_up_book(), "small-8b", "mid-12gb")
    assert all(summary.model_id == "small-8b" for summary in view.other_devices)
    assert all(summary.gpu_id == "mid-12gb" for summary in view.other_models)


def test_a_bar_adds_up_and_marks_the_limit():
    bar = draw([("weights", 3.0), ("kv_cache", 3.0), ("host", 3.0)], 4.5, 9.0)
    assert [(s.x, s.width) for s in bar.segments] == [(0, 300), (300, 300), (600, 300)]
    assert bar.limit_x == WIDTH // 2
    assert draw([("weights", 0.0)], None, 1.0).segments == ()
    assert draw([("weights", 1.0)], 8.0, 4.0).limit_x == WIDTH


def test_the_model_page_lists_every_device_once():
    view = model_view(made_up_book(), "small-8b")
    assert [row.device.id for row in view.devices.rows] == [
        "mid-12gb", "shared-64gb", "big-48gb", "soon-96gb",
    ]  # fmt: skip
    assert view.pair.device.id == "mid-12gb"
    assert view.holds


def test_the_device_page_lists_every_model_and_numbers_its_sources():
    view = device_view(made_up_book(), "shared-64gb")
    assert [row.model.id for row in view.models] == ["sparse-30b", "small-8b"]
    assert view.holds_count == 2
    assert view.usable.capacity_bytes == 64 * GIB
    assert view.usable.usable_bytes == pytest.approx(57.6 * GIB)
    for fact in view.facts:
        assert fact.source is None or 1 <= fact.source <= len(view.sources)


def test_the_lists_hold_everything():
    book = made_up_book()
    assert [entry.model.id for entry in model_entries(book)] == ["small-8b", "sparse-30b"]
    home = home_view(book)
    assert (home.model_count, home.device_count, home.pair_count) == (2, 4, 8)
    assert [group.memory_gb for group in home.classes] == [12.0, 48.0, 64.0, 96.0]
