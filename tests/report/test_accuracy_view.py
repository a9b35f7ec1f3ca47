"""Errors by term, engine and family, from made-up judgements."""

from __future__ import annotations

from vramsite.evidence.memory import Judgement
from vramsite.evidence.run_name import RunName
from vramsite.evidence.statistics import Comparison
from vramsite.report.accuracy_view import accuracy_of

MIB = 2.0**20


def judged(term: str, family: str, predicted: float, measured: float) -> Judgement:
    row = f"{family} {measured}"
    return Judgement(
        term, "llama.cpp", family, row, Comparison(row, predicted, measured, RunName(family, "F16"))
    )


def test_lines_of_terms_and_families() -> None:
    found = accuracy_of(
        [
            judged("kv_bytes", "llama", 100.0 * MIB, 100.0 * MIB),
            judged("kv_bytes", "llama", 110.0 * MIB, 100.0 * MIB),
            judged("kv_bytes", "qwen3", 1.0 * MIB, 2.0 * MIB),  # half, yet within 4 MiB
            Judgement("kv_bytes", "llama.cpp", "", "row", None, "model x is not in the catalog"),
            Judgement("kv_bytes", "vllm", "", "row", None, "", unusable=True),
            judged("n_tensors", "llama", 5.0, 6.0),  # no memory: not on the page
        ]
    )
    assert found.rows == 3
    ours, other = found.totals
    assert (ours.term, ours.engine, ours.family) == ("kv_bytes", "llama.cpp", "")
    assert (ours.count, ours.refused, ours.exact) == (3, 1, 1)
    assert ours.median == 0.1
    assert ours.within_tight == 2 / 3
    assert ours.worst is not None
    assert (ours.worst.run, ours.worst.error) == (RunName("qwen3", "F16"), 0.5)
    assert (other.engine, other.count, other.unusable, other.median) == ("vllm", 0, 1, None)
    assert [(line.family, line.count) for line in found.by_family] == [("llama", 2), ("qwen3", 1)]
    assert found.own == (3, 1)
    assert [(one.family, one.count, one.exact) for one in found.families] == [
        ("llama", 2, 1),
        ("qwen3", 1, 0),
    ]
    assert [len(one.inexact) for one in found.families] == [1, 1]
