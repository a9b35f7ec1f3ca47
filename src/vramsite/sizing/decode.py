"""Time of one decode step: weights, cache, fixed costs, batch, several devices, host memory."""

from __future__ import annotations

from vramsite.sizing.model_work import ModelWork, Routing, host_bytes_read, weight_bytes_read
from vramsite.sizing.multi_gpu import handovers, link_seconds, reductions, shares
from vramsite.sizing.records import Device, Settings
from vramsite.sizing.speed_records import DecodeCosts, DecodeParts


def decode_parts(
    work: ModelWork,
    device: Device,
    settings: Settings,
    cache_bytes: float,
    sequences: float,
    compute_flops: float | None,
    ram_bytes_per_s: float,
    routing: Routing,
) -> DecodeParts | None:
    """The parts of one step that gives each of `sequences` sequences one token.

    `cache_bytes` is what one sequence reads at its depth. None where the device's bandwidth is
    unknown.
    """
    bandwidth = device.bandwidth_bytes_per_s
    if bandwidth is None:
        return None
    cut = shares(settings)
    cache = cache_bytes * sequences
    used = 0.0
    if work.expert_count > 0.0:
        used = work.routed_parameters * work.experts_used / work.expert_count
    # One sequence alone is bound by memory; those beside it add their products.
    flops = 2.0 * (work.dense_parameters + work.head_parameters + used) * (sequences - 1.0)
    host = host_bytes_read(work, sequences, routing) + cache * work.host_layer_share
    return DecodeParts(
        weight_read_s=weight_bytes_read(work, sequences, routing) / bandwidth / cut,
        cache_read_s=cache * (1.0 - work.host_layer_share) / bandwidth / cut,
        layers=work.layers,
        recurrent_layers=work.recurrent_layers,
        expert_layers=work.expert_layers,
        steps=1.0,
        compute_s=flops / compute_flops / cut if compute_flops is not None else 0.0,
        sequences=sequences - 1.0,
        reductions=reductions(work, settings),
        link_s=link_seconds(work, device, settings, sequences),
        handovers=handovers(settings),
        host_read_s=host / ram_bytes_per_s,
        host_layers=work.host_layers,
    )


def decode_seconds(parts: DecodeParts, costs: DecodeCosts) -> float:
    """Seconds of the step."""
    return (
        parts.weight_read_s * costs.weight_read_s
        + parts.cache_read_s * costs.cache_read_s
        + parts.layers * costs.layers
        + parts.recurrent_layers * costs.recurrent_layers
        + parts.expert_layers * costs.expert_layers
        + parts.steps * costs.steps
        + parts.compute_s * costs.compute_s
        + parts.sequences * costs.sequences
        + parts.reductions * costs.reductions
        + parts.link_s * costs.link_s
        + parts.handovers * costs.handovers
        + parts.host_read_s * costs.host_read_s
        + parts.host_layers * costs.host_layers
    )
