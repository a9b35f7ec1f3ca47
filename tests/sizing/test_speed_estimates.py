"""Estimates: intervals, speculative decoding, devices nothing is known of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from speed_examples import ARCH, DEVICE, NO_PREFILL, NOTHING, WEIGHTS

from vramsite.sizing.cache import CacheRules, CacheType
from vramsite.sizing.model_work import Routing, model_work
from vramsite.sizing.records import Settings
from vramsite.sizing.speed import decode, decode_total, prefill, ttft
from vramsite.sizing.speed_records import (
    DecodeCosts,
    Evidence,
    Interval,
    PrefillCosts,
    SpeedCoefficients,
)

RULES = CacheRules(
    types=[CacheType(name="f16", block_elements=1.0, block_bytes=2.0, quantised=False)],
    cell_multiple=256.0,
    padded_row_elements=512.0,
    device_alignment_bytes=128.0,
    host_alignment_bytes=32.0,
    state_element_bytes=4.0,
    rollback_archs=[],
)


def of_device(count: float) -> Evidence:
    return Evidence(basis="device", device_measurements=count, family_measurements=7.0)


EXACT = Interval(low=0.9, high=1.1)
COEFFICIENTS = SpeedCoefficients(
    decode=DecodeCosts(**{**NOTHING, "weight_read_s": 1.0}),
    prefill=PrefillCosts(**{**NO_PREFILL, "prompts": 2.0}),
    compute_flops=1e9,
    pass_tokens=0.0,
    first_token_s=0.5,
    single=EXACT,
    batch=Interval(low=0.8, high=1.2),
    several=Interval(low=0.7, high=1.3),
    offload=Interval(low=0.5, high=2.0),
    prompt=Interval(low=0.8, high=1.25),
    decode_evidence=of_device(3.0),
    batch_evidence=of_device(5.0),
    prefill_evidence=of_device(2.0),
    ttft_evidence=of_device(1.0),
    routing=Routing(busy_share=0.5, busy_traffic=0.5),
    draft_acceptance=0.5,
    draft_cost_share=0.0,
)
WORK = model_work(ARCH, WEIGHTS, Settings())


def one(settings: Settings, coefficients: SpeedCoefficients = COEFFICIENTS):  # type: ignore[no-untyped-def]
    return decode(ARCH, WORK, DEVICE, settings, RULES, coefficients, 1e5, 0.0)


def test_a_stream_that_reads_a_fifth_of_a_second_a_token_makes_five_a_second() -> None:
    found = one(Settings())
    assert (found.value, found.low, found.high) == pytest.approx((5.0, 4.5, 5.5))
    assert (found.basis, found.device_measurements) == ("device", 3.0)


def test_several_streams_have_their_own_interval() -> None:
    found = decode_total(ARCH, WORK, DEVICE, Settings(), RULES, COEFFICIENTS, 1e5, 0.0, 2.0)
    assert found.value == pytest.approx(2.0 / (0.18 + 0.08 * 7.0 / 16.0))
    assert found.low == pytest.approx(found.value * 0.8)
    assert found.device_measurements == 5.0


def test_drafting_gains_accepted_tokens_and_pays_for_more_experts() -> None:
    # One draft, accepted every second time: 1.5 tokens a step that touches 7/16 of the experts.
    found = one(Settings(draft_tokens=1.0))
    assert found.value == pytest.approx(1.5 / (0.18 + 0.08 * 7.0 / 16.0))


def test_drafting_with_a_poor_draft_makes_it_slower() -> None:
    poor = replace(COEFFICIENTS, draft_acceptance=0.05)
    slow = one(Settings(draft_tokens=2.0), poor).value
    plain = one(Settings()).value
    assert slow is not None
    assert plain is not None
    assert slow < plain


def test_an_unknown_device_has_no_speed() -> None:
    blind = replace(DEVICE, bandwidth_bytes_per_s=None)
    found = decode(ARCH, WORK, blind, Settings(), RULES, COEFFICIENTS, 1e5, 0.0)
    assert (found.value, found.low, found.basis) == (None, None, "none")


def test_first_token_comes_after_the_prompt_and_the_engine() -> None:
    assert prefill(ARCH, WORK, DEVICE, Settings(), COEFFICIENTS, 1e5, 100.0).value == 50.0
    found = ttft(ARCH, WORK, DEVICE, Settings(), COEFFICIENTS, 1e5, 100.0)
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 2.0, 3.125))
    assert found.device_measurements == 1.0
