"""Layers, cache and state on 2 and 4 equal devices, as llama.cpp's own breakdown has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.buffer_rules import load_cache_rules
from vramsite.catalog.quant_recipes import load_quant_scheme
from vramsite.sizing.cache import cache_bytes
from vramsite.sizing.memory import device_cache, device_weights
from vramsite.sizing.records import Settings
from vramsite.sizing.weights import WeightBytes, quantised_weights

DATA = Path(__file__).parents[2] / "data"
EVIDENCE = DATA / "evidence" / "llama_cpp_multigpu.json"


@pytest.mark.skipif(not EVIDENCE.is_file(), reason="the breakdown of several devices is not there")
def test_weights_and_context_of_each_device_are_exact() -> None:
    catalog = load_catalog(DATA)
    scheme, recipes = load_quant_scheme(DATA)
    known: dict[tuple[str, str], WeightBytes] = {}
    rows = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    assert len(rows) >= 90
    for row in rows:
        arch = catalog.architecture(row["model"])
        key = (row["model"], row["quant"])
        if key not in known:
            known[key] = quantised_weights(arch, recipes[row["quant"]], scheme)
        settings = Settings(
            context_tokens=float(row["n_ctx"]),
            parallel=float(row["n_seq"]),
            ubatch_tokens=float(row["n_ubatch"]),
            kv_type_k=row["type_k"],
            kv_type_v=row["type_v"],
            gpus=float(row["devices"]),
            cpu_moe_layers=0.0,
        )
        cache = cache_bytes(arch, settings, load_cache_rules(DATA))
        total = cache.kv_bytes + cache.recurrent_bytes
        held = device_weights(known[key], settings)
        kept = device_cache(known[key], settings, cache.layer_bytes, total)
        for device in range(row["devices"]):
            measured = row["per_buffer"][f"CUDA{device}"]
            assert held[device] == measured["weights"], (key, device)
            assert kept[device] == measured["context"], (key, device)
