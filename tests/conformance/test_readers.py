"""A config.json read in Node gives what Python reads: layers, graph and sizes, to the bit."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from flatten import difference, line
from ground_truth import Ground
from javascript import HERE, run_node

from vramsite.catalog.architectures import ArchitectureError, read_architecture
from vramsite.catalog.architectures.own_model import (
    OwnRules,
    own_facts,
    own_file,
    own_keys,
    own_native,
    own_parameters,
    own_source,
    own_unread,
)
from vramsite.site.engine_js.data import compact
from vramsite.site.engine_js.own_rules import own_rules
from vramsite.site.engine_js.readers_module import compile_readers
from vramsite.sizing.answer import answer, loaded_file
from vramsite.sizing.errors import SizingError
from vramsite.sizing.records import Settings

GPU = "rtx-4090"
BUDGET_BYTES = 26 * 1024


@dataclass(frozen=True)
class Asked:
    """A config, what the model file states beside it (None: as the page finds it), settings."""

    config: dict[str, Any]
    gguf: str | None
    context: float | None
    settings: list[Settings]


def several(formats: list[str], place: int) -> list[Settings]:
    """Every format for every eighth config, two for the others."""
    named = formats if place % 8 == 0 else [formats[place % len(formats)], "Q4_K_M"]
    return [
        Settings(
            format=name,
            imatrix=(place + at) % 3 == 0,
            context_tokens=4096.0 * (1 + at % 3),
            parallel=1.0 + at % 2,
            gpus=1.0 + (place + at) % 3,
        )
        for at, name in enumerate(named)
    ]


def in_python(ground: Ground, rules: OwnRules, asked: Asked) -> list[str]:
    device = ground.maker.device(GPU)
    keys = own_keys(asked.config)
    try:
        source = own_source(rules, keys)
        if asked.gguf is not None and asked.context is not None:
            source = replace(source, gguf_arch=asked.gguf, context_max_tokens=asked.context)
        arch = read_architecture(source)
    except ArchitectureError as error:
        return [error.key, error.message, error.code]
    native = own_native(keys)
    model = own_facts(rules, arch, native)
    lines = [
        line([arch, own_parameters(arch), native, own_unread(rules, keys)], readers=True),
        line([model.arch.graph], readers=True),
    ]
    for settings in asked.settings:
        try:
            file = own_file(rules, model.arch, settings.format, native, settings.imatrix)
            loaded = loaded_file(ground.rules, file, settings)
            lines.append(line([answer(ground.rules, model, loaded, device)]))
        except SizingError as error:
            lines.append(line([error.code]))
    return lines


def in_node(ground: Ground, rules: OwnRules, folder: Path, cases: list[Asked]) -> list[list[str]]:
    readers = compile_readers()
    (folder / "readers.mjs").write_text(readers.text, encoding="utf-8")
    (folder / "engine.mjs").write_text((ground.folder / "whole.mjs").read_text("utf-8"), "utf-8")
    slices = json.loads((ground.folder / "slices.json").read_text(encoding="utf-8"))["slices"]
    text = {
        "rules": slices["rules"],
        "device": slices[f"devices/{GPU}"],
        "own": compact(rules, readers),
        "gguf": readers.fields.get("gguf_arch", "gguf_arch"),
        "graph": readers.fields.get("graph", "graph"),
        "configs": [
            {
                "config": case.config,
                "gguf": case.gguf,
                "context": {} if case.context is None else {"context_max_tokens": case.context},
                "settings": [compact(settings) for settings in case.settings],
            }
            for case in cases
        ],
    }
    (folder / "configs.json").write_text(json.dumps(text), encoding="utf-8")
    return list(json.loads(run_node(HERE / "read_in_node.mjs", str(folder))))


def with_type(config: dict[str, Any], model_type: str | None) -> dict[str, Any]:
    """The config with its `model_type`, which model files state beside it."""
    return {"model_type": model_type, "max_position_embeddings": 4096, **config}


def test_every_model_of_the_catalog_is_read_and_sized_alike(ground: Ground, tmp_path: Path) -> None:
    rules = own_rules(ground.catalog, ground.rules.engine)
    formats = [entry.entry.format for entry in rules.formats]
    cases = [
        Asked(
            with_type(model.config, model.model_type),
            model.gguf_arch or "",
            float(model.context_max_tokens),
            several(formats, place),
        )
        for place, model in enumerate(ground.catalog.models.values())
    ]
    found = in_node(ground, rules, tmp_path, cases)
    for model, case, answers in zip(ground.catalog.models.values(), cases, found, strict=True):
        expected = in_python(ground, rules, case)
        assert len(answers) == len(expected) == 2 + len(case.settings)
        for one, other in zip(expected, answers, strict=True):
            assert one == other, f"{model.id}: {difference(one, other)}"
        whole = ground.catalog.architecture(model.id)
        arch = replace(whole, graph=None)
        assert answers[0] == line(
            [arch, own_parameters(arch), own_native(own_keys(case.config)), []], readers=True
        )
        assert answers[1] == line([whole.graph], readers=True), model.id


def faulty(**changes: Any) -> dict[str, Any]:
    """A plain config with something wrong about it."""
    plain: dict[str, Any] = {
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "vocab_size": 100,
        "max_position_embeddings": 2048,
    }
    return {key: value for key, value in {**plain, **changes}.items() if value != "gone"}


FAULTY = [
    (faulty(), None),
    (faulty(num_attention_heads="gone"), "missing"),
    (faulty(max_position_embeddings="gone"), "missing"),
    (faulty(model_type="gone"), "missing"),
    (faulty(model_type=7), "type"),
    (faulty(hidden_size="64"), "type"),
    (faulty(hidden_size=True), "type"),
    (faulty(hidden_size=[64]), "type"),
    (faulty(hidden_size={"a": ["b" * 100]}), "type"),
    (faulty(hidden_size=-1), "range"),
    (faulty(hidden_size=2**53), "range"),
    (faulty(hidden_size=1e300), "range"),
    (faulty(hidden_size=0), "whole"),
    (faulty(hidden_size=63.5), "whole"),
    (faulty(num_hidden_layers=1000000), "layers"),
    (faulty(num_hidden_layers=4097), "layers"),
    (faulty(num_attention_heads=5), "other"),
    (faulty(num_key_value_heads=3), "other"),
    (faulty(tie_word_embeddings=1), "type"),
    (faulty(tie_word_embeddings="<img src=x>"), "type"),
    (faulty(text_config=[1]), "mapping"),
    (faulty(attn_gate_rank=7, attention_bias=True, rms_norm_eps=1, qk_norm="x"), None),
    (faulty(text_config={"hidden_size": 32, "__proto__": {"vocab_size": 1}}), None),
    (faulty(model_type="cohere2", sliding_window=8, layer_types=["full_attention"]), "length"),
    (faulty(model_type="cohere2", sliding_window=8, layer_types=["a", "b"]), "other"),
    (faulty(model_type="cohere2", sliding_window=8, layer_types="a"), "list"),
    (faulty(model_type="cohere2", sliding_window=8, layer_types=[1, None]), "type"),
    (faulty(model_type="mixtral", num_local_experts=2, num_experts_per_tok=3), "other"),
]  # fmt: skip


def test_what_cannot_be_read_is_refused_with_the_same_words(ground: Ground, tmp_path: Path) -> None:
    rules = own_rules(ground.catalog, ground.rules.engine)
    settings = [Settings(format="Q4_K_M", context_tokens=2048.0)]
    cases = [Asked(config, None, None, settings) for config, _ in FAULTY]
    found = in_node(ground, rules, tmp_path, cases)
    for case, answers, (config, code) in zip(cases, found, FAULTY, strict=True):
        expected = in_python(ground, rules, case)
        assert answers == expected, config
        assert (answers[2] if code else None) == code, (config, answers)


def test_the_readers_module_is_within_its_budget() -> None:
    assert len(gzip.compress(compile_readers().text.encode(), 9)) <= BUDGET_BYTES
