"""What llama.cpp is told to leave on the host makes the rest fit, and no layer more than needed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def sizer() -> Sizer:
    return Sizer(load_catalog(DATA))


# Windows, wide caches and experts: buffers under these placements differ from those of one layer
# on the host.
@pytest.mark.parametrize(
    ("model", "device", "context"),
    [
        ("gemma-3-27b-it", "rtx-3090", 131072),
        ("gemma-4-31b-it", "rtx-3060-12gb", 131072),
        ("llama-3.3-70b-instruct", "rtx-5080", 131072),
        ("llama-3.3-70b-instruct", "rtx-4090", 8192),
        ("cohere-command-a-111b", "a10-24gb", 131072),
        ("deepseek-r1-distill-llama-8b", "rtx-5080", 131072),
        ("glm-4.5", "rtx-3060-12gb", 8192),
    ],
)
def test_as_many_layers_as_fit_are_on_the_device(
    sizer: Sizer, model: str, device: str, context: int
) -> None:
    asked = sizer.settings(model, device, context_tokens=context)
    fit = sizer.size(model, device, asked).fit
    assert fit.verdict == "offload"
    assert fit.reserve_bytes is not None
    assert fit.reserve_bytes >= 0.0
    everything = len(sizer.load(model, asked).file.weights.layer_bytes) + 1.0
    assert fit.gpu_layers < everything
    more = replace(asked, gpu_layers=fit.gpu_layers + 1.0, cpu_moe_layers=fit.cpu_moe_layers)
    one_more = sizer.size(model, device, more).fit
    assert one_more.reserve_bytes is not None
    assert one_more.reserve_bytes < 0.0


def test_the_vision_projector_takes_its_place_before_layers_do(sizer: Sizer) -> None:
    asked = sizer.settings("gemma-3-27b-it", "rtx-3060-12gb", context_tokens=8192)
    fit = sizer.size("gemma-3-27b-it", "rtx-3060-12gb", replace(asked, vision=True)).fit
    assert fit.verdict == "offload"
    assert fit.reserve_bytes is not None
    assert fit.reserve_bytes >= 0.0


@pytest.mark.parametrize(
    ("model", "device", "gpus"),
    [
        ("llama-3.1-405b-instruct", "rtx-3090", 4),  # whole layers
        ("gpt-oss-120b", "rtx-3090", 2),  # few layers of many experts
        ("glm-4.5-air", "rtx-4090", 2),  # experts of two in three layers
    ],
)
def test_several_devices_hold_what_they_can(
    sizer: Sizer, model: str, device: str, gpus: int
) -> None:
    asked = sizer.settings(model, device, gpus=gpus)
    answer = sizer.size(model, device, asked)
    fit = answer.fit
    assert fit.verdict == "offload"
    assert fit.reserve_bytes is not None
    assert fit.reserve_bytes >= 0.0
    everything = len(sizer.load(model, asked).file.weights.layer_bytes) + 1.0
    if fit.gpu_layers < everything:
        more = replace(asked, gpu_layers=fit.gpu_layers + 1.0, cpu_moe_layers=fit.cpu_moe_layers)
    else:
        more = replace(asked, gpu_layers=fit.gpu_layers, cpu_moe_layers=fit.cpu_moe_layers - 1.0)
    one_more = sizer.size(model, device, more).fit
    assert one_more.reserve_bytes is not None
    assert one_more.reserve_bytes < 0.0
    # Fewer cards than hold it whole, and more of it on them than on one alone.
    assert fit.gpus_needed is not None
    assert fit.gpus_needed > gpus
    alone = sizer.size(model, device, replace(asked, gpus=1.0)).fit
    assert fit.offloaded_bytes < alone.offloaded_bytes
