"""ik_llama.cpp reserves logits for every token of a micro-batch: its printed compute buffers."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.catalog import Catalog, load_catalog
from vramsite.catalog.measurements import measurements
from vramsite.evidence.accounting import RowRefusedError
from vramsite.evidence.published import PublishedMemory

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(DATA)


def test_printed_buffers_of_the_fork(catalog: Catalog) -> None:
    published = PublishedMemory(catalog)
    errors = []
    for row in measurements(DATA):
        flash = "flash_attn=1" in (row.notes or "")
        if row.engine == "ik_llama.cpp" and row.metric == "compute_mib" and row.usable and flash:
            try:
                errors.append(abs(published.predict(row) / row.value - 1.0))
            except RowRefusedError:
                continue
    errors.sort()
    assert len(errors) >= 10
    assert errors[len(errors) // 2] <= 0.02
    assert sum(error <= 0.04 for error in errors) >= len(errors) - 4


def test_qwen3_32b_with_1024_tokens_a_step(catalog: Catalog) -> None:
    """(151,936 + 2 x 5,120) F32 values for each of 1,024 tokens: the 633.5 MiB that it printed."""
    row = next(row for row in measurements(DATA) if row.id == "m1239")
    assert PublishedMemory(catalog).predict(row) == pytest.approx(633.5, abs=0.05)
