"""Invariants of the shipped catalog: nothing got lost, everything has a source."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from vramsite.catalog import Catalog
from vramsite.catalog.check import check


def test_no_faults(data_dir: Path) -> None:
    assert [str(fault) for fault in check(data_dir)] == []


def test_counts(catalog: Catalog) -> None:
    assert len(catalog.models) >= 85
    assert len(catalog.gpus) >= 78
    assert len(catalog.offers) >= 173
    assert len({offer.provider_slug for offer in catalog.offers}) >= 18


def test_devices_that_were_never_made_have_no_page(catalog: Catalog) -> None:
    assert "mac-studio-m4-ultra-256gb" not in catalog.gpus
    assert "rtx-50-super" not in catalog.gpus


def test_announced_devices_say_so(catalog: Catalog) -> None:
    announced = {gpu.id for gpu in catalog.gpus.values() if gpu.status == "announced"}
    assert {"rubin-r200-288gb", "mi455x-432gb"} <= announced
    assert all(catalog.gpus[gpu_id].notes for gpu_id in announced)
    assert all(catalog.gpus[gpu_id].launched is None for gpu_id in announced)


def test_ids_fit_addresses(catalog: Catalog) -> None:
    for entry_id in [*catalog.models, *catalog.gpus]:
        assert re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", entry_id)


def test_every_model_names_where_it_is_from(catalog: Catalog) -> None:
    for model in catalog.models.values():
        assert model.sources.get("config"), model.id
        if model.params_total is not None:
            assert model.sources.get("params_total"), model.id


def test_models_without_an_exact_count_say_why(catalog: Catalog) -> None:
    without = [model for model in catalog.models.values() if model.params_expected is None]
    assert {model.id for model in without} <= {
        "deepseek-v4.1-flash",
        "kimi-k3.1-pro",
        "minimax-m3.1-flash",
        "mistral-large-4-1t-a52b",
    }
    assert all(model.params_check is not None for model in without)


# Published by llama.cpp's quantize documentation and repositories; each seen in two places.
@pytest.mark.parametrize(
    ("model_id", "format_name", "size"),
    [
        ("llama-3.1-8b-instruct", "Q4_K_M", 4_920_739_232),
        ("llama-3.3-70b-instruct", "Q4_K_M", 42_520_398_816),
        ("qwen3-32b", "Q8_0", 34_817_718_912),
        ("gpt-oss-120b", "MXFP4_MOE", 63_387_346_208),
        ("gemma-3-27b-it", "Q4_K_M", 16_546_688_736),
    ],
)
def test_published_files(catalog: Catalog, model_id: str, format_name: str, size: int) -> None:
    file = catalog.models[model_id].published_file(format_name)
    assert file is not None
    assert file.exact
    assert file.bytes == size


def test_parts_are_no_bigger_than_the_whole(catalog: Catalog) -> None:
    for model in catalog.models.values():
        for name, part in model.params_parts.items():
            assert part <= (model.params_total or model.params_headline_b * 1.1e9), (model.id, name)


def test_text_and_vision_add_up_where_both_are_published(catalog: Catalog) -> None:
    summed = 0
    for model in catalog.models.values():
        parts = model.params_parts
        if set(parts) >= {"text", "vision"} and model.params_expected is not None:
            if "per-layer-projection" in parts:
                continue  # the published text part leaves tables out
            whole = parts["text"] + parts["vision"] + parts.get("prediction", 0)
            assert whole == model.params_expected, model.id
            summed += 1
    assert summed >= 20


@pytest.mark.parametrize(
    ("gpu_id", "mib"),
    [("rtx-4090", 24564), ("rtx-5090", 32607), ("h100-80gb-sxm", 81559), ("t4-16gb", 15360)],
)
def test_driver_memory(catalog: Catalog, gpu_id: str, mib: int) -> None:
    assert catalog.device(gpu_id).capacity_bytes == mib * 2**20


def test_unified_machines_keep_memory_for_the_system(catalog: Catalog) -> None:
    for gpu in catalog.gpus.values():
        if gpu.kind == "unified":
            device = catalog.device(gpu.id)
            assert device.usable_bytes is not None
            assert device.usable_bytes < gpu.memory_gb * 2**30, gpu.id


def test_devices_without_bandwidth_are_known(catalog: Catalog) -> None:
    without = {gpu.id for gpu in catalog.gpus.values() if gpu.bandwidth_gb_s is None}
    assert without == {"cambricon-mlu590-80gb", "kunlunxin-p800"}


def test_matrix_rates_rise_with_narrower_types(catalog: Catalog) -> None:
    for gpu in catalog.gpus.values():
        rates = gpu.tflops
        if rates.bf16 is not None and rates.fp8 is not None:
            assert rates.fp8 >= rates.bf16, gpu.id
        if rates.fp8 is not None and rates.fp4 is not None:
            assert rates.fp4 >= rates.fp8, gpu.id


def test_families_hold_one_vendor(catalog: Catalog) -> None:
    vendors: dict[str, set[str]] = {}
    for gpu in catalog.gpus.values():
        vendors.setdefault(gpu.family, set()).add(gpu.vendor)
    assert {family for family, found in vendors.items() if len(found) > 1} <= {"other-cn"}


def test_offers_name_known_devices_at_sane_prices(catalog: Catalog) -> None:
    for offer in catalog.offers:
        assert offer.gpu in catalog.gpus
        assert 0.01 < offer.usd_per_hour / offer.gpu_count < 30, offer


def test_block_types_are_those_of_gguf(catalog: Catalog) -> None:
    gguf = pytest.importorskip("gguf")
    sizes = {kind.name: size for kind, size in gguf.GGML_QUANT_SIZES.items()}
    for name, block in catalog.block_types.items():
        assert (block.elements, block.bytes) == sizes[name], name


def test_headline_formats(catalog: Catalog) -> None:
    headline = [item.name for item in catalog.formats.values() if item.headline]
    wanted = {"BF16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K"}
    assert wanted <= set(headline)
    gguf = [catalog.formats[name] for name in headline if name in wanted]
    bits = [item.nominal_bits for item in gguf]
    assert bits == sorted(bits, reverse=True)


def test_every_family_of_formats_has_an_engine(catalog: Catalog) -> None:
    loaded = {family for engine in catalog.engines.values() for family in engine.formats}
    assert {item.family for item in catalog.formats.values()} <= loaded


def test_every_back_end_of_a_device_has_an_engine(catalog: Catalog) -> None:
    known = {backend for engine in catalog.engines.values() for backend in engine.backends}
    for gpu in catalog.gpus.values():
        assert set(gpu.backends) <= known, gpu.id


def test_text_names_no_working_notes(data_dir: Path) -> None:
    # What was only said between collectors has no place on a page.
    pattern = re.compile(r"find_string|text index|GitHub-index|\bids? \d{9,}", re.IGNORECASE)
    files = [*data_dir.rglob("*.yaml"), *data_dir.glob("measurements/*.csv")]
    found = Counter(path.name for path in files if pattern.search(path.read_text("utf-8")))
    assert not found


def test_recipes_and_formats_agree_on_blocks(catalog: Catalog, data_dir: Path) -> None:
    recipes = yaml.safe_load((data_dir / "quant_recipes.yaml").read_text("utf-8"))
    both = [name for name in recipes["blocks"] if name in catalog.block_types]
    assert len(both) > 15
    for name in both:
        block = catalog.block_types[name]
        assert recipes["blocks"][name][:2] == [block.elements, block.bytes], name
