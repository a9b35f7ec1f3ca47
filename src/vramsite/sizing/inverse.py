"""The questions asked backwards: how much context, how many users.

Need grows with context and with sequences, so the largest that fits is found by halving.
(The least number of devices is `fit.gpus_needed`, the main memory needed `Fit.host_ram_bytes`.)
"""

from __future__ import annotations

from vramsite.sizing.accounts import account_for
from vramsite.sizing.buffers import BufferRules
from vramsite.sizing.cache import CacheRules
from vramsite.sizing.fit import with_placement
from vramsite.sizing.numeric import floor
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes

STEP_TOKENS = 256.0  # contexts are asked for in steps of this size
MOST_SEQUENCES = 1024.0


def with_load(settings: Settings, context_tokens: float, parallel: float) -> Settings:
    """The same settings with another context (all sequences together) and number of sequences."""
    return Settings(
        engine=settings.engine,
        backend=settings.backend,
        format=settings.format,
        imatrix=settings.imatrix,
        context_tokens=context_tokens,
        parallel=parallel,
        kv_unified=settings.kv_unified,
        kv_type_k=settings.kv_type_k,
        kv_type_v=settings.kv_type_v,
        ubatch_tokens=settings.ubatch_tokens,
        outputs_max=parallel,
        flash_attention=settings.flash_attention,
        full_window_cache=settings.full_window_cache,
        kv_offload=settings.kv_offload,
        gpus=settings.gpus,
        split=settings.split,
        gpu_layers=settings.gpu_layers,
        cpu_moe_layers=settings.cpu_moe_layers,
        vision=settings.vision,
        draft_tokens=settings.draft_tokens,
    )


def device_need(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    cache_rules: CacheRules,
    buffer_rules: BufferRules,
    profile: EngineProfile | None,
    vision_bytes: float,
) -> float:
    """What the busiest device holds, everything the settings leave open on the devices."""
    placed = settings
    if settings.gpu_layers is None and settings.cpu_moe_layers is None:
        placed = with_placement(settings, settings.gpus, None, 0.0)
    return account_for(
        profile, arch, weights, placed, cache_rules, buffer_rules, "", vision_bytes, None
    ).device_bytes


def largest_context(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    cache_rules: CacheRules,
    buffer_rules: BufferRules,
    profile: EngineProfile | None,
    vision_bytes: float,
    limit_bytes: float,
) -> float | None:
    """The longest context of each sequence that fits, in steps of 256 tokens, None for none.

    Never beyond what the model was made for.
    """
    low = 0.0
    high = floor(arch.context_max_tokens / STEP_TOKENS)
    while low < high:
        middle = floor((low + high + 1.0) / 2.0)
        asked = with_load(settings, middle * STEP_TOKENS * settings.parallel, settings.parallel)
        need = device_need(arch, weights, asked, cache_rules, buffer_rules, profile, vision_bytes)
        if need <= limit_bytes:
            low = middle
        else:
            high = middle - 1.0
    if low == 0.0:
        return None
    return low * STEP_TOKENS


def most_sequences(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    cache_rules: CacheRules,
    buffer_rules: BufferRules,
    profile: EngineProfile | None,
    vision_bytes: float,
    limit_bytes: float,
    sequence_tokens: float,
) -> float:
    """How many sequences of that length fit side by side; 0 where not even one does."""
    low = 0.0
    high = MOST_SEQUENCES
    while low < high:
        middle = floor((low + high + 1.0) / 2.0)
        asked = with_load(settings, middle * sequence_tokens, middle)
        need = device_need(arch, weights, asked, cache_rules, buffer_rules, profile, vision_bytes)
        if need <= limit_bytes:
            low = middle
        else:
            high = middle - 1.0
    return low
