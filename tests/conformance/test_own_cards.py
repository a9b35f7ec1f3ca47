"""What the page says of an own model by itself is what it says of the catalog's."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from ground_truth import Ground
from javascript import HERE, run_node, write_scripts

from vramsite.catalog.architectures.registry import known_model_types
from vramsite.contribute.parameters import parameter_count
from vramsite.report.cards import model_card
from vramsite.report.choices import MATRIX_FORMATS, curve_contexts, short_context
from vramsite.report.notes import layer_counts
from vramsite.site.engine_js.data import compact
from vramsite.site.engine_js.own_rules import own_rules
from vramsite.site.engine_js.readers_module import compile_readers

SAME = (
    "density", "attention", "context_max_tokens", "layer_count", "layers", "expert_count",
    "experts_used",
)  # fmt: skip


def said(ground: Ground, folder: Path, texts: list[str]) -> list[dict[str, Any]]:
    readers = compile_readers()
    (folder / "readers.mjs").write_text(readers.text, encoding="utf-8")
    write_scripts(folder)
    own = compact(own_rules(ground.catalog, ground.rules.engine), readers)
    (folder / "texts.json").write_text(json.dumps({"own": own, "texts": texts}), "utf-8")
    return list(json.loads(run_node(HERE / "cards_in_node.mjs", str(folder))))


def test_cards_of_the_catalogs_models(ground: Ground, tmp_path: Path) -> None:
    models = list(ground.catalog.models.values())
    texts = [
        json.dumps(
            {
                **model.config,
                "model_type": model.model_type,
                **{"max_position_embeddings": model.context_max_tokens},
            }
        )
        for model in models
    ]
    for model, card in zip(models, said(ground, tmp_path, texts), strict=True):
        expected = model_card(model, ground.catalog.architecture(model.id))
        wanted = json.loads(json.dumps(asdict(expected)))
        if card["context_max_tokens"] != model.context_max_tokens:
            assert "text_config" in model.config  # the nested key counts
            continue
        assert {name: card[name] for name in SAME} == {name: wanted[name] for name in SAME}
        assert card["contexts"] == curve_contexts(model)
        assert card["default_context"] == short_context(model)
        assert card["counts"] == asdict(layer_counts(expected))
        assert set(MATRIX_FORMATS) <= set(card["formats"])
        assert card["params_total"] == parameter_count(ground.catalog.architecture(model.id))
        assert set(wanted) <= set(card)


@pytest.mark.parametrize(
    ("model_type", "near"),
    [("qwen3_5_next", "qwen3_next"), ("Llama", "llama"), ("gemma5_text", "gemma3_text")],
)
def test_an_unknown_type_names_those_like_it(
    ground: Ground, tmp_path: Path, model_type: str, near: str
) -> None:
    assert model_type not in known_model_types()
    (found,) = said(ground, tmp_path, [json.dumps({"model_type": model_type})])
    assert (found["code"], found["key"]) == ("unknown_type", model_type)
    assert near in found["near"]


def test_text_around_the_config_does_no_harm(ground: Ground, tmp_path: Path) -> None:
    model = ground.catalog.models["qwen3-8b"]
    config = json.dumps({"model_type": model.model_type, **model.config}, indent=2)
    one, other = said(ground, tmp_path, [config, f"config.json\n```json\n{config}\n```\n"])
    assert one == other
    assert one["layer_count"] == 36
