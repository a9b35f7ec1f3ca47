"""Configs of the catalog, spoilt: refused with a sentence or sized in finite numbers, never more.

VRAMSITE_FUZZ=20 draws twenty times as many, others each day of the week.
"""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ground_truth import Ground
from javascript import HERE, run_node, write_scripts

from vramsite.catalog.architectures import ArchitectureError, read_architecture
from vramsite.catalog.architectures.own_model import (
    OwnRules,
    own_facts,
    own_keys,
    own_native,
    own_source,
    own_type,
    own_unread,
)
from vramsite.catalog.architectures.registry import known_model_types
from vramsite.site.engine_js.data import compact
from vramsite.site.engine_js.own_rules import own_rules
from vramsite.site.engine_js.readers_module import compile_readers
from vramsite.sizing.records import Settings

LONG = int(os.environ.get("VRAMSITE_FUZZ", "1"))
TRIES = 400
MOST_CPU_S = 2.0
VALUES: list[Any] = [
    None, True, False, "", "64", "NaN", "<img src=x onerror=alert(1)>", "__proto__", [], {}, [[]],
    [1], [None], [0, 1], ["full_attention"], {"a": 1}, {"__proto__": 1}, -1, 0, 0.0, -0.0, 1, 2, 3,
    5, 7, 0.5, 63.5, 1e-300, 5e-324, 1024, 4096, 4097, 65536, 2**31, 2**53 - 1, 2**53, 2**64, 1e15,
    1e300, -1e300,
]  # fmt: skip
SLIPS = [
    ('{"model_type": "llama",}', "comma", 1),
    ('{\n"a": [1,\n],\n}', "comma", 3),
    ('{\n"a": 1 // one\n}', "comment", 2),
    ('{\n\n/* b */ "a": 1}', "comment", 3),
    ('{"a": 1 # x\n}', "comment", 1),
    ("{'a': 1}", "quotes", 1),
    ("{a: 1}", "quotes", 1),
    ("{\u201ca\u201d: 1}", "quotes", 1),
    ('{"a": NaN}', "word", 1),
    ('{"a": -Infinity}', "word", 1),
    ('{"a": None}', "word", 1),
    ('{"a": True}', "word", 1),
    ('{"a": 0x10}', "word", 1),
    ('{"a": 1.}', "word", 1),
    ('{"a": 01}', "word", 1),
    ('{"a": +1}', "word", 1),
    ('{"a": 1 "b": 2}', "between", 1),
    ('{"a": {"x": 1},\n"b": {"x": 1, "x": 2}}', "twice", 2),
    ('{"a": 1, "\\u0061": 2}', "twice", 1),
    ('{"a": ' * 70 + "1" + "}" * 70, "deep", 1),
    ('{"a": ' + "[" * 400_000, "deep", 1),
    ('{"a": 1', "end", 1),
    ('{"a": "b', "other", 1),
    ('{"a": "tab\there"}', "other", 1),
    ('{"a": "\\x41"}', "other", 1),
    ('{"a": [1}', "other", 1),
    ('{"a" 1}', "other", 1),
    ('{"a": }', "other", 1),
    ("no object", "", 0),
    ("[1, 2]", "", 0),
    ("", "", 0),
]  # fmt: skip


def in_node(ground: Ground, folder: Path, rules: OwnRules, texts: list[str]) -> list[Any]:
    readers = compile_readers()
    (folder / "readers.mjs").write_text(readers.text, encoding="utf-8")
    (folder / "engine.mjs").write_text((ground.folder / "whole.mjs").read_text("utf-8"), "utf-8")
    write_scripts(folder)
    slices = json.loads((ground.folder / "slices.json").read_text(encoding="utf-8"))["slices"]
    settings = [
        Settings(format="Q4_K_M", context_tokens=8192.0),
        Settings(format="Q8_0", context_tokens=4096.0, gpus=2.0, parallel=2.0, kv_type_k="q8_0"),
    ]
    text = {
        "rules": slices["rules"],
        "device": slices["devices/rtx-4090"],
        "own": compact(rules, readers),
        "settings": [compact(each) for each in settings],
        "texts": texts,
    }
    (folder / "texts.json").write_text(json.dumps(text), encoding="utf-8")
    return list(json.loads(run_node(HERE / "fuzz_in_node.mjs", str(folder))))


def in_python(rules: OwnRules, config: dict[str, Any]) -> str:
    """What the same config is to Python; any other exception is a fault of the readers."""
    keys = own_keys(config)
    try:
        model_type = own_type(keys)
        if model_type not in known_model_types():
            return "refused: unknown_type"
        arch = read_architecture(own_source(rules, keys))
        own_native(keys)
        own_unread(rules, keys)
        own_facts(rules, arch, "")
    except ArchitectureError as error:
        return f"refused: {error.code}"
    return "sized"


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        for key in value:
            found += places(value[key], (*path, key))
    elif isinstance(value, list):
        for at in range(min(len(value), 3)):
            found += places(value[at], (*path, at))
    return found


def spoilt(draw: random.Random, config: dict[str, Any]) -> dict[str, Any]:
    """A copy with one to three values taken out or replaced."""
    made: dict[str, Any] = json.loads(json.dumps(config))
    for _ in range(draw.choice((1, 1, 2, 3))):
        path = draw.choice(places(made) or [("model_type",)])
        owner: Any = made
        for key in path[:-1]:
            owner = owner[key]
        last = path[-1]
        kind = draw.random()
        if kind < 0.25:
            del owner[last]
        elif kind < 0.45 and isinstance(owner[last], int | float):
            owner[last] = owner[last] * draw.choice((0, 0.5, 2, 3, 1000, -1, 1e12))
        elif kind < 0.5 and isinstance(owner, dict):
            owner[draw.choice(("surprise", "num_experts", "__proto__", "x" * 300))] = 3
        else:
            owner[last] = draw.choice(VALUES)
    return made


@pytest.fixture(scope="module")
def rules(ground: Ground) -> OwnRules:
    return own_rules(ground.catalog, ground.rules.engine)


def test_spoilt_configs_are_refused_or_sized(
    ground: Ground, rules: OwnRules, tmp_path: Path
) -> None:
    draw = random.Random("configs" if LONG == 1 else f"{datetime.now(UTC):%A}")
    whole = [
        {"max_position_embeddings": 8192, **model.config, "model_type": model.model_type}
        for model in ground.catalog.models.values()
    ]
    configs = [spoilt(draw, whole[at % len(whole)]) for at in range(TRIES * LONG)]
    answers = in_node(ground, tmp_path, rules, [json.dumps(config) for config in configs])
    outcomes = set()
    for config, (said, cpu_s) in zip(configs, answers, strict=True):
        expected = in_python(rules, config)
        short = json.dumps(config)[:3000]
        assert said.startswith(expected), (said, expected, short)
        assert cpu_s <= MOST_CPU_S, (said, short)
        outcomes.add(expected)
    assert {"sized", "refused: missing", "refused: type", "refused: whole"} <= outcomes


def test_texts_that_are_no_json_are_refused_with_the_line(
    ground: Ground, rules: OwnRules, tmp_path: Path
) -> None:
    found = in_node(ground, tmp_path, rules, [text for text, _, _ in SLIPS])
    for (text, why, line), (said, cpu_s) in zip(SLIPS, found, strict=True):
        assert said == f"refused: not_json {why} {line}", text[:80]
        assert cpu_s < MOST_CPU_S


def test_texts_spoilt_letter_by_letter_end_in_a_sentence(
    ground: Ground, rules: OwnRules, tmp_path: Path
) -> None:
    draw = random.Random("letters" if LONG == 1 else f"{datetime.now(UTC):%A}")
    config = {"model_type": "qwen3", **ground.catalog.models["qwen3-8b"].config}
    whole = json.dumps(config, indent=1)
    texts = [whole * 300, json.dumps({**config, "x": [0] * 300_000}), whole.replace("\n", "\r\n")]
    for _ in range(TRIES * LONG):
        text = whole
        for _ in range(draw.choice((1, 1, 2, 8))):
            at = draw.randrange(len(text))
            cut = draw.choice((0, 1, 1, 20))
            text = (
                text[:at]
                + draw.choice(("", "", ",", "}", '"', "\\", "e9", "[", "\0", "\ud800", "ü"))
                + text[at + cut :]
            )
        texts.append(text)
    for text, (said, cpu_s) in zip(texts, in_node(ground, tmp_path, rules, texts), strict=True):
        assert said == "sized" or said.startswith("refused: "), (said, text)
        assert cpu_s <= MOST_CPU_S
