"""Machines with unified memory whose limit can be raised, against a run that somebody published."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def sizer() -> Sizer:
    return Sizer(load_catalog(DATA))


# 128 GB each; more than half of it, or three quarters, and less than all.
@pytest.mark.parametrize(
    ("model", "device", "quant", "verdict"),
    [
        ("glm-4.5-air", "ryzen-ai-max-395-128gb", "Q4_K_M", "raised"),
        ("glm-4.5-air", "macbook-pro-m4-max-128gb", "Q4_K_M", "unified"),
        ("qwen3-235b-a22b-instruct-2507", "macbook-pro-m4-max-128gb", "Q3_K_M", "raised"),
        ("qwen3-235b-a22b-instruct-2507", "macbook-pro-m4-max-128gb", "Q4_K_M", "exceeds"),
        ("qwen3-8b", "ryzen-ai-max-395-128gb", "Q4_K_M", "unified"),
    ],
)
def test_what_takes_a_raised_limit_says_so(
    sizer: Sizer, model: str, device: str, quant: str, verdict: str
) -> None:
    answer = sizer.size(model, device, sizer.settings(model, device, format_name=quant))
    assert answer.fit.verdict == verdict
    assert (answer.decode_tps.value is None) == (verdict == "exceeds")
    if verdict == "raised":
        assert answer.fit.usable_bytes is not None
        assert answer.fit.raised_bytes is not None
        assert answer.fit.usable_bytes < answer.memory.device_bytes <= answer.fit.raised_bytes
        assert answer.fit.gpus_needed == 1.0


def test_a_published_run_beyond_the_default_limit_is_not_called_impossible(sizer: Sizer) -> None:
    """Nemotron 3 Super was published on Strix Halo, whose default is 64 GiB."""
    device = "ryzen-ai-max-395-128gb"
    asked = sizer.settings("nemotron-3-super-120b-a12b", device, format_name="Q4_K_M")
    answer = sizer.size("nemotron-3-super-120b-a12b", device, asked)
    assert answer.fit.verdict == "raised"
    # 14.8 tok/s with UD-Q4_K_XL and an empty cache (kyuz0/amd-strix-halo-toolboxes)
    assert answer.decode_tps.low is not None
    assert answer.decode_tps.high is not None
    assert 0.7 * answer.decode_tps.low < 14.8 < 1.3 * answer.decode_tps.high
