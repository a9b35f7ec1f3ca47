"""Records of the speed model: what a step consists of, and what each part costs.

Every part is seconds at the data sheet's rates or a count; its coefficient is the factor or the
seconds that measurements give it. The time of a step is the sum of part times coefficient.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.model_work import Routing


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeParts:
    """One decode step. `*_s` are seconds at nominal rates, the others counts."""

    weight_read_s: float
    cache_read_s: float
    layers: float
    recurrent_layers: float
    expert_layers: float
    steps: float  # 1
    compute_s: float  # matrix products of the sequences beyond the first
    sequences: float  # beyond the first
    reductions: float  # all-reduces among devices (tensor split)
    link_s: float  # their bytes over the link
    handovers: float  # between devices (layer split)
    host_read_s: float  # weights and cache from host memory
    host_layers: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeCosts:
    """What each part of a decode step costs: factors on seconds, seconds for each count."""

    weight_read_s: float
    cache_read_s: float
    layers: float
    recurrent_layers: float
    expert_layers: float
    steps: float
    compute_s: float
    sequences: float
    reductions: float
    link_s: float
    handovers: float
    host_read_s: float
    host_layers: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillParts:
    """Prompt processing of one prompt. A pass is one micro-batch through the model."""

    dense_compute_s: float
    expert_compute_s: float
    attention_compute_s: float
    masked_compute_s: float  # attention to what sparse attention does not select
    weight_read_s: float  # weights of all passes
    recurrent_tokens: float  # tokens x recurrent layers
    layer_passes: float
    prompts: float  # 1
    reductions: float
    link_s: float
    host_copy_s: float  # host weights of all passes over the host link
    host_compute_s: float  # the same read from host memory


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillCosts:
    """What each part of prompt processing costs."""

    dense_compute_s: float
    expert_compute_s: float
    attention_compute_s: float
    masked_compute_s: float
    weight_read_s: float
    recurrent_tokens: float
    layer_passes: float
    prompts: float
    reductions: float
    link_s: float
    host_copy_s: float
    host_compute_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Factors on a predicted speed that hold 80 % of left-out measurements between them."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What there is of published measurements of one metric with this engine and back end."""

    basis: str  # device, family, engine, all: the closest of them
    device_measurements: float
    family_measurements: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedCoefficients:
    """All that calibration says about one device, engine, back end, format and kind of model."""

    decode: DecodeCosts
    prefill: PrefillCosts
    compute_flops: float | None  # matrix throughput that compute seconds are counted at
    pass_tokens: float  # longest micro-batch of the engine, 0: the setting's
    first_token_s: float  # from the end of prompt processing to the first token, and scheduling
    single: Interval  # decode, one stream on one device
    batch: Interval  # decode, several streams
    several: Interval  # decode, several devices
    offload: Interval  # decode and prefill with weights on the host
    prompt: Interval  # prefill
    # One stream, several streams, prompts, times to the first token
    decode_evidence: Evidence
    batch_evidence: Evidence
    prefill_evidence: Evidence
    ttft_evidence: Evidence
    routing: Routing
    draft_acceptance: float  # probability that a drafted token is accepted
    draft_cost_share: float  # time of drafting one token, as a share of a plain step
