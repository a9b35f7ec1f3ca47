"""Keys of a config.json that no reader looks at are called out, unless they change no size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vramsite.catalog.architectures import ArchitectureSource, Keys, read_architecture
from vramsite.catalog.architectures.unread import KeyList, KeyRules, unread_keys
from vramsite.catalog.check import check_with_notes
from vramsite.catalog.config_key_rules import config_key_rules

DATA = Path(__file__).resolve().parents[2] / "data"
RULES = KeyRules(
    names=["rope_theta"],
    ends=["_eps"],
    assumed=[KeyList(key="attn_output_gate", entries=["true"])],
    unused=[KeyList(key="max_window_layers", entries=["qwen2"])],
)
PLAIN: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 100,
}


def unread(config: dict[str, Any], model_type: str = "llama") -> list[str]:
    keys = Keys({**PLAIN, **config})
    read_architecture(
        ArchitectureSource(
            model_type=model_type, gguf_arch="", context_max_tokens=4096.0, config=keys
        )
    )
    return unread_keys(RULES, keys, model_type)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, []),
        ({"rope_theta": 1e4, "rms_norm_eps": 1e-6}, []),
        ({"kv_lora_rank": 512}, ["kv_lora_rank"]),
        ({"kv_lora_rank": None}, []),
        ({"attn_output_gate": True}, []),
        ({"attn_output_gate": False}, ["attn_output_gate"]),
        ({"max_window_layers": 28}, ["max_window_layers"]),
        ({"text_config": {"num_experts": 8, "rope_theta": 5}}, ["text_config.num_experts"]),
        ({"vision_config": {"hidden_size": 8}}, ["vision_config"]),
    ],
)
def test_what_llama_does_not_look_at(config: dict[str, Any], expected: list[str]) -> None:
    assert unread(config) == expected


def test_a_key_may_mean_nothing_to_one_type() -> None:
    assert unread({"max_window_layers": 28}, "qwen2") == []


def test_mappings_within_mappings_end_somewhere() -> None:
    nested: dict[str, Any] = {}
    for _ in range(300):
        nested = {"text_config": nested, "surprise": 1}
    assert "text_config.surprise" in unread(nested)


def test_real_models_have_no_key_that_is_not_judged() -> None:
    faults, notes = check_with_notes(DATA)
    assert (faults, notes) == ([], [])


def test_keys_are_listed_once() -> None:
    rules = config_key_rules(DATA)
    assert len(set(rules.names)) == len(rules.names)
    assumed = [entry.key for entry in rules.assumed]
    assert not set(assumed) & set(rules.names)
