"""Speeds with their interval: decode of one stream and of many, prompt processing, first token."""

from __future__ import annotations

from vramsite.sizing.cache import CacheRules, cache_read_bytes
from vramsite.sizing.decode import decode_parts, decode_seconds
from vramsite.sizing.model_work import ModelWork
from vramsite.sizing.prefill import prefill_parts, prefill_seconds
from vramsite.sizing.records import Architecture, Device, Estimate, Settings
from vramsite.sizing.speed_records import Evidence, Interval, SpeedCoefficients


def decode(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    rules: CacheRules,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    depth_tokens: float,
) -> Estimate:
    """Tokens a second of one stream that is alone, with `depth_tokens` in its cache."""
    rate = _rate(
        arch, work, device, settings, rules, coefficients, ram_bytes_per_s, depth_tokens, 1.0
    )
    interval = _decode_interval(work, settings, coefficients, 1.0)
    return _estimate(rate, interval, coefficients.decode_evidence)


def decode_total(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    rules: CacheRules,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    depth_tokens: float,
    sequences: float,
) -> Estimate:
    """Tokens a second of `sequences` streams together, each with `depth_tokens` in its cache."""
    rate = _rate(
        arch, work, device, settings, rules, coefficients, ram_bytes_per_s, depth_tokens, sequences
    )
    evidence = coefficients.batch_evidence if sequences > 1.0 else coefficients.decode_evidence
    return _estimate(rate, _decode_interval(work, settings, coefficients, sequences), evidence)


def prefill(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    prompt_tokens: float,
    depth_tokens: float = 0.0,
) -> Estimate:
    """Prompt tokens a second, for a prompt after `depth_tokens` that are in the cache already."""
    seconds = prompt_seconds(
        arch,
        work,
        device,
        settings,
        coefficients,
        ram_bytes_per_s,
        prompt_tokens,
        depth_tokens,
    )
    return prefill_of(work, coefficients, prompt_tokens, seconds)


def prefill_of(
    work: ModelWork, coefficients: SpeedCoefficients, prompt_tokens: float, seconds: float | None
) -> Estimate:
    """Prompt tokens a second of a prompt that takes `seconds`."""
    rate = prompt_tokens / seconds if seconds is not None else None
    return _estimate(rate, _prompt_interval(work, coefficients), coefficients.prefill_evidence)


def ttft(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    prompt_tokens: float,
) -> Estimate:
    """Seconds from a request with an empty cache to its first token."""
    seconds = prompt_seconds(
        arch, work, device, settings, coefficients, ram_bytes_per_s, prompt_tokens, 0.0
    )
    return ttft_of(work, coefficients, seconds)


def ttft_of(work: ModelWork, coefficients: SpeedCoefficients, seconds: float | None) -> Estimate:
    """Seconds to the first token after a prompt that takes `seconds`."""
    evidence = coefficients.ttft_evidence
    if seconds is None:
        return _estimate(None, coefficients.prompt, evidence)
    interval = _prompt_interval(work, coefficients)
    whole = seconds + coefficients.first_token_s
    return Estimate(
        value=whole,
        low=whole / interval.high,
        high=whole / interval.low,
        basis=evidence.basis,
        device_measurements=evidence.device_measurements,
        family_measurements=evidence.family_measurements,
    )


def prompt_seconds(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    prompt_tokens: float,
    depth_tokens: float,
) -> float | None:
    """Seconds to process a prompt; None where the device's rates are unknown."""
    width = coefficients.pass_tokens
    parts = prefill_parts(
        arch,
        work,
        device,
        settings,
        prompt_tokens,
        depth_tokens,
        width if width > 0.0 else settings.ubatch_tokens,
        coefficients.compute_flops,
        ram_bytes_per_s,
        coefficients.routing,
    )
    if parts is None:
        return None
    return prefill_seconds(parts, coefficients.prefill)


def step_seconds(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    rules: CacheRules,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    depth_tokens: float,
    sequences: float,
) -> float | None:
    """Seconds of one plain decode step; None where the device's bandwidth is unknown."""
    parts = decode_parts(
        work,
        device,
        settings,
        cache_read_bytes(arch, settings, rules, depth_tokens),
        sequences,
        coefficients.compute_flops,
        ram_bytes_per_s,
        coefficients.routing,
    )
    if parts is None:
        return None
    return decode_seconds(parts, coefficients.decode)


def _rate(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    rules: CacheRules,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    depth_tokens: float,
    sequences: float,
) -> float | None:
    plain = step_seconds(
        arch,
        work,
        device,
        settings,
        rules,
        coefficients,
        ram_bytes_per_s,
        depth_tokens,
        sequences,
    )
    if plain is None:
        return None
    if settings.draft_tokens <= 0.0:
        return sequences / plain
    return _drafted_tps(
        arch,
        work,
        device,
        settings,
        rules,
        coefficients,
        ram_bytes_per_s,
        depth_tokens,
        sequences,
        plain,
    )


def _drafted_tps(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    rules: CacheRules,
    coefficients: SpeedCoefficients,
    ram_bytes_per_s: float,
    depth_tokens: float,
    sequences: float,
    plain: float,
) -> float | None:
    """Tokens a second with drafts, where a step without them takes `plain` seconds."""
    # Verifying reads the weights once for all drafted tokens, but touches more experts.
    drafted = settings.draft_tokens
    parts = decode_parts(
        work,
        device,
        settings,
        cache_read_bytes(arch, settings, rules, depth_tokens) / (1.0 + drafted),
        sequences * (1.0 + drafted),
        coefficients.compute_flops,
        ram_bytes_per_s,
        coefficients.routing,
    )
    if parts is None:
        return None
    verify = decode_seconds(parts, coefficients.decode)
    gained = 1.0
    chance = 1.0
    left = drafted
    while left > 0.0:
        chance = chance * coefficients.draft_acceptance
        gained = gained + chance
        left = left - 1.0
    return sequences * gained / (verify + drafted * coefficients.draft_cost_share * plain)


def _decode_interval(
    work: ModelWork, settings: Settings, coefficients: SpeedCoefficients, sequences: float
) -> Interval:
    if work.host_layers > 0.0:
        return coefficients.offload
    if settings.gpus > 1.0:
        return coefficients.several
    if sequences > 1.0:
        return coefficients.batch
    return coefficients.single


def _prompt_interval(work: ModelWork, coefficients: SpeedCoefficients) -> Interval:
    return coefficients.offload if work.host_layers > 0.0 else coefficients.prompt


def _estimate(rate: float | None, interval: Interval, evidence: Evidence) -> Estimate:
    if rate is None:
        return Estimate(value=None, low=None, high=None, basis="none")
    return Estimate(
        value=rate,
        low=rate * interval.low,
        high=rate * interval.high,
        basis=evidence.basis,
        device_measurements=evidence.device_measurements,
        family_measurements=evidence.family_measurements,
    )
