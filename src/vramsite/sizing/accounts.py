"""One breakdown for every engine: the profile's layout says which account is drawn up."""

from __future__ import annotations

from vramsite.sizing.buffers import BufferRules
from vramsite.sizing.cache import CacheRules, cache_bytes
from vramsite.sizing.fit import MOST_GPUS, with_placement
from vramsite.sizing.memory import account
from vramsite.sizing.numeric import ceil_to
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import Architecture, Assumptions, Device, Memory, Settings
from vramsite.sizing.vllm_memory import account_paged
from vramsite.sizing.weights import WeightBytes


def own_profile(profiles: list[EngineProfile], engine: str) -> EngineProfile | None:
    """The profile of an engine that reserves memory otherwise than llama.cpp, None for the rest."""
    for profile in profiles:
        if profile.engine == engine and profile.layout != "slots":
            return profile
    return None


def cache_rules_under(profile: EngineProfile | None, rules: CacheRules) -> CacheRules:
    """llama.cpp's rules, or the same with the cache types that another engine has."""
    if profile is None:
        return rules
    return CacheRules(
        types=profile.cache_types,
        cell_multiple=rules.cell_multiple,
        padded_row_elements=rules.padded_row_elements,
        device_alignment_bytes=rules.device_alignment_bytes,
        host_alignment_bytes=rules.host_alignment_bytes,
        state_element_bytes=rules.state_element_bytes,
        rollback_archs=rules.rollback_archs,
    )


def limit_under(profile: EngineProfile, device: Device, assumptions: Assumptions) -> float | None:
    """What the model may take on one device: the engine's share of it, or all that is usable.

    An engine whose share does not cover working memory leaves the rest of the device for it.
    """
    if device.usable_bytes is None or device.capacity_bytes is None:
        return None
    limit = device.usable_bytes
    if profile.counts_work:
        limit = min(limit, device.capacity_bytes * profile.utilization)
    return max(limit - assumptions.runtime_bytes - assumptions.display_bytes, 0.0)


def paged_gpus_needed(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    profile: EngineProfile,
    capacity_bytes: float | None,
    limit_bytes: float,
) -> float | None:
    """Least number of devices that the attention heads can be dealt out to, None for none."""
    gpus = 1.0
    while gpus <= MOST_GPUS:
        if ceil_to(arch.attention_heads, gpus) == arch.attention_heads:
            several = with_placement(settings, gpus, None, 0.0)
            memory = account_paged(arch, weights, several, profile, "", capacity_bytes)
            if memory.device_bytes <= limit_bytes:
                return gpus
        gpus = gpus + 1.0
    return None


def account_for(
    profile: EngineProfile | None,
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    cache_rules: CacheRules,
    buffer_rules: BufferRules,
    weights_basis: str,
    vision_bytes: float,
    capacity_bytes: float | None,
) -> Memory:
    """The breakdown under these settings; no profile: llama.cpp's.

    `capacity_bytes` is one device's, where it is known: paged engines take larger steps on large
    devices. Raises SizingError where the engine refuses the configuration.
    """
    if profile is None or profile.layout == "slots":
        return account(
            arch,
            weights,
            cache_bytes(arch, settings, cache_rules),
            settings,
            buffer_rules,
            weights_basis,
            vision_bytes,
        )
    return account_paged(arch, weights, settings, profile, weights_basis, capacity_bytes)
