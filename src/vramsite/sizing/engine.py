"""The whole answer for one model on one device: memory, fit and speed together."""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.accounts import (
    account_for,
    cache_rules_under,
    limit_under,
    own_profile,
    paged_gpus_needed,
)
from vramsite.sizing.buffers import BufferRules, KnownBuffers, keeping
from vramsite.sizing.cache import CacheBytes, CacheRules, cache_bytes, cache_placed
from vramsite.sizing.fit import (
    gpus_needed,
    judged,
    placement_that_fits,
    raised_bytes,
    usable_bytes,
    with_placement,
)
from vramsite.sizing.memory import account, resolved_gpu_layers
from vramsite.sizing.model_work import ModelWork, model_work
from vramsite.sizing.numeric import floor
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import (
    Architecture,
    Assumptions,
    Device,
    Estimate,
    Fit,
    Memory,
    Settings,
    Size,
)
from vramsite.sizing.speed import decode, decode_total, prefill_of, prompt_seconds, ttft_of
from vramsite.sizing.speed_records import SpeedCoefficients
from vramsite.sizing.vllm_memory import account_paged, split_weight_bytes
from vramsite.sizing.weights import WeightBytes

SHORT_PROMPT_TOKENS = 512.0
PROMPT_TOKENS = 4096.0  # the prompt that prefill speed and time to first token are stated for


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model in one weight format."""

    arch: Architecture
    weights: WeightBytes
    weights_basis: str  # exact_tensors, published_file, estimate
    file_bytes: float
    vision_bytes: float  # the vision projector's file, 0 where there is none
    known_buffers: list[KnownBuffers] = field(default_factory=list)  # under some settings


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineRules:
    """How the inference engine rounds its caches and sizes its buffers."""

    cache: CacheRules
    buffers: BufferRules
    # Engines that reserve memory otherwise than llama.cpp
    profiles: list[EngineProfile] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A model file under some settings with nothing offloaded: the same on every device."""

    file: ModelFile
    settings: Settings
    held: Settings  # the same with nothing offloaded: layers left open
    resolved: Settings  # and with the number of layers
    cache: CacheBytes
    memory: Memory
    work: ModelWork
    known_needs_bytes: list[float]  # see `gpus_needed`
    buffers: BufferRules  # with what was replayed


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where everything lies on a kind of device, and what it takes there."""

    settings: Settings
    memory: Memory
    work: ModelWork
    limit_bytes: float | None  # of one device


# What does not run has no speed.
UNKNOWN = Estimate(value=None, low=None, high=None, basis="none")


def loaded(file: ModelFile, settings: Settings, rules: EngineRules) -> Loaded:
    """The device-independent part. Raises SizingError where the engine refuses the settings."""
    profile = own_profile(rules.profiles, settings.engine)
    cache = cache_bytes(file.arch, settings, cache_rules_under(profile, rules.cache))
    vision = file.vision_bytes if settings.vision else 0.0
    buffers = keeping(rules.buffers, file.known_buffers)
    held = with_placement(settings, settings.gpus, None, 0.0)
    return Loaded(
        file=file,
        settings=settings,
        held=held,
        resolved=_resolved(file, held),
        cache=cache,
        memory=account_for(
            profile,
            file.arch,
            file.weights,
            held,
            rules.cache,
            buffers,
            file.weights_basis,
            vision,
            None,
        ),
        work=model_work(file.arch, file.weights, held),
        known_needs_bytes=[],
        buffers=buffers,
    )


def under(whole: Loaded, settings: Settings) -> Loaded:
    """The same under settings of which nothing plays a part in it (back ends of devices)."""
    held = with_placement(settings, settings.gpus, None, 0.0)
    return Loaded(
        file=whole.file,
        settings=settings,
        held=held,
        resolved=_resolved(whole.file, held),
        cache=whole.cache,
        memory=whole.memory,
        work=whole.work,
        known_needs_bytes=whole.known_needs_bytes,
        buffers=whole.buffers,
    )


def _resolved(file: ModelFile, chosen: Settings) -> Settings:
    return with_placement(
        chosen, chosen.gpus, resolved_gpu_layers(file.weights, chosen), chosen.cpu_moe_layers
    )


def placed(whole: Loaded, device: Device, rules: EngineRules, assumptions: Assumptions) -> Placed:
    """The placement of llama.cpp's layers: what the user left open is chosen so that it fits."""
    limit = usable_bytes(device, assumptions)
    return placed_as(whole, chosen_placement(whole, device, limit), limit, rules)


def chosen_placement(whole: Loaded, device: Device, limit: float | None) -> Settings:
    """The settings with the placement that is asked for, or one that fits."""
    file = whole.file
    asked = whole.settings
    chosen = whole.held
    if asked.gpu_layers is not None or asked.cpu_moe_layers is not None:
        chosen = asked
    if limit is not None and whole.memory.device_bytes > limit and device.kind != "unified":
        found = placement_that_fits(
            file.arch,
            file.weights,
            whole.cache,
            asked,
            whole.buffers,
            file.vision_bytes if asked.vision else 0.0,
            whole.memory.device_bytes,
            limit,
        )
        if found is not None:
            chosen = found
    return chosen


def placed_as(whole: Loaded, chosen: Settings, limit: float | None, rules: EngineRules) -> Placed:
    """What it takes with that placement."""
    file = whole.file
    memory = whole.memory
    work = whole.work
    if chosen.gpu_layers is not None or chosen.cpu_moe_layers != 0.0:
        memory = account(
            file.arch,
            file.weights,
            cache_placed(file.arch, whole.cache, chosen, rules.cache),
            chosen,
            whole.buffers,
            file.weights_basis,
            file.vision_bytes if chosen.vision else 0.0,
        )
        work = model_work(file.arch, file.weights, chosen, 1.0, 1.0, whole.work)
    return Placed(settings=chosen, memory=memory, work=work, limit_bytes=limit)


def size(
    whole: Loaded,
    device: Device,
    rules: EngineRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
    known: Placed | None = None,
) -> Size:
    """Memory, fit and speed of a loaded model on one kind of device.

    What the user left open (`gpu_layers`, `cpu_moe_layers`) is chosen so that it fits; `known` is
    what `placed` says, where it was asked before.
    Raises SizingError where the engine refuses the settings.
    """
    file = whole.file
    asked = whole.settings
    profile = own_profile(rules.profiles, asked.engine)
    if profile is not None:
        return _paged_size(whole, profile, device, rules, assumptions, coefficients)
    found = placed(whole, device, rules, assumptions) if known is None else known
    limit = found.limit_bytes
    needed: float | None = None
    most = raised_bytes(device, assumptions)
    if most is None:
        most = limit
    if limit is not None and whole.memory.device_bytes <= limit and asked.gpus == 1.0:
        needed = 1.0
    elif most is not None:
        needed = gpus_needed(
            file.arch,
            file.weights,
            whole.cache,
            asked,
            whole.buffers,
            file.vision_bytes if asked.vision else 0.0,
            most,
            whole.known_needs_bytes,
        )
    untouched = found.settings.gpu_layers is None and found.settings.cpu_moe_layers == 0.0
    resolved = whole.resolved if untouched else _resolved(file, found.settings)
    fit = judged(
        found.memory,
        whole.memory,
        resolved,
        device,
        assumptions,
        limit,
        needed,
        len(file.weights.layer_bytes) * 1.0,
    )
    return _with_speeds(
        whole,
        found.work,
        found.memory,
        fit,
        resolved,
        device,
        rules.cache,
        assumptions,
        coefficients,
    )


def _paged_size(
    whole: Loaded,
    profile: EngineProfile,
    device: Device,
    rules: EngineRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
) -> Size:
    """The answer for an engine that keeps everything on the devices."""
    file = whole.file
    asked = with_placement(whole.settings, whole.settings.gpus, None, 0.0)
    limit = limit_under(profile, device, assumptions)
    capacity = device.capacity_bytes
    memory = account_paged(file.arch, file.weights, asked, profile, file.weights_basis, capacity)
    needed: float | None = None
    if limit is not None:
        needed = paged_gpus_needed(file.arch, file.weights, asked, profile, capacity, limit)
    layers = len(file.weights.layer_bytes) * 1.0
    crowded = False
    if device.usable_bytes is not None:
        held = split_weight_bytes(file.arch, file.weights, asked, profile)
        crowded = held > device.usable_bytes * profile.weights_share
    fit = judged(memory, memory, asked, device, assumptions, limit, needed, layers, crowded)
    cache = cache_rules_under(profile, rules.cache)
    return _with_speeds(
        whole, whole.work, memory, fit, asked, device, cache, assumptions, coefficients
    )


def _with_speeds(
    whole: Loaded,
    work: ModelWork,
    memory: Memory,
    fit: Fit,
    resolved: Settings,
    device: Device,
    cache: CacheRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
) -> Size:
    file = whole.file
    asked = whole.settings
    ram = assumptions.ram_bandwidth_bytes_per_s
    depth = floor(asked.context_tokens / asked.parallel)
    speeds = [UNKNOWN for _ in range(6)]
    if fit.verdict != "exceeds":
        prompt = min(PROMPT_TOKENS, file.arch.context_max_tokens)
        one = decode(file.arch, work, device, resolved, cache, coefficients, ram, depth)
        together = one
        if asked.parallel != 1.0:
            together = decode_total(
                file.arch,
                work,
                device,
                resolved,
                cache,
                coefficients,
                ram,
                depth,
                asked.parallel,
            )
        seconds = [
            prompt_seconds(file.arch, work, device, resolved, coefficients, ram, tokens, 0.0)
            for tokens in [prompt, min(SHORT_PROMPT_TOKENS, prompt), max(depth, 1.0)]
        ]
        speeds = [
            one,
            together,
            prefill_of(work, coefficients, prompt, seconds[0]),
            ttft_of(work, coefficients, seconds[0]),
            ttft_of(work, coefficients, seconds[1]),
            ttft_of(work, coefficients, seconds[2]),
        ]
    return Size(
        settings=resolved,
        memory=memory,
        fit=fit,
        decode_tps=speeds[0],
        decode_total_tps=speeds[1],
        prefill_tps=speeds[2],
        ttft_s=speeds[3],
        ttft_short_s=speeds[4],
        ttft_full_s=speeds[5],
        weights_file_bytes=file.file_bytes,
        active_bytes_per_token=file.weights.active_bytes_per_token,
    )
