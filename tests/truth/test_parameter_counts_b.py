"""Tensors of the latent, hybrid and sparse families add up to the published counts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.catalog import Catalog

DATA = Path(__file__).parents[2] / "data"
FAMILIES = frozenset(
    {
        "deepseek_v3",
        "deepseek_v32",
        "deepseek_v4",
        "deepseek_v41",
        "glm4",
        "glm4_moe",
        "glm4_moe_lite",
        "glm5_next",
        "glm_moe_dsa",
        "kimi_k2",
        "kimi_k3",
        "minimax_m2",
        "minimax_m3_vl",
        "mistral_large4",
        "nemotron_h",
        "step3p5",
        "step3p5v",
        "step3p7",
    }
)
# No count of the model itself is published: each has a test of its own below.
UNPUBLISHED = frozenset({"kimi-k3.1-pro", "minimax-m3.1-flash", "mistral-large-4-1t-a52b"})


@cache
def _catalog() -> Catalog:
    return load_catalog(DATA)


def _models() -> list[str]:
    return [i for i, model in _catalog().models.items() if model.model_type in FAMILIES]


def _count(model_id: str, *, without: tuple[str, ...] = ()) -> float:
    return sum(
        tensor.row_width * tensor.rows * tensor.experts * max(1, len(tensor.layers))
        for tensor in _catalog().architecture(model_id).tensors
        if tensor.in_checkpoint and tensor.tensor_class not in without
    )


@pytest.mark.parametrize("model_id", [i for i in _models() if i not in UNPUBLISHED])
def test_checkpoint_total(model_id: str) -> None:
    model = _catalog().models[model_id]
    assert model.params_total is not None
    expected = model.params_total
    if model.params_check and model.params_check.computed:
        # Published totals also count scale entries, or leave out the buffers of a router that
        # files hold all the same; the entry says which.
        expected = min(expected, model.params_check.computed)
    assert _count(model_id) == expected


@pytest.mark.parametrize(
    "model_id", [i for i in _models() if "without-prediction" in _catalog().models[i].params_parts]
)
def test_count_without_prediction_layers(model_id: str) -> None:
    main = sum(
        tensor.row_width * tensor.rows * tensor.experts * max(1, len(tensor.layers))
        for tensor in _catalog().architecture(model_id).tensors
        if tensor.tensor_class not in ("vision", "prediction_head")
        and (tensor.in_checkpoint or tensor.role == "exp_probs_b.bias")
    )
    assert main == _catalog().models[model_id].params_parts["without-prediction"]


def test_kimi_k31_is_taken_to_have_the_shape_of_k3() -> None:
    assert _count("kimi-k3.1-pro") == _catalog().models["kimi-k3"].params_total


def test_minimax_m31_is_m3_with_an_index_in_the_dense_layers_too() -> None:
    # M3's text part is 426,174,572,928; an index head is 6144 x (512 + 128) and two norms of 128.
    assert _count("minimax-m3.1-flash") == 426174572928 + 3 * (6144 * 640 + 256)


def test_mistral_large_4_is_near_the_count_computed_elsewhere() -> None:
    # 1,050,118,202,912 with an indexer in each layer; 54 of them less (26.2M each) here.
    text = _count("mistral-large-4-1t-a52b", without=("vision",))
    assert text == pytest.approx(1050118202912, rel=0.002)
