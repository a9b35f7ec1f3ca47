"""Weights of measurement rows: by format, by file size, by nominal bits."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, MeasurementRow, load_catalog
from vramsite.evidence.row_weights import WeightSource, bits_of_name

DATA = Path(__file__).parents[2] / "data"
FLOOR_BITS = 6.5


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


@pytest.fixture(scope="module")
def source() -> WeightSource:
    return WeightSource(DATA.resolve(), FLOOR_BITS)


def row(**more: object) -> MeasurementRow:
    values = dict.fromkeys(field.name for field in fields(MeasurementRow))
    return MeasurementRow(**{**values, "engine": "llama.cpp", **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "bits"), [("DS4-Q2", 2.6), ("DS4-Q4", 4.6), ("AWQ-INT4", None), ("", None)]
)
def test_bits_that_a_name_promises(name: str, bits: float | None) -> None:
    assert bits_of_name(name) == bits


def test_a_published_file_scales_all_weights(catalog: Catalog, source: WeightSource) -> None:
    # Llama 3.1 8B in Q4_K_M is a file of 4,920,734,656 bytes;
    # one a tenth larger reads a tenth more.
    arch = catalog.architecture("llama-3.1-8b-instruct")
    plain = source.find("llama-3.1-8b-instruct", arch, row(quant="Q4_K_M"))
    bigger = source.find(
        "llama-3.1-8b-instruct", arch, row(quant="Q4_K_M", weights_bytes=1.1 * 4_920_734_656)
    )
    assert plain is not None
    assert bigger is not None
    assert plain.dense_scale == 1.0
    assert plain.weights.file_bytes == pytest.approx(4_920_734_656, rel=0.002)
    assert bigger.dense_scale == pytest.approx(1.1, rel=0.002)


def test_files_of_few_bits_take_them_from_the_experts(
    catalog: Catalog, source: WeightSource
) -> None:
    model = "qwen3-30b-a3b-instruct-2507"
    arch = catalog.architecture(model)
    found = source.find(model, arch, row(quant="UD-Q2_K_XL", bits_per_weight=3.0))
    assert found is not None
    weights = found.weights
    rest = (weights.file_bytes - weights.routed_bytes) * found.dense_scale
    routed = weights.routed_bytes * found.routed_scale
    assert rest + routed == pytest.approx(weights.parameters * 3.0 / 8.0)
    # Attention, embeddings and head of this model are about 1.54 of 30.53 billion weights.
    assert rest * 8.0 / 1.54e9 == pytest.approx(FLOOR_BITS, rel=0.02)


def test_checkpoints_of_other_engines_keep_the_head_at_16_bits(
    catalog: Catalog, source: WeightSource
) -> None:
    arch = catalog.architecture("qwen3-8b")
    found = source.find("qwen3-8b", arch, row(quant="AWQ-INT4", engine="vllm"))
    assert found is not None
    # 6.95 billion weights of about 4.16 bits; embedding and head, 622 million weights each, of 16.
    assert found.weights.file_bytes == pytest.approx(6.946e9 * 4.16 / 8 + 2 * 622e6 * 2, rel=0.01)


def test_nothing_stated_is_nothing_known(catalog: Catalog, source: WeightSource) -> None:
    arch = catalog.architecture("qwen3-8b")
    assert source.find("qwen3-8b", arch, row(quant="INT2-4-8-MIX", engine="vllm")) is None
