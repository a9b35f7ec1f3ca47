"""One breakdown for every engine: the profile's layout says which account is drawn up."""

from __future__ import annotations

from vramsite.sizing.buffers import BufferRules
from vramsite.sizing.cache import CacheRules, cache_bytes
from vramsite.sizing.memory import account
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import Architecture, Memory, Settings
from vramsite.sizing.vllm_memory import account_paged
from vramsite.sizing.weights import WeightBytes


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
