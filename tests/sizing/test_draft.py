"""Drafting with a model's own prediction layers, against a published run."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import load_catalog
from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.model_files import model_file
from vramsite.sizing.cache import cache_bytes
from vramsite.sizing.draft import draft_bytes
from vramsite.sizing.memory import account
from vramsite.sizing.records import Memory, Settings

DATA = Path(__file__).parents[2] / "data"
MIB = 2.0**20


@pytest.fixture(scope="module")
def memory_of() -> dict[float, Memory]:
    file = model_file(load_catalog(DATA), "qwen3.6-27b", "Q4_K_M")
    found = {}
    for drafts in (0.0, 3.0):
        settings = Settings(context_tokens=32768.0, draft_tokens=drafts, cpu_moe_layers=0.0)
        cache = cache_bytes(file.arch, settings, load_cache_rules(DATA))
        rules = load_buffer_rules(DATA)
        found[drafts] = account(file.arch, file.weights, cache, settings, rules, "", 0.0)
    return found


def term(memory: Memory, name: str) -> float:
    return sum(entry.device_bytes for entry in memory.terms if entry.name == name)


def test_state_is_kept_once_more_for_each_drafted_token(memory_of: dict[float, Memory]) -> None:
    # 149.62 MiB a sequence, published; with three drafted tokens four times that (rows m4581,
    # m4561 of data/measurements/memory.csv)
    assert term(memory_of[0.0], "recurrent_state") / MIB == pytest.approx(149.62, abs=0.01)
    assert term(memory_of[3.0], "recurrent_state") == 4 * term(memory_of[0.0], "recurrent_state")


def test_drafting_is_a_term_of_its_own(memory_of: dict[float, Memory]) -> None:
    assert term(memory_of[0.0], "draft") == 0.0
    # One layer of 4 KV heads x 256, K and V in 16 bits: 4,096 bytes for each of 32,768 tokens
    cache = 32768 * 4096
    # The prediction layer's weights: a layer like the others, of 64, and two projections more
    layer = term(memory_of[0.0], "weights") / 64
    assert cache + layer / 2 < term(memory_of[3.0], "draft") < cache + layer * 2
    grown = memory_of[3.0].device_bytes - memory_of[0.0].device_bytes
    states = term(memory_of[3.0], "recurrent_state") - term(memory_of[0.0], "recurrent_state")
    assert grown == pytest.approx(term(memory_of[3.0], "draft") + states)


def test_no_draft_without_prediction_layers() -> None:
    file = model_file(load_catalog(DATA), "qwen3-8b", "Q4_K_M")
    settings = Settings(draft_tokens=3.0)
    assert draft_bytes(file.arch, file.weights, settings, load_cache_rules(DATA)) == 0.0
