from __future__ import annotations

from made_up_report import gpu, made_up_book

from vramsite.report.makers import family_view, maker_view, makers


def two_makers():
    book = made_up_book()
    book.catalog.gpus["bolt-24gb"] = gpu(
        "bolt-24gb", 24.0, 700.0, vendor="Bolt", vendor_slug="bolt"
    )
    for model_id, released in (("small-8b", "2026-05"), ("sparse-30b", "2026-07")):
        book.catalog.models[model_id] = book.catalog.models[model_id].model_copy(
            update={"name": f"Acme 3 {model_id}", "released": released}
        )
    return book


def test_a_maker_of_both_has_one_page_with_models_newest_first():
    book = two_makers()
    assert list(makers(book.catalog)) == ["acme", "bolt"]
    view = maker_view(book, "acme")
    assert [entry.model.id for entry in view.models] == ["sparse-30b", "small-8b"]
    assert [card.id for card in view.devices] == [
        "mid-12gb",
        "big-48gb",
        "shared-64gb",
        "soon-96gb",
    ]
    assert [family.slug for family in view.families] == ["acme-3"]


def test_a_maker_of_devices_alone():
    view = maker_view(two_makers(), "bolt")
    assert (view.models, view.families) == ([], [])


def test_a_family_is_listed_by_size_with_its_span():
    view = family_view(two_makers(), "acme-3")
    assert [entry.model.id for entry in view.models] == ["small-8b", "sparse-30b"]
    # 4.8 bits a weight, 1 GiB of cache and half a GiB of buffers.
    assert view.least_bytes == 4.8e9 + 1.5 * 2**30
    assert view.most_bytes == 18e9 + 1.5 * 2**30
