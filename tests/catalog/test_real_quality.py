"""The published quality of formats, as the file of the real catalog has it."""

from __future__ import annotations

from pathlib import Path

from vramsite.catalog.quant_quality import load_quant_quality

DATA = Path(__file__).resolve().parents[2] / "data"


def test_ratios_follow_from_the_perplexities_beside_them() -> None:
    rows = load_quant_quality(DATA)
    assert len(rows) >= 200
    for row in rows:
        if row.ppl is not None and row.ppl_baseline is not None and row.ppl_ratio is not None:
            assert abs(row.ppl / row.ppl_baseline - row.ppl_ratio) < 6e-5, row


def test_llama_3_8b_as_llama_cpp_published_it() -> None:
    # examples/perplexity/README.md of llama.cpp: q4_K_M without importance matrix.
    found = [
        row.kld
        for row in load_quant_quality(DATA)
        if row.model == "Llama-3-8B" and row.format == "Q4_K_M" and row.imatrix is None
    ]
    assert found == [0.031273]
