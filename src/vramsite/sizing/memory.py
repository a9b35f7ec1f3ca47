"""The memory breakdown: every term on each device and on the host."""

from __future__ import annotations

from vramsite.sizing.buffers import BufferRules, compute_buffers
from vramsite.sizing.cache import CacheBytes
from vramsite.sizing.draft import draft_bytes
from vramsite.sizing.numeric import index
from vramsite.sizing.placement import HOST, all_layers, layer_count_on_host, layer_device
from vramsite.sizing.records import Architecture, Memory, Settings, Term
from vramsite.sizing.weights import WeightBytes, WeightSplit, split_weights


def resolved_gpu_layers(weights: WeightBytes, settings: Settings) -> float:
    """The number of layers to offload, everything where the settings leave it open."""
    everything = all_layers(len(weights.layer_bytes) * 1.0)
    return everything if settings.gpu_layers is None else min(settings.gpu_layers, everything)


def layer_places(weights: WeightBytes, settings: Settings) -> list[float]:
    """The device (or HOST) of each layer of the file, and of the output layer as the last one.

    A single device needs no such list: it has the last layers.
    """
    if settings.gpus == 1.0:
        return []
    layer_count = len(weights.layer_bytes) * 1.0
    gpu_layers = resolved_gpu_layers(weights, settings)
    return [
        layer_device(layer * 1.0, layer_count, gpu_layers, settings.gpus)
        for layer in range(len(weights.layer_bytes) + 1)
    ]


def device_weights(weights: WeightBytes, settings: Settings) -> list[float]:
    """Weight bytes on each device."""
    split = split_weights(weights, resolved_gpu_layers(weights, settings), settings.cpu_moe_layers)
    return _placed_weights(weights, settings, split, layer_places(weights, settings))


def device_cache(
    weights: WeightBytes, settings: Settings, layer_bytes: list[float], total_bytes: float
) -> list[float]:
    """Cache (or state) bytes on each device, given those of each layer and their total."""
    places = layer_places(weights, settings)
    first = _first_on_device(weights, settings)
    return _placed_cache(settings, places, first, layer_bytes, total_bytes)


def _first_on_device(weights: WeightBytes, settings: Settings) -> float:
    layer_count = len(weights.layer_bytes) * 1.0
    return layer_count_on_host(layer_count, resolved_gpu_layers(weights, settings))


def _placed_weights(
    weights: WeightBytes, settings: Settings, split: WeightSplit, places: list[float]
) -> list[float]:
    """Weight bytes on each device; `split` is what all of them and the host hold.

    A layer split deals out whole layers, tensor parallelism gives each device an equal share.
    """
    if settings.gpus == 1.0:
        return [split.device_bytes]
    if settings.split == "tensor":
        return [split.device_bytes / settings.gpus for _ in range(index(settings.gpus))]
    kept = 0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers
    shares = [weights.every_device_bytes for _ in range(index(settings.gpus))]
    for layer in range(len(weights.layer_bytes)):
        place = places[layer]
        if place != HOST:
            held = weights.layer_bytes[layer]
            if layer < kept:
                held = held - weights.layer_expert_bytes[layer]
            shares[index(place)] = shares[index(place)] + held
    output = places[len(weights.layer_bytes)]
    if output != HOST:
        shares[index(output)] = shares[index(output)] + weights.output_bytes
    return shares


def _placed_cache(
    settings: Settings,
    places: list[float],
    first: float,
    layer_bytes: list[float],
    total_bytes: float,
) -> list[float]:
    """Cache (or state) bytes on each device, given those of each layer and their total."""
    shares = [0.0 for _ in range(index(settings.gpus))]
    if not settings.kv_offload or total_bytes == 0.0:
        return shares
    if settings.gpus == 1.0:
        if first == 0.0:
            return [total_bytes]
        held = 0.0
        for layer in range(index(first), len(layer_bytes)):
            held = held + layer_bytes[layer]
        return [held]
    for layer in range(len(layer_bytes)):
        place = places[layer]
        if place != HOST:
            if settings.split == "tensor":
                for device in range(index(settings.gpus)):
                    shares[device] = shares[device] + layer_bytes[layer] / settings.gpus
            else:
                shares[index(place)] = shares[index(place)] + layer_bytes[layer]
    return shares


def total_of(values: list[float]) -> float:
    """Their sum, added in order."""
    total = 0.0
    for value in values:
        total = total + value
    return total


def account(
    arch: Architecture,
    weights: WeightBytes,
    cache: CacheBytes,
    settings: Settings,
    rules: BufferRules,
    weights_basis: str,
    vision_bytes: float,
) -> Memory:
    """The breakdown under these settings; terms are those of the busiest device.

    Raises SizingError where the engine refuses the configuration.
    """
    buffers = compute_buffers(arch, settings, weights, rules)
    split = split_weights(weights, resolved_gpu_layers(weights, settings), settings.cpu_moe_layers)
    places = layer_places(weights, settings)
    held = _placed_weights(weights, settings, split, places)
    first = _first_on_device(weights, settings)
    kv = _placed_cache(settings, places, first, cache.layer_kv_bytes, cache.kv_bytes)
    state = _placed_cache(
        settings, places, first, cache.layer_recurrent_bytes, cache.recurrent_bytes
    )
    draft = draft_bytes(arch, weights, settings, rules.cache)
    per_device = []
    busiest = 0
    for device in range(index(settings.gpus)):
        total = held[device] + kv[device] + state[device]
        total = total + (buffers.device_bytes if device == 0 else buffers.later_device_bytes)
        if device == 0:
            total = total + vision_bytes
        if device == index(settings.gpus) - 1:
            total = total + draft
        per_device.append(total)
        if total > per_device[busiest]:
            busiest = device
    terms = [
        _term("weights", held[busiest], split.host_bytes, weights_basis),
        _term("kv_cache", kv[busiest], cache.kv_bytes - total_of(kv), "engine_formula"),
        _term(
            "recurrent_state",
            state[busiest],
            cache.recurrent_bytes - total_of(state),
            "engine_formula",
        ),
        _term(
            "compute_buffer",
            buffers.device_bytes if busiest == 0 else buffers.later_device_bytes,
            buffers.host_bytes + buffers.output_bytes,
            "engine_formula",
        ),
        _term("vision", vision_bytes if busiest == 0 else 0.0, 0.0, "published_file"),
        _term("draft", draft if busiest == index(settings.gpus) - 1 else 0.0, 0.0, "estimate"),
    ]
    device_bytes = 0.0
    host_bytes = 0.0
    for term in terms:
        device_bytes = device_bytes + term.device_bytes
        host_bytes = host_bytes + term.host_bytes
    return Memory(
        terms=[term for term in terms if term.device_bytes > 0.0 or term.host_bytes > 0.0],
        device_bytes=device_bytes,
        device_low_bytes=device_bytes,
        device_high_bytes=device_bytes,
        host_bytes=host_bytes,
        per_device_bytes=per_device,
    )


def _term(name: str, device_bytes: float, host_bytes: float, basis: str) -> Term:
    return Term(
        name=name,
        device_bytes=device_bytes,
        host_bytes=host_bytes,
        device_low_bytes=device_bytes,
        device_high_bytes=device_bytes,
        basis=basis,
    )
