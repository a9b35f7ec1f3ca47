from __future__ import annotations

from dataclasses import replace

import pytest
from made_up_report import architecture, gpu, made_up_book

from vramsite.report.device_classes import KINDS, device_classes, speed_over_context
from vramsite.report.families import families, family_name, siblings, slug_of
from vramsite.report.layers_view import Stretch, layers_view, pattern
from vramsite.sizing.records import LayerGroup, Tensor


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen3 30B-A3B Instruct 2507", "Qwen3"),
        ("Qwen3 Coder Next 80B-A3B", "Qwen3"),
        ("Llama 3.1 405B Instruct", "Llama 3.1"),
        ("GLM-4.5 Air (110B-A12B)", "GLM-4.5"),
        ("GLM-4 32B-0414", "GLM-4"),
        ("gpt-oss-120b", "gpt-oss"),
        ("Mixtral 8x22B Instruct", "Mixtral"),
        ("Hunyuan A13B Instruct (80B)", "Hunyuan"),
        ("DeepSeek V3-0324 671B", "DeepSeek V3"),
        ("Mistral Small 3.2 24B", "Mistral Small 3.2"),
    ],
)
def test_a_family_is_the_name_up_to_its_version(name, family):
    assert family_name(name) == family


def test_an_address_of_a_family_is_plain():
    assert slug_of("GLM-4.5") == "glm-4.5"
    assert slug_of("Cohere Command A") == "cohere-command-a"


def test_siblings_are_the_rest_of_the_family_by_size():
    book = made_up_book()
    for model_id, name in (("small-8b", "Acme 3 8B"), ("sparse-30b", "Acme 3 30B-A3B")):
        book.catalog.models[model_id] = book.catalog.models[model_id].model_copy(
            update={"name": name}
        )
    assert families(book.catalog.models)["acme-3"].model_ids == ("small-8b", "sparse-30b")
    (other,) = siblings(book, "sparse-30b")
    # 8B x 4.8 bits / 8 + 8,192 tokens x 32 layers x 4 KiB + 0.5 GiB
    assert other.needed_bytes == 4.8e9 + 2.0**30 + 2.0**29


def test_one_full_layer_after_five_windows():
    letters = [*"AAAAAB" * 10, "A", "A"]
    assert pattern(letters) == [Stretch((("A", 5), ("B", 1)), 10), Stretch((("A", 2),), 1)]


def test_two_patterns_in_a_row():
    letters = [*"AB" * 4, *"CCD" * 3]
    assert pattern(letters) == [
        Stretch((("A", 1), ("B", 1)), 4),
        Stretch((("C", 2), ("D", 1)), 3),
    ]


def test_no_pattern_is_told_as_runs():
    assert pattern([*"AAAB"]) == [Stretch((("A", 3), ("B", 1)), 1)]


def test_layers_know_what_they_cache_and_their_feed_forward():
    window = LayerGroup(kind="window", count=3.0, k_width=64.0, v_width=32.0, window_tokens=128.0)
    full = LayerGroup(kind="full", count=1.0, k_width=64.0, v_width=64.0)
    arch = replace(
        architecture(experts=16.0),
        groups=[window, full],
        layer_order=[0.0, 0.0, 0.0, 1.0],
        layer_count=4.0,
        tensors=[
            Tensor(role="a", tensor_class="dense_ffn", row_width=1.0, layers=[0.0]),
            Tensor(role="b", tensor_class="routed_experts", row_width=1.0, layers=[1.0, 2.0, 3.0]),
        ],
    )
    view = layers_view(arch)
    assert [(kind.letter, kind.places, kind.values) for kind in view.kinds] == [
        ("A", (0, 1, 2), 96),
        ("B", (3,), 128),
    ]
    assert [(part.kind, part.places) for part in view.feed_forward] == [
        ("dense", (0,)),
        ("experts", (1, 2, 3)),
    ]


def test_the_smallest_device_of_each_class_that_holds_a_format():
    rows = {row.format: row for row in device_classes(made_up_book(), "small-8b")}
    # BF16 is 16 GB and 1.5 GiB more: too much for 12 GiB, not for 48 GiB.
    found = dict(zip(KINDS, rows["BF16"].smallest, strict=True))
    assert {kind: card.id if card else None for kind, card in found.items()} == {
        "consumer": "big-48gb",
        "workstation": None,
        "datacenter": None,
        "unified": "shared-64gb",
    }
    assert rows["Q4_K_M"].smallest[0].id == "mid-12gb"


def test_of_devices_with_the_same_memory_the_cheaper_is_named():
    book = made_up_book()
    book.catalog.gpus["cheap-12gb"] = gpu("cheap-12gb", 12.0, 300.0)
    rows = {row.format: row for row in device_classes(book, "small-8b")}
    assert rows["Q4_K_M"].smallest[0].id == "cheap-12gb"


def test_speed_is_asked_at_every_context_of_the_chart():
    points = speed_over_context(made_up_book(), "small-8b", "mid-12gb")
    assert [point.context_tokens for point in points] == [4096, 8192, 16384, 32768, 65536, 131072]
    # 4.8 GB of weights in 12 GiB: at 128K the cache of 16 GiB no longer fits.
    assert [points[0].verdict, points[-1].verdict] == ["fits", "offload"]
