"""Engines of the real catalog: what they do by default, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vramsite.catalog import Catalog
from vramsite.report.sizer import Sizer, SizerError
from vramsite.sizing.engine import size

GIB = 2.0**30


@pytest.fixture(scope="module")
def sizer(catalog: Catalog) -> Sizer:
    return Sizer(catalog)


@pytest.mark.parametrize(
    ("gpu", "gpus", "tokens"),
    [
        ("rtx-4060-ti-16gb", 1, 4096),
        ("rtx-4090", 1, 32768),  # 23.99 GiB: sold as 24, counted as 24
        ("rtx-4090", 2, 131072),  # 48 GB together, the model's longest
    ],
)
def test_ollama_takes_its_context_from_the_memory(
    sizer: Sizer, gpu: str, gpus: int, tokens: int
) -> None:
    asked = sizer.settings("llama-3.1-8b-instruct", gpu, engine="ollama", gpus=gpus)
    assert (asked.context_tokens, asked.parallel) == (tokens, 1.0)


def test_ollama_gives_each_request_the_whole_context(sizer: Sizer) -> None:
    asked = sizer.settings("llama-3.1-8b-instruct", "rtx-4090", engine="ollama", parallel=3)
    assert asked.context_tokens == 3 * 32768


@pytest.mark.parametrize("kv", ["auto", "fp8", "fp8_e4m3", "fp8_e5m2"])
def test_paged_engines_have_cache_types_of_their_own(sizer: Sizer, kv: str) -> None:
    """8 KV heads of 128, keys and values, 32 layers, two bytes or one: 1 GiB or half of it."""
    asked = sizer.settings("llama-3.1-8b-instruct", "h100-80gb-sxm", engine="vllm", kv_type=kv)
    found = sizer.size("llama-3.1-8b-instruct", "h100-80gb-sxm", asked)
    cache = sum(term.device_bytes for term in found.memory.terms if term.name == "kv_cache")
    assert cache == (GIB if kv == "auto" else GIB / 2)
    assert found.decode_tps.value is not None


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"engine": "llama.cpp", "kv_type": "fp8"}, "llama.cpp caches in f32, f16"),
        ({"engine": "vllm", "kv_type": "q5_1"}, "vLLM caches in auto, f16"),
        ({"engine": "vlm"}, "did you mean vllm"),
        ({"engine": "mlx"}, "runs on metal"),
        ({"engine": "vllm", "format_name": "Q4_K_M"}, "vLLM loads FP8"),
        ({"engine": "tensorrt-llm"}, "is not known"),
        ({"split": "row"}, "use layer or tensor"),
        ({"context_tokens": 2**20}, "at most 131072"),
    ],
)
def test_what_an_engine_cannot_do_is_refused_in_words(
    sizer: Sizer, asked: dict[str, object], words: str
) -> None:
    with pytest.raises(SizerError, match=words):
        sizer.settings("llama-3.1-8b-instruct", "rtx-4090", **asked)  # type: ignore[arg-type]


def test_sixteen_bits_of_vllm_are_the_checkpoint(sizer: Sizer) -> None:
    """vLLM printed 14.96 GiB for these weights: https://github.com/vllm-project/vllm/pull/10511."""
    asked = sizer.settings("llama-3.1-8b-instruct", "h100-80gb-sxm", engine="vllm")
    weights = sizer.size("llama-3.1-8b-instruct", "h100-80gb-sxm", asked).memory.terms[0]
    assert weights.device_bytes / GIB == pytest.approx(14.96, abs=0.005)


@pytest.mark.parametrize(("share", "verdict"), [(0.85, "unified"), (0.92, "tight")])
def test_mlx_is_tight_beyond_nine_tenths_of_the_working_set(
    sizer: Sizer, share: float, verdict: str
) -> None:
    """It warns by the weights alone, whatever the reserve."""
    model, gpu = "llama-3.3-70b-instruct", "mac-mini-m4-pro-64gb"
    asked = sizer.settings(model, gpu, engine="mlx", context_tokens=256)
    whole = sizer.load(model, asked)
    weights = whole.memory.terms[0].device_bytes
    device = replace(sizer.catalog.device(gpu), usable_bytes=weights / share)
    assumed = replace(sizer.assumptions("metal", "unified"), tight_fraction=0.0)
    found = size(whole, device, sizer.rules, assumed, sizer.coefficients(model, gpu, asked))
    assert found.fit.verdict == verdict
