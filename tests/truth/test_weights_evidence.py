"""Weights against llama-quantize, llama.cpp's memory breakdown and published files."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.weights import WeightBytes, quantised_weights, split_weights

DATA = Path(__file__).parents[2] / "data"


@cache
def catalog() -> Catalog:
    return load_catalog(DATA)


@cache
def weights(model: str, quant: str, imatrix: bool) -> WeightBytes:
    scheme, recipes = load_quant_scheme(DATA)
    return quantised_weights(catalog().architecture(model), recipes[quant], scheme, imatrix)


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / "evidence" / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_bytes_are_those_of_llama_quantize() -> None:
    """98 % of the rows to the byte; the rest are one model whose table of n-grams was rounded."""
    errors = []
    for row in rows("llama_cpp_weights.csv"):
        ours = weights(row["model"], row["quant"], row["imatrix"] == "1").file_bytes
        errors.append(abs(ours - float(row["bytes"])) / float(row["bytes"]))
    assert len(errors) == 688
    assert sum(error == 0 for error in errors) >= 0.98 * len(errors)
    assert max(errors) <= 0.00001


def test_fallbacks_are_those_of_llama_quantize() -> None:
    wrong = [
        (row["model"], row["quant"])
        for row in rows("llama_cpp_weights.csv")
        if weights(row["model"], row["quant"], row["imatrix"] == "1").fallback_tensors
        != float(row["fallback_tensors"])
    ]
    assert wrong == []


def split_of(row: dict[str, str]) -> tuple[float, float]:
    result = weights(row["model"], row["quant"], False)
    placement = row["placement"]
    gpu_layers: float | None = None
    cpu_moe_layers = 0.0
    if placement == "CPU only":
        gpu_layers = 0.0
    elif placement.startswith("-ngl"):
        gpu_layers = float(placement.split()[1])
    elif placement.startswith("--cpu-moe"):
        cpu_moe_layers = len(result.layer_bytes) * 1.0
    split = split_weights(result, gpu_layers, cpu_moe_layers)
    return split.device_bytes, split.host_bytes


@pytest.mark.parametrize("placement", ["all layers", "-ngl", "--cpu-moe", "CPU only"])
def test_device_and_host_are_those_of_the_memory_breakdown(placement: str) -> None:
    """At least 95 % to the byte on both sides, none off by more than 0.001 % of all weights."""
    errors = []
    for row in rows("llama_cpp_weight_placement.csv"):
        if row["placement"].startswith(placement):
            device, host = split_of(row)
            device_bytes = float(row["weights_device_bytes"])
            host_bytes = float(row["weights_host_bytes"])
            off = max(abs(device - device_bytes), abs(host - host_bytes))
            errors.append(off / (device_bytes + host_bytes))
    assert len(errors) >= 25
    assert sum(error == 0 for error in errors) >= 0.95 * len(errors)
    assert max(errors) <= 0.00001


# Bits a weight of Llama 3.1 8B in the table of llama.cpp's tools/quantize/README.md.
PUBLISHED_BITS = {
    "IQ1_S": 2.0042,
    "IQ1_M": 2.1460,
    "IQ2_XXS": 2.3824,
    "IQ2_XS": 2.5882,
    "IQ2_S": 2.7403,
    "IQ2_M": 2.9294,
    "IQ3_XXS": 3.2548,
    "IQ3_XS": 3.4977,
    "IQ3_S": 3.6606,
    "IQ3_M": 3.7628,
    "IQ4_XS": 4.4597,
    "IQ4_NL": 4.6818,
    "Q2_K_S": 2.9697,
    "Q2_K": 3.1593,
    "Q3_K_S": 3.6429,
    "Q3_K_L": 4.2979,
    "Q4_K_S": 4.6672,
    "Q4_K_M": 4.8944,
    "Q5_K_S": 5.5704,
    "Q5_K_M": 5.7036,
    "Q6_K": 6.5633,
    "Q8_0": 8.5008,
}
NEEDS_IMATRIX = ("IQ1", "IQ2", "IQ3_XXS", "Q2_K_S")


@pytest.mark.parametrize("quant", sorted(PUBLISHED_BITS))
def test_llama_8b_has_the_bits_a_weight_that_llama_cpp_lists(quant: str) -> None:
    result = weights("llama-3.1-8b-instruct", quant, quant.startswith(NEEDS_IMATRIX))
    bits = result.file_bytes * 8 / result.parameters
    assert bits == pytest.approx(PUBLISHED_BITS[quant], abs=0.0001)


def test_published_files_are_our_bytes_and_a_header() -> None:
    """Of the plain GGUF files whose size is known to the byte, all but makers' own mixes."""
    _, recipes = load_quant_scheme(DATA)
    headers = []
    for model in catalog().models.values():
        for file in model.files:
            if file.exact and file.format in recipes:
                candidates = [weights(model.id, file.format, imatrix) for imatrix in (False, True)]
                headers += [min((file.bytes - w.file_bytes for w in candidates), key=abs)]
    matching = [header for header in headers if 0 < header < 16e6]
    assert len(matching) >= 100
    assert len(matching) >= 0.6 * len(headers)


@pytest.mark.parametrize(
    ("model", "recipe", "published_bytes", "tolerance"),
    [
        ("gpt-oss-20b", "MXFP4", 13_761_264_768, 0.0),
        ("gpt-oss-120b", "MXFP4", 65_248_815_744, 0.0),
        ("kimi-k2-instruct", "FP8", 1_029_203_013_140, 1e-4),
        ("kimi-k3", "MXFP4", 1_560_940_000_000, 1e-3),
        ("glm-5.3", "FP8", 755_630_000_000, 1e-3),
        ("glm-5.3", "NVFP4", 464_140_000_000, 1e-3),
        ("glm-5.3-flash", "FP8", 328_340_000_000, 1e-3),
        ("glm-5.3-flash", "NVFP4", 204_440_000_000, 1e-3),
        ("qwen3.8-flash-next", "FP8", 185_502_232_570, 6e-3),
        ("qwen3.8-2.4t-a95b", "FP8", 2_496_154_358_768, 6e-3),
        ("qwen3.8-2.4t-a95b", "NVFP4", 1_447_265_951_488, 3e-2),
    ],
)
def test_checkpoints_have_their_published_size(
    model: str, recipe: str, published_bytes: float, tolerance: float
) -> None:
    """Sizes of repositories as listed; Qwen's FP8 leaves more in 16 bits than others' do."""
    arch = catalog().architecture(model)
    ours = checkpoint_weights(arch, load_checkpoint_recipes(DATA)[recipe]).file_bytes
    assert abs(ours / published_bytes - 1) <= tolerance
