"""The memory breakdown: every term on each device and on the host."""

from __future__ import annotations

from vramsite.sizing.buffers import BufferRules, compute_buffers
from vramsite.sizing.cache import CacheBytes
from vramsite.sizing.numeric import index
from vramsite.sizing.placement import HOST, all_layers, layer_device
from vramsite.sizing.records import Architecture, Memory, Settings, Term
from vramsite.sizing.weights import WeightBytes


def placed_weights(
    arch: Architecture, weights: WeightBytes, settings: Settings, device: float
) -> float:
    """Weight bytes on one device (HOST for what the host holds beside its own input tables).

    With tensor parallelism every device holds an equal share of each layer.
    """
    gpu_layers = resolved_gpu_layers(arch, settings)
    cpu_moe = 0.0 if settings.cpu_moe_layers is None else settings.cpu_moe_layers
    if settings.split == "tensor" and settings.gpus > 1.0:
        shared = 0.0
        for layer in range(index(arch.layer_count)):
            held = weights.layer_bytes[layer]
            if float(layer) < cpu_moe:
                held = held - weights.layer_expert_bytes[layer]
            shared = shared + held
        shared = shared + weights.output_bytes
        return 0.0 if device == HOST else shared / settings.gpus
    total = 0.0
    for layer in range(index(arch.layer_count)):
        experts = weights.layer_expert_bytes[layer] if float(layer) < cpu_moe else 0.0
        place = layer_device(float(layer), arch.layer_count, gpu_layers, settings.gpus)
        if place == device:
            total = total + weights.layer_bytes[layer] - experts
        if device == HOST:
            if place == HOST:
                total = total + weights.layer_bytes[layer]
            else:
                total = total + experts
    if layer_device(arch.layer_count, arch.layer_count, gpu_layers, settings.gpus) == device:
        total = total + weights.output_bytes
    return total


def placed_cache(
    arch: Architecture, cache: CacheBytes, settings: Settings, device: float, recurrent: bool
) -> float:
    """KV cache (or recurrent state) bytes on one device, HOST for the host."""
    if not settings.kv_offload:
        whole = cache.recurrent_bytes if recurrent else cache.kv_bytes
        return whole if device == HOST else 0.0
    gpu_layers = resolved_gpu_layers(arch, settings)
    layer_bytes = cache.layer_recurrent_bytes if recurrent else cache.layer_kv_bytes
    total = 0.0
    for layer in range(index(arch.layer_count)):
        if settings.split == "tensor" and settings.gpus > 1.0:
            total = total + (0.0 if device == HOST else layer_bytes[layer] / settings.gpus)
        elif layer_device(float(layer), arch.layer_count, gpu_layers, settings.gpus) == device:
            total = total + layer_bytes[layer]
    return total


def resolved_gpu_layers(arch: Architecture, settings: Settings) -> float:
    """The number of layers to offload, everything where the settings leave it open."""
    return all_layers(arch.layer_count) if settings.gpu_layers is None else settings.gpu_layers


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
    per_device = []
    busiest = 0.0
    for device in range(index(settings.gpus)):
        total = (
            placed_weights(arch, weights, settings, float(device))
            + placed_cache(arch, cache, settings, float(device), False)
            + placed_cache(arch, cache, settings, float(device), True)
            + buffers.device_bytes
        )
        if device == 0:
            total = total + vision_bytes
        per_device.append(total)
        if total > per_device[index(busiest)]:
            busiest = float(device)
    vision_here = vision_bytes if busiest == 0.0 else 0.0
    terms = [
        _term(
            "weights",
            placed_weights(arch, weights, settings, busiest),
            placed_weights(arch, weights, settings, HOST) + weights.host_bytes,
            weights_basis,
        ),
        _term(
            "kv_cache",
            placed_cache(arch, cache, settings, busiest, False),
            placed_cache(arch, cache, settings, HOST, False),
            "engine_formula",
        ),
        _term(
            "recurrent_state",
            placed_cache(arch, cache, settings, busiest, True),
            placed_cache(arch, cache, settings, HOST, True),
            "engine_formula",
        ),
        _term(
            "compute_buffer",
            buffers.device_bytes,
            buffers.host_bytes + buffers.output_bytes,
            "engine_formula",
        ),
        _term("vision", vision_here, 0.0, "published_file"),
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
