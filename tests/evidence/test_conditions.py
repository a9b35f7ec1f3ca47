"""What the notes of measurement rows say, in the words the rows use."""

from __future__ import annotations

import pytest

from vramsite.evidence.conditions import read_conditions


@pytest.mark.parametrize(
    ("notes", "generated"),
    [
        ("llama-bench tg32@d32768; CUDA; fa=1; n_ubatch=2048", 32),
        ("server/endpoint run; prompt 128 tok, output 6000 tok, max ctx 6128", 6000),
        ("wall rate incl. prompt processing; short prompt; ~293.33 output tokens", 293.33),
        ("sglang bench_serving random ISL 1000 OSL 8000 (lengths randomised)", 4000),
        ("output_throughput (aggregate, includes prefill time); ISL 8192 OSL 128", 128),
        ("speed = (1 prompt + 2048 generated)/time", 2048),
        ("ShareGPT mean in 232 out 220; max concurrency 4", 220),
        ("llama-batched-bench PP=512 TG=64 B=2", 64),
        ("nothing about it", 128),
    ],
)
def test_generated_tokens(notes: str, generated: float) -> None:
    assert read_conditions(notes).generated_tokens == generated


@pytest.mark.parametrize(
    ("notes", "wall"),
    [
        ("single-stream wall rate (includes TTFT for this prompt); gen 256 tok", False),
        ("llmfit bench avg of 3 runs, wall rate incl. prompt processing", True),
        ("aggregate output token throughput (incl. TTFT)", True),
        ("output_throughput (aggregate, includes prefill time)", True),
        ("pure decode rate; run_id x", False),
        ("llama-bench tg128", False),
    ],
)
def test_rates_over_the_whole_request(notes: str, wall: bool) -> None:
    assert read_conditions(notes).wall_clock is wall


def test_micro_batch_and_split() -> None:
    found = read_conditions("llama-bench pp2048@d0; n_ubatch=2048; tp=4 pp=1")
    assert (found.ubatch_tokens, found.tensor_parallel) == (2048, 4)
    assert read_conditions("-sm row, two cards").cut_matrices
    assert not read_conditions("layer split over 2 cards").cut_matrices
