"""Tensors read from config.json add up to the published parameter counts, to the last one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.catalog import Catalog
from vramsite.sizing.records import Architecture

DATA = Path(__file__).parents[2] / "data"
FAMILIES = frozenset(
    {
        "cohere2",
        "ernie4_5_moe",
        "gemma3",
        "gemma4",
        "gemma4_unified",
        "gpt_oss",
        "hunyuan_v1_moe",
        "lfm3",
        "llama",
        "llama4",
        "mistral",
        "mistral3",
        "mixtral",
        "phi3",
        "qwen2",
        "qwen3",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_5_moe_text",
        "qwen3_moe",
        "qwen3_next",
        "qwen4_exp",
    }
)


@cache
def _catalog() -> Catalog:
    return load_catalog(DATA)


def _models() -> list[str]:
    return [i for i, model in _catalog().models.items() if model.model_type in FAMILIES]


def _count(arch: Architecture, *, without: tuple[str, ...] = ()) -> float:
    return sum(
        tensor.row_width * tensor.rows * tensor.experts * max(1, len(tensor.layers))
        for tensor in arch.tensors
        if tensor.in_checkpoint and tensor.tensor_class not in without
    )


@pytest.mark.parametrize("model_id", _models())
def test_checkpoint_total(model_id: str) -> None:
    model = _catalog().models[model_id]
    check = model.params_check
    expected = model.params_total if check is None else check.computed
    assert expected is not None, "neither a published count nor one that the notes give"
    if model.params_parts.get("vision") and "vision_config" not in model.config:
        expected -= model.params_parts["vision"]  # no tower without its shape
    assert _count(_catalog().architecture(model_id)) == expected


@pytest.mark.parametrize(
    "model_id", [i for i in _models() if "text" in _catalog().models[i].params_parts]
)
def test_text_part(model_id: str) -> None:
    parts = _catalog().models[model_id].params_parts
    expected = parts["text"]
    if "per-layer-projection" in parts:  # the published text part leaves the table out here
        for part in ("per-layer-projection", "per-layer-table", "integer-buffers"):
            expected += parts[part]
    arch = _catalog().architecture(model_id)
    assert _count(arch, without=("vision", "prediction_head")) == expected
