"""From cases to parts and times: what the fit sees of a measurement, and what it predicts."""

from __future__ import annotations

import re
from dataclasses import asdict

from vramsite.catalog.speed_model import SpeedModel
from vramsite.evidence.speed_case import SpeedCase
from vramsite.sizing.cache import CacheRules, cache_read_bytes
from vramsite.sizing.decode import decode_parts
from vramsite.sizing.prefill import prefill_parts

_REPOSITORY = re.compile(r"https?://github\.com/([^/]+/[^/]+)")
# Repositories that collect figures of many people: there a publisher is the single source.
_COLLECTIONS = ("AlexsJones/llmfit", "ggml-org/llama.cpp", "ikawrakow/ik_llama.cpp")


def publisher(source: str) -> str:
    """Who measured: the repository, or the source itself where it collects many people's."""
    found = _REPOSITORY.match(source)
    if found is None or found.group(1) in _COLLECTIONS:
        return source
    return found.group(1)


def total_rate(case: SpeedCase) -> float:
    """The row's rate over all streams and devices, tokens a second."""
    row = case.row
    if row.per == "per_user":
        return row.value * case.sequences
    if row.per == "per_gpu":
        return row.value * row.gpu_count
    return row.value


def measured_seconds(case: SpeedCase) -> float:
    """Seconds of one decode step, of the whole prompt, or until the first token."""
    if case.row.metric == "ttft_ms":
        return case.row.value / 1e3
    if case.row.metric == "prefill_tps":
        return case.prompt_tokens / total_rate(case)
    return case.sequences / total_rate(case)


def case_decode_parts(
    case: SpeedCase, model: SpeedModel, rules: CacheRules, compute_flops: float | None
) -> dict[str, float]:
    """Part -> size of one decode step."""
    parts = decode_parts(
        case.work,
        case.device,
        case.settings,
        cache_read_bytes(case.arch, case.settings, rules, case.depth_tokens),
        case.sequences,
        compute_flops,
        case.ram_bytes_per_s,
        model.routing.record(),
    )
    return asdict(parts) if parts is not None else {}


def case_prefill_parts(
    case: SpeedCase, model: SpeedModel, compute_flops: float | None, *, depth_tokens: float
) -> dict[str, float]:
    """Part -> size of the case's prompt; `first_token` is 1 where the time lasts until then."""
    limit = model.engine(case.settings.engine).pass_tokens
    parts = prefill_parts(
        case.arch,
        case.work,
        case.device,
        case.settings,
        max(case.prompt_tokens, 1.0),
        depth_tokens,
        limit if limit > 0.0 else case.settings.ubatch_tokens,
        compute_flops,
        case.ram_bytes_per_s,
        model.routing.record(),
    )
    if parts is None:
        return {}
    until_first_token = case.row.metric == "ttft_ms" or case.conditions.wall_clock
    return {**asdict(parts), "first_token": 1.0 if until_first_token else 0.0}
