"""Tokens that published pools of vLLM and SGLang hold, and bytes their start-up logs report."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from vramsite.catalog import load_catalog
from vramsite.evidence.pools import PoolJudgement, judged_pools

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def judged() -> list[PoolJudgement]:
    return list(judged_pools(load_catalog(DATA), DATA))


def test_tokens_in_the_pool(judged: list[PoolJudgement]) -> None:
    errors = [found.comparison.error for found in judged if found.term == "pool_tokens"]
    assert len(errors) == 7
    assert median(errors) <= 0.05
    assert max(errors) <= 0.05


def test_bytes_loaded(judged: list[PoolJudgement]) -> None:
    errors = [found.comparison.error for found in judged if found.term == "loaded_gib"]
    assert len(errors) == 7
    assert median(errors) <= 0.01
    assert max(errors) <= 0.06
