"""Whether a configuration fits a device, and what to offload when it does not.

Fit is judged per device: the busiest card decides, memory is never summed over cards.
"""

from __future__ import annotations

from vramsite.sizing.buffers import BufferRules, compute_buffers
from vramsite.sizing.cache import CacheBytes, cache_placed
from vramsite.sizing.memory import account
from vramsite.sizing.model_work import model_work
from vramsite.sizing.numeric import floor, index
from vramsite.sizing.placement import all_layers
from vramsite.sizing.records import Architecture, Assumptions, Device, Fit, Memory, Settings
from vramsite.sizing.weights import WeightBytes

MOST_GPUS = 16.0


def with_placement(
    settings: Settings, gpus: float, gpu_layers: float | None, cpu_moe_layers: float | None
) -> Settings:
    """The same settings with another number of devices and another placement of layers."""
    return Settings(
        engine=settings.engine,
        backend=settings.backend,
        format=settings.format,
        imatrix=settings.imatrix,
        context_tokens=settings.context_tokens,
        parallel=settings.parallel,
        kv_unified=settings.kv_unified,
        kv_type_k=settings.kv_type_k,
        kv_type_v=settings.kv_type_v,
        ubatch_tokens=settings.ubatch_tokens,
        outputs_max=settings.outputs_max,
        flash_attention=settings.flash_attention,
        full_window_cache=settings.full_window_cache,
        kv_offload=settings.kv_offload,
        gpus=gpus,
        split=settings.split,
        gpu_layers=gpu_layers,
        cpu_moe_layers=cpu_moe_layers,
        vision=settings.vision,
        draft_tokens=settings.draft_tokens,
    )


def usable_bytes(device: Device, assumptions: Assumptions) -> float | None:
    """What the model may take on one device: its limit less what the runtime and display take."""
    return _left_over(device.usable_bytes, assumptions)


def raised_bytes(device: Device, assumptions: Assumptions) -> float | None:
    """The same once the system's limit is raised, None where it cannot be, as far as is known."""
    return _left_over(device.raised_bytes, assumptions)


def _left_over(limit_bytes: float | None, assumptions: Assumptions) -> float | None:
    if limit_bytes is None:
        return None
    return max(limit_bytes - assumptions.runtime_bytes - assumptions.display_bytes, 0.0)


def least_expert_layers_on_host(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    rules: BufferRules,
    whole_bytes: float,
    limit_bytes: float,
) -> float | None:
    """The least --n-cpu-moe that makes the device hold the rest; None where none does.

    `whole_bytes` is the need of one device with everything on it.
    """
    if weights.routed_bytes <= 0.0:
        return None
    before = compute_buffers(arch, settings, weights, rules).device_bytes
    moved = with_placement(settings, settings.gpus, settings.gpu_layers, arch.layer_count)
    after = compute_buffers(arch, moved, weights, rules).device_bytes
    need = whole_bytes - before + after
    for layer in range(len(weights.layer_bytes)):
        need = need - weights.layer_expert_bytes[layer]
        if need <= limit_bytes:
            return float(layer) + 1.0
    return None


def gpu_layers_within(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    cpu_moe: bool,
    room_bytes: float,
) -> float:
    """The largest -ngl whose weights and cache take no more than that, -1 where not even 0 does."""
    need = weights.output_bytes
    placed = 0.0
    layer = len(weights.layer_bytes) * 1.0
    if room_bytes < 0.0:
        return -1.0
    while need <= room_bytes:
        placed = placed + 1.0
        layer = layer - 1.0
        if layer < 0.0:
            return placed
        at = index(layer)
        need = need + weights.layer_bytes[at]
        if layer < arch.layer_count:
            need = need + cache.layer_bytes[at]
        if cpu_moe:
            need = need - weights.layer_expert_bytes[at]
    return placed


def most_gpu_layers(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    settings: Settings,
    rules: BufferRules,
    limit_bytes: float,
) -> float:
    """The largest -ngl below all that fits one device, -1 where not even 0 does.

    Buffers depend on the placement (cache and weights on the host are copied for a prompt), so
    each guess is what the buffers of the guess before leave room for.
    """
    cpu_moe = settings.cpu_moe_layers is not None and settings.cpu_moe_layers > 0.0
    beyond = all_layers(len(weights.layer_bytes) * 1.0)
    best = -1.0
    guess = beyond - 1.0
    while guess > best:
        partial = with_placement(settings, 1.0, guess, settings.cpu_moe_layers)
        room = limit_bytes - compute_buffers(arch, partial, weights, rules).device_bytes
        fitting = gpu_layers_within(arch, weights, cache, cpu_moe, room)
        if fitting < guess:
            beyond = guess
        else:
            best = guess
        guess = min(max(fitting, 0.0), beyond - 1.0)
    return best


def placement_on_several(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    settings: Settings,
    rules: BufferRules,
    vision_bytes: float,
    limit_bytes: float,
) -> Settings | None:
    """What to leave on the host so that the busiest of several devices holds its part.

    Layers are dealt out evenly, so experts of the first ones relieve the first devices alone. Of
    the fewest whole layers and the fewest layers' experts, the one of which a token reads less.
    """
    count = len(weights.layer_bytes) * 1.0
    best: Settings | None = None
    least = 0.0
    for experts in [False, True]:
        fitting = -1.0
        beyond = count + 1.0
        found: Settings | None = None
        while beyond - fitting > 1.0:
            middle = floor((fitting + beyond) / 2.0)
            tried = with_placement(settings, settings.gpus, middle, 0.0)
            if experts:
                tried = with_placement(settings, settings.gpus, count + 1.0, count - middle)
            moved = cache_placed(arch, cache, tried, rules.cache)
            memory = account(arch, weights, moved, tried, rules, "", vision_bytes)
            if memory.device_bytes <= limit_bytes:
                fitting = middle
                found = tried
            else:
                beyond = middle
        if found is not None:
            work = model_work(arch, weights, found)
            read = work.host_dense_bytes
            if arch.expert_count > 0.0:
                read = read + work.host_routed_bytes * arch.experts_used / arch.expert_count
            if best is None or read < least:
                best = found
                least = read
    return best


def placement_that_fits(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    settings: Settings,
    rules: BufferRules,
    vision_bytes: float,
    whole_bytes: float,
    limit_bytes: float,
) -> Settings | None:
    """Settings with as little on the host as makes the rest fit, None where nothing does.

    Experts go first (they are read sparsely), whole layers when that is not enough; what the
    user fixed stays fixed. `whole_bytes` is the need of one device with everything on it, vision
    included.
    """
    everything = all_layers(len(weights.layer_bytes) * 1.0)
    if settings.gpus > 1.0:
        if settings.cpu_moe_layers is not None or settings.gpu_layers is not None:
            return None
        return placement_on_several(
            arch, weights, cache, settings, rules, vision_bytes, limit_bytes
        )
    if settings.cpu_moe_layers is None and settings.gpu_layers is None:
        experts = least_expert_layers_on_host(
            arch, weights, settings, rules, whole_bytes, limit_bytes
        )
        if experts is not None:
            return with_placement(settings, settings.gpus, everything, experts)
    if settings.gpu_layers is not None:
        return None
    chosen = settings.cpu_moe_layers
    if chosen is None and weights.routed_bytes > 0.0:
        chosen = arch.layer_count
    start = with_placement(settings, 1.0, None, chosen)
    layers = most_gpu_layers(arch, weights, cache, start, rules, limit_bytes - vision_bytes)
    if layers < 0.0:
        return None
    return with_placement(settings, 1.0, layers, 0.0 if chosen is None else chosen)


def gpus_needed(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    settings: Settings,
    rules: BufferRules,
    vision_bytes: float,
    limit_bytes: float,
    known_bytes: list[float],
) -> float | None:
    """Least number of such devices of which the busiest stays within the limit, None for none.

    `known_bytes` keeps the busiest device's need for 1, 2, ... devices, 0 where it was not asked
    for yet: the same on every device, it is computed once.
    """
    while len(known_bytes) < MOST_GPUS:
        known_bytes.append(0.0)
    gpus = max(1.0, floor(weights.device_bytes / limit_bytes)) if limit_bytes > 0.0 else MOST_GPUS
    while gpus <= MOST_GPUS:
        place = index(gpus - 1.0)
        if known_bytes[place] == 0.0:
            several = with_placement(settings, gpus, None, 0.0)
            memory = account(arch, weights, cache, several, rules, "", vision_bytes)
            known_bytes[place] = memory.device_bytes
        if known_bytes[place] <= limit_bytes:
            return gpus
        gpus = gpus + 1.0
    return None


def judged(
    memory: Memory,
    whole: Memory,
    settings: Settings,
    device: Device,
    assumptions: Assumptions,
    limit_bytes: float | None,
    needed: float | None,
    layer_count: float,
    crowded: bool = False,
) -> Fit:
    """The verdict on a breakdown, `whole` being the one with everything on the devices.

    `crowded`: the engine warns that it is slow with so much of the device taken by weights.
    """
    raised = raised_bytes(device, assumptions)
    offloaded = max(memory.host_bytes - whole.host_bytes, 0.0)
    verdict = "unknown"
    reserve: float | None = None
    utilization: float | None = None
    if limit_bytes is not None and limit_bytes > 0.0:
        reserve = limit_bytes - memory.device_bytes
        utilization = memory.device_bytes / limit_bytes
        verdict = "fits"
        if device.kind == "unified":
            verdict = "unified"
        if crowded or reserve < limit_bytes * assumptions.tight_fraction:
            verdict = "tight"
        if offloaded > 0.0:
            verdict = "offload"
            if memory.host_bytes > assumptions.host_ram_bytes:
                verdict = "exceeds"
        if reserve < 0.0:
            verdict = "exceeds"
            if raised is not None and memory.device_bytes <= raised:
                verdict = "raised"
    return Fit(
        verdict=verdict,
        usable_bytes=limit_bytes,
        runtime_bytes=assumptions.runtime_bytes + assumptions.display_bytes,
        reserve_bytes=reserve,
        utilization=utilization,
        offloaded_bytes=offloaded,
        gpu_layers=all_layers(layer_count) if settings.gpu_layers is None else settings.gpu_layers,
        cpu_moe_layers=0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers,
        host_ram_bytes=memory.host_bytes,
        gpus_needed=needed,
        needed_bytes=whole.device_bytes,
        raised_bytes=raised,
    )
