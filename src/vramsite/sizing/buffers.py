"""Compute buffers of llama.cpp: working memory of the graph on the device and on the host."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.cache import CacheRules, slot_cells, window_cells
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferRules:
    """What the buffers depend on beside the architecture."""

    cache: CacheRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffers:
    """Bytes on the first device (of all the largest), on the host, and of the output buffer."""

    device_bytes: float
    host_bytes: float
    output_bytes: float


def compute_buffers(
    arch: Architecture, settings: Settings, weights: WeightBytes, rules: BufferRules
) -> Buffers:
    """The compute buffers under these settings."""
    tokens = min(settings.ubatch_tokens, settings.context_tokens)
    mask = 0.0
    full = False
    window = 0.0
    for group in arch.groups:
        if group.window_tokens > 0.0:
            window = window_cells(group, settings, rules.cache)
        elif group.k_width > 0.0:
            full = True
    mask = (slot_cells(settings, rules.cache) if full else 0.0) + window
    mask = mask * tokens * (2.0 if settings.flash_attention else 4.0)
    routed = arch.experts_used * (arch.embedding_width + 3.0 * arch.expert_ffn_width)
    widest = max(3.0 * arch.dense_ffn_width, routed) + 4.0 * arch.embedding_width
    logits = settings.outputs_max * arch.vocabulary
    output_bytes = arch.vocabulary * settings.parallel * 4.0
    if settings.backend == "cpu":
        return Buffers(
            device_bytes=0.0,
            host_bytes=mask + tokens * 4.0 * widest,
            output_bytes=output_bytes,
        )
    return Buffers(
        device_bytes=mask + 4.0 * max(tokens * widest, logits),
        host_bytes=mask + 16.0 * tokens * arch.embedding_width,
        output_bytes=output_bytes,
    )
