"""A model's file from its config.json, as somebody would begin it who never saw the catalog."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vramsite.catalog import load_catalog
from vramsite.catalog.catalog import Catalog
from vramsite.catalog.check import check
from vramsite.catalog.config_key_rules import NamesAndEnds
from vramsite.cli import app
from vramsite.contribute.config_keys import checkpoint_format, kept_keys
from vramsite.contribute.config_source import MOST_BYTES, SourceError, read_source
from vramsite.contribute.model_draft import DraftError, Given, draft_model

# Llama 3.2 1B as its config.json has it; 1,235,814,400 parameters is its safetensors total.
LLAMA: dict[str, Any] = {
    "_name_or_path": "meta-llama/Llama-3.2-1B",
    "architectures": ["LlamaForCausalLM"],
    "attention_bias": False,
    "bos_token_id": 128000,
    "head_dim": 64,
    "hidden_act": "silu",
    "hidden_size": 2048,
    "initializer_range": 0.02,
    "intermediate_size": 8192,
    "max_position_embeddings": 131072,
    "mlp_bias": False,
    "model_type": "llama",
    "num_attention_heads": 32,
    "num_hidden_layers": 16,
    "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
    "transformers_version": "4.45.0",
    "use_cache": True,
    "vocab_size": 128256,
}
TOTAL = 1_235_814_400


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(Path(__file__).parents[2] / "data")


def run(*arguments: str, stdin: str | None = None) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    return result.exit_code, result.output


def test_a_known_architecture_needs_no_more_than_its_config(data: Path) -> None:
    code, said = run("add-model", "-", "--data", str(data), stdin=json.dumps(LLAMA))
    assert code == 0
    assert f"config.json gives {TOTAL:,} parameters" in said
    path = data / "models" / "meta" / "llama-3.2-1b.yaml"
    assert path.is_file()
    assert "llama-3.2-1b" in said.split("What the new pages would show")[1]
    # What nobody could know is a fault with its line, and nothing else is.
    lines = path.read_text(encoding="utf-8").splitlines()
    faults = check(data)
    assert {fault.key for fault in faults} == {"license", "released"}
    for fault in faults:
        assert lines[fault.line - 1].startswith(f"{fault.key}: ")
        assert "TODO" in lines[fault.line - 1]


def test_filled_in_it_passes_and_is_sized(data: Path) -> None:
    run("add-model", "-", "--data", str(data), "--license", "Llama 3.2 Community License",
        "--released", "2024-09", "--params-total", str(TOTAL), stdin=json.dumps(LLAMA))  # fmt: skip
    assert check(data) == []
    model = load_catalog(data).models["llama-3.2-1b"]
    assert model.params_total == TOTAL
    assert model.params_check is None
    assert model.context_max_tokens == 131072
    assert model.params_headline_b == model.params_active_b == 1
    assert model.vendor == "Meta"
    assert model.checkpoint is not None
    assert model.checkpoint.bytes == 2 * TOTAL
    assert "bos_token_id" not in model.config
    assert model.config["rms_norm_eps"] == 1e-05


def test_a_count_that_differs_asks_for_the_reason(data: Path) -> None:
    run("add-model", "-", "--data", str(data), "--params-total", str(TOTAL + 2048),
        stdin=json.dumps(LLAMA))  # fmt: skip
    (fault,) = [fault for fault in check(data) if fault.key == "reason"]
    assert f"{TOTAL:,}" in fault.message
    assert f"{TOTAL + 2048:,}" in fault.message


def test_nothing_is_overwritten(data: Path) -> None:
    path = data / "models" / "meta" / "llama-3.2-1b.yaml"
    path.write_text("name: mine\n", encoding="utf-8")
    before = sorted(data.rglob("*"))
    code, _ = run("add-model", "-", "--data", str(data), stdin=json.dumps(LLAMA))
    assert code == 1
    assert path.read_text(encoding="utf-8") == "name: mine\n"
    assert sorted(data.rglob("*")) == before


def test_an_id_of_the_catalog_is_refused(data: Path) -> None:
    code, said = run("add-model", "-", "--data", str(data), "--id", "qwen3-8b",
                     stdin=json.dumps(LLAMA))  # fmt: skip
    assert code == 1
    assert "qwen3-8b" in said
    assert "nothing is overwritten" in said


def test_unknown_architecture_names_the_nearest_readers(catalog: Catalog) -> None:
    config = {**LLAMA, "model_type": "llama_next", "new_gate": True}
    with pytest.raises(DraftError) as refused:
        draft_model(catalog, config, Given(params_total=TOTAL))
    text = str(refused.value)
    assert "model_type 'llama_next' has no reader" in text
    assert "  llama:\n    reads it, and counts 1,235,814,400 parameters: exactly the total" in text
    assert "only here: new_gate" in text
    assert "docs/adding-an-architecture.md" in text


def test_a_reader_that_cannot_read_it_says_which_key(catalog: Catalog) -> None:
    config = {key: value for key, value in LLAMA.items() if key != "intermediate_size"}
    with pytest.raises(DraftError, match=r"reader of llama objects: config\.intermediate_size"):
        draft_model(catalog, config, Given())


def test_mixture_of_experts_counts_what_a_token_uses(catalog: Catalog) -> None:
    # Qwen3 30B-A3B: 30,532,122,624 parameters, of which 3.3 x 10**9 active by its model card.
    config = {
        **catalog.models["qwen3-30b-a3b-instruct-2507"].config,
        "model_type": "qwen3_moe",
    }
    draft = draft_model(catalog, config, Given(repo="Qwen/Qwen3-New", model_id="qwen3-new"))
    assert draft.values["params_headline_b"] == 30.53
    assert draft.values["params_active_b"] == pytest.approx(3.35, abs=0.05)


def test_nested_text_config_is_flattened_and_the_tower_kept() -> None:
    config = {
        "model_type": "gemma3",
        "image_token_index": 5,
        "text_config": {"model_type": "gemma3_text", "hidden_size": 7, "eos_token_id": 1},
        "vision_config": {"model_type": "siglip", "hidden_size": 3, "attention_dropout": 0},
    }
    left_out = NamesAndEnds(
        names=["model_type", "attention_dropout"], ends=["_token_id", "_token_index"]
    )
    assert kept_keys(config, left_out) == {
        "vision_config": {"model_type": "siglip", "hidden_size": 3},
        "hidden_size": 7,
    }


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"torch_dtype": "bfloat16"}, "bf16"),
        ({"text_config": {"dtype": "float16"}}, "fp16"),
        ({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8"}}, "fp8"),
        ({"quantization_config": {"quant_method": "mxfp4"}}, "mxfp4"),
        ({}, None),
    ],
)
def test_checkpoint_format(config: dict[str, Any], expected: str | None) -> None:
    assert checkpoint_format(config) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no JSON"),
        ("[]", "is an object"),
        ("{}", "is an object"),
        ("[" * 100_000, "is no JSON"),
        (" " * (MOST_BYTES + 1), "too long"),
    ],
)
def test_what_is_no_config_is_refused(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read_source("-", io.StringIO(text))


def test_a_source_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_source(str(tmp_path / "config.json"))


def test_index_gives_the_exact_size(data: Path, tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 2471628800}, "weight_map": {}}))
    run("add-model", "-", "--data", str(data), "--index", str(index), stdin=json.dumps(LLAMA))
    text = (data / "models" / "meta" / "llama-3.2-1b.yaml").read_text(encoding="utf-8")
    assert "  bytes: 2471628800\n" in text


def test_another_file_is_no_index(data: Path, tmp_path: Path) -> None:
    index = tmp_path / "config.json"
    index.write_text(json.dumps(LLAMA))
    code, said = run("add-model", "-", "--data", str(data), "--index", str(index),
                     stdin=json.dumps(LLAMA))  # fmt: skip
    assert code == 1
    assert "is no safetensors index" in said
