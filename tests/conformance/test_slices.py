"""The data of a page: within its budget, and the same answers as the pages print."""

from __future__ import annotations

import gzip

import pytest
from ground_truth import Ground

from vramsite.report.choices import page_settings
from vramsite.report.sizer import Sizer
from vramsite.site.engine_js.data import SliceMaker, slice_bytes, slice_files
from vramsite.sizing.answer import answer, loaded_file, weights_of
from vramsite.sizing.errors import SizingError
from vramsite.sizing.packed_weights import find_packed, unpacked

PAGE_BUDGET_BYTES = 15 * 1024


def packed(content: bytes) -> int:
    return len(gzip.compress(content, 9))


def test_a_pages_data_is_within_its_budget(ground: Ground) -> None:
    sizes = {name: packed(content) for name, content in slice_files(ground.maker)}
    largest = {
        kind: max(size for name, size in sizes.items() if name.startswith(kind))
        for kind in ("rules", "models/", "devices/")
    }
    assert sum(largest.values()) <= PAGE_BUDGET_BYTES, largest


def test_slices_are_the_same_whenever_they_are_made(ground: Ground) -> None:
    again = SliceMaker(ground.catalog, ground.rules.engine)
    for model_id in list(ground.catalog.models)[::9]:
        assert slice_bytes(again.model(model_id)) == slice_bytes(ground.maker.model(model_id))
    assert slice_bytes(again.rules()) == slice_bytes(ground.rules)


@pytest.mark.parametrize("format_name", ["Q4_K_M", "Q8_0", "FP8"])
def test_slices_answer_what_the_pages_print(ground: Ground, format_name: str) -> None:
    sizer = Sizer(ground.catalog)
    compared = 0
    for place, model_id in enumerate(ground.catalog.models):
        gpu_id = list(ground.catalog.gpus)[place * 5 % len(ground.catalog.gpus)]
        settings = page_settings(ground.catalog.gpus[gpu_id], format_name=format_name)
        model = ground.maker.model(model_id)
        try:
            whole = loaded_file(
                ground.rules, weights_of(ground.rules, model, format_name), settings
            )
        except SizingError:
            continue
        found = answer(ground.rules, model, whole, ground.maker.device(gpu_id))
        assert found == sizer.size(model_id, gpu_id, settings)
        compared += 1
    assert compared > len(ground.catalog.models) / 2


def test_the_list_of_all_models_has_the_weights_of_the_slices(ground: Ground) -> None:
    for model_id in list(ground.catalog.models)[::6]:
        whole, brief = ground.maker.model(model_id), ground.maker.brief(model_id)
        assert 0 < len(brief.files) < len(whole.files)
        for entry in brief.files:
            found = find_packed(brief.packed, entry.recipe, False)
            expected = find_packed(whole.packed, entry.recipe, False)
            assert found is not None
            assert expected is not None
            assert unpacked(brief.packed, found) == unpacked(whole.packed, expected)
