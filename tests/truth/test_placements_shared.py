"""Placements that devices share: a sizer that was asked about all of them says what one does that
was asked about a single one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.report.choices import page_settings
from vramsite.report.sizer import Sizer
from vramsite.sizing.brief import brief
from vramsite.sizing.engine import size

DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("model_id", ["qwen3-32b", "gpt-oss-120b", "qwen3.5-35b-a3b"])
def test_devices_that_share_a_placement_get_the_answer_of_their_own(model_id: str) -> None:
    catalog = load_catalog(DATA)
    sizer = Sizer(catalog)
    placements = set()
    asked = list(catalog.gpus)[::2]
    for gpu_id in asked:
        settings = page_settings(catalog.gpus[gpu_id])
        device = catalog.device(gpu_id)
        whole = sizer.load(model_id, settings)
        alone = (
            whole,
            device,
            sizer.rules,
            sizer.assumptions(settings.backend, device.kind),
            sizer.coefficients(model_id, gpu_id, settings),
        )
        answer = sizer.size(model_id, gpu_id, settings)
        assert answer == size(*alone)
        assert sizer.brief(model_id, gpu_id, settings) == brief(*alone)
        placements.add((answer.fit.gpu_layers, answer.fit.cpu_moe_layers))
    assert 1 < len(placements) < len(asked)
