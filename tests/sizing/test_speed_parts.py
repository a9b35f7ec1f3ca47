"""Decode and prefill from numbers small enough to follow by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from speed_examples import ARCH, DEVICE, NO_PREFILL, NOTHING, WEIGHTS

from vramsite.sizing.decode import decode_parts, decode_seconds
from vramsite.sizing.model_work import ModelWork, Routing, experts_touched_share, model_work
from vramsite.sizing.prefill import prefill_parts, prefill_seconds
from vramsite.sizing.records import Settings
from vramsite.sizing.speed_records import DecodeCosts, PrefillCosts

EVEN = Routing(busy_share=0.5, busy_traffic=0.5)


def parts(work: ModelWork, settings: Settings, sequences: float = 1.0):  # type: ignore[no-untyped-def]
    found = decode_parts(work, DEVICE, settings, 1000.0, sequences, 1e9, 1e5, EVEN)
    assert found is not None
    return found


def test_one_token_reads_dense_weights_and_the_experts_it_uses() -> None:
    work = model_work(ARCH, WEIGHTS, Settings())
    found = parts(work, Settings())
    assert found.weight_read_s == pytest.approx(0.2)
    assert found.cache_read_s == pytest.approx(0.001)
    assert found.compute_s == 0.0


def test_two_tokens_together_touch_seven_sixteenths_of_eight_experts() -> None:
    # Each token misses an expert with probability 3/4; both miss it with 9/16.
    work = model_work(ARCH, WEIGHTS, Settings())
    assert experts_touched_share(work, 2.0, EVEN) == pytest.approx(7.0 / 16.0)
    assert parts(work, Settings(), 2.0).weight_read_s == pytest.approx(0.18 + 0.08 * 7.0 / 16.0)


def test_busy_experts_are_shared_by_more_tokens() -> None:
    # A quarter of the experts gets all choices of two of eight: each token uses both of them.
    work = model_work(ARCH, WEIGHTS, Settings())
    uneven = Routing(busy_share=0.25, busy_traffic=1.0)
    assert experts_touched_share(work, 1.0, uneven) == pytest.approx(0.25)
    assert experts_touched_share(work, 50.0, uneven) == pytest.approx(0.25)


def test_a_thousand_tokens_touch_all_experts() -> None:
    work = model_work(ARCH, WEIGHTS, Settings())
    assert experts_touched_share(work, 1000.0, EVEN) == pytest.approx(1.0)


def test_tensor_split_halves_the_reading_and_adds_two_reductions_a_layer() -> None:
    settings = Settings(gpus=2.0, split="tensor")
    work = model_work(ARCH, WEIGHTS, settings)
    found = parts(work, settings)
    assert found.weight_read_s == pytest.approx(0.1)
    assert found.reductions == 4.0
    # Two devices send a message of 200 bytes once in each of the four reductions.
    assert found.link_s == pytest.approx(4 * 200 / 1e6)
    assert found.handovers == 0.0


def test_layer_split_is_no_faster_for_one_stream() -> None:
    settings = Settings(gpus=2.0, split="layer")
    work = model_work(ARCH, WEIGHTS, settings)
    found = parts(work, settings)
    assert found.weight_read_s == pytest.approx(0.2)
    assert found.handovers == 1.0


def test_experts_on_the_host_are_read_from_its_memory() -> None:
    settings = Settings(cpu_moe_layers=1.0)
    work = model_work(ARCH, WEIGHTS, settings)
    found = parts(work, settings)
    # Half of the experts: a quarter of 40,000 bytes is read for a token.
    assert found.weight_read_s == pytest.approx(0.19)
    assert found.host_read_s == pytest.approx(10_000 / 1e5)
    assert found.host_layers == 1.0


def test_layers_on_the_host_take_their_share_of_the_cache_along() -> None:
    settings = Settings(gpu_layers=2.0)  # the output head and the last layer
    work = model_work(ARCH, WEIGHTS, settings)
    found = parts(work, settings)
    assert work.host_layer_share == 0.5
    assert found.cache_read_s == pytest.approx(0.0005)


def test_costs_weigh_the_parts() -> None:
    work = model_work(ARCH, WEIGHTS, Settings())
    costs = DecodeCosts(**{**NOTHING, "weight_read_s": 1.5, "layers": 0.01, "steps": 0.1})
    assert decode_seconds(parts(work, Settings()), costs) == pytest.approx(0.3 + 0.02 + 0.1)


def test_an_unknown_bandwidth_gives_no_answer() -> None:
    work = model_work(ARCH, WEIGHTS, Settings())
    blind = replace(DEVICE, bandwidth_bytes_per_s=None)
    assert decode_parts(work, blind, Settings(), 1000.0, 1.0, 1e9, 1e5, EVEN) is None


def prompt(tokens: float, depth: float = 0.0, pass_tokens: float = 512.0):  # type: ignore[no-untyped-def]
    work = model_work(ARCH, WEIGHTS, Settings())
    found = prefill_parts(
        ARCH, work, DEVICE, Settings(), tokens, depth, pass_tokens, 1e9, 1e5, EVEN
    )
    assert found is not None
    return found


def test_a_prompt_multiplies_each_weight_but_the_head_once_a_token() -> None:
    found = prompt(100.0)
    assert found.dense_compute_s == pytest.approx(2 * 80_000 * 100 / 1e9)
    assert found.expert_compute_s == pytest.approx(2 * 20_000 * 100 / 1e9)


def test_attention_grows_with_what_is_cached_already() -> None:
    # 2 layers x 2 operations x 4 heads x (100 + 100) x 10 tokens x the mean of what they see.
    assert prompt(10.0).attention_compute_s == pytest.approx(2 * 2 * 800 * 10 * 5 / 1e9)
    assert prompt(10.0, 100.0).attention_compute_s == pytest.approx(2 * 2 * 800 * 10 * 105 / 1e9)


def test_weights_are_read_once_a_pass() -> None:
    assert prompt(512.0).layer_passes == 2.0
    assert prompt(1025.0).layer_passes == 6.0
    costs = PrefillCosts(**{**NO_PREFILL, "layer_passes": 0.5})
    assert prefill_seconds(prompt(1025.0), costs) == pytest.approx(3.0)
