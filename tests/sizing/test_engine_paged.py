"""The whole answer for an engine with a paged cache, on real entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.model_files import model_file
from vramsite.report.sizer import Sizer
from vramsite.sizing.engine import loaded, size
from vramsite.sizing.records import Settings, Size

DATA = Path(__file__).parents[2] / "data"
GIB = 2.0**30


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def answer(catalog: Catalog, model: str, format_name: str, gpu: str, settings: Settings) -> Size:
    sizer = Sizer(catalog)
    return size(
        loaded(model_file(catalog, model, format_name), settings, sizer.rules),
        catalog.device(gpu),
        sizer.rules,
        catalog.assumptions.sizing("cuda"),
        sizer.coefficients(model, gpu, settings),
    )


def vllm(context: float, gpus: float = 1.0) -> Settings:
    return Settings(
        engine="vllm",
        format="native",
        context_tokens=context,
        gpus=gpus,
        split="tensor" if gpus > 1.0 else "layer",
    )


def test_what_a_published_log_says_fits(catalog: Catalog) -> None:
    """Qwen3 8B on an A100 of 40 GiB: a pool of 136,080 tokens beside weights of 15.27 GiB."""
    # The catalog has no A100 of 40 GiB; an RTX 5090 of 31.8 GiB held 89,040 tokens.
    fits = answer(catalog, "qwen3-8b", "native", "rtx-5090", vllm(40960.0))
    assert fits.fit.verdict in ("fits", "tight")
    assert fits.fit.gpus_needed == 1.0
    terms = {term.name: term.device_bytes for term in fits.memory.terms}
    assert terms["weights"] / GIB == pytest.approx(15.27, abs=0.02)
    # 36 layers x 8 heads x 128 x K and V x 2 bytes a token
    assert terms["kv_cache"] == 40960 * 36 * 8 * 128 * 2 * 2
    assert fits.memory.device_low_bytes < fits.memory.device_bytes < fits.memory.device_high_bytes


def test_nothing_is_offloaded(catalog: Catalog) -> None:
    found = answer(catalog, "llama-3.3-70b-instruct", "native", "rtx-5090", vllm(8192.0))
    assert found.fit.verdict == "exceeds"
    assert found.memory.host_bytes == 0.0
    # 141 GB of weights need five cards of 30 GB, but 64 heads cannot be dealt out to 5, 6 or 7
    assert found.fit.gpus_needed == 8.0


def test_each_device_holds_a_share(catalog: Catalog) -> None:
    one = answer(catalog, "qwen3-8b", "native", "rtx-5090", vllm(8192.0))
    two = answer(catalog, "qwen3-8b", "native", "rtx-5090", vllm(8192.0, 2.0))
    assert two.memory.per_device_bytes == [two.memory.device_bytes] * 2
    assert 0.5 < two.memory.device_bytes / one.memory.device_bytes < 0.6
