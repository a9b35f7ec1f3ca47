"""What one token asks of the hardware: bytes of weights, matrix products, layers by kind.

Independent of the device; the device side is in `decode` and `prefill`.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.numeric import floor
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.tensor_sums import tensor_sums
from vramsite.sizing.weights import WeightBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """How unevenly tokens choose experts: few of them are busy."""

    busy_share: float  # of the experts
    busy_traffic: float  # share of all choices that falls on them


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWork:
    """One model in one format under one placement of its layers.

    Bytes are as stored in the file; "dense" is what every token reads (attention, dense and
    shared feed-forward, output head), "routed" all routed experts together.
    """

    dense_bytes: float  # on the device
    routed_bytes: float  # on the device
    host_dense_bytes: float
    host_routed_bytes: float
    dense_parameters: float  # of matrices, the output head not counted
    head_parameters: float
    routed_parameters: float
    expert_count: float
    experts_used: float
    embedding_width: float
    layers: float
    recurrent_layers: float
    expert_layers: float
    host_layers: float  # layers with any weights on the host
    host_layer_share: float  # share of whole layers, and with them of the cache, on the host


def model_work(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    dense_scale: float = 1.0,
    routed_scale: float = 1.0,
    known: ModelWork | None = None,
) -> ModelWork:
    """The work under `settings.gpu_layers` and `settings.cpu_moe_layers` (None: all on device).

    The scales correct the bytes for a file of another size than the format's own recipe. `known`
    is the work of the same model under another placement: what it counts is not counted again.
    """
    share = arch.experts_used / arch.expert_count if arch.expert_count > 0.0 else 0.0
    dense = weights.active_bytes_per_token - weights.routed_bytes * share
    whole_layers = _host_layers(settings.gpu_layers, arch.layer_count)
    moe_layers = settings.cpu_moe_layers if settings.cpu_moe_layers is not None else 0.0
    layer_dense = 0.0
    host_dense = 0.0
    layer_routed = 0.0
    host_routed = 0.0
    host_layers = 0.0
    for at in range(len(weights.layer_bytes)):
        routed = weights.layer_expert_bytes[at]
        layer_dense = layer_dense + weights.layer_bytes[at] - routed
        layer_routed = layer_routed + routed
        if at < whole_layers:
            host_dense = host_dense + weights.layer_bytes[at] - routed
            host_routed = host_routed + routed
            host_layers = host_layers + 1.0
        elif at < moe_layers and routed > 0.0:
            host_routed = host_routed + routed
            host_layers = host_layers + 1.0
    layer_dense = layer_dense + weights.output_bytes
    if whole_layers > arch.layer_count:
        host_dense = host_dense + weights.output_bytes
    dense_share = host_dense / layer_dense if layer_dense > 0.0 else 0.0
    routed_share = host_routed / layer_routed if layer_routed > 0.0 else 0.0
    return ModelWork(
        dense_bytes=dense * (1.0 - dense_share) * dense_scale,
        routed_bytes=weights.routed_bytes * (1.0 - routed_share) * routed_scale,
        host_dense_bytes=dense * dense_share * dense_scale,
        host_routed_bytes=weights.routed_bytes * routed_share * routed_scale,
        dense_parameters=tensor_sums(arch).dense_parameters
        if known is None
        else known.dense_parameters,
        head_parameters=arch.embedding_width * arch.vocabulary,
        routed_parameters=tensor_sums(arch).routed_parameters
        if known is None
        else known.routed_parameters,
        expert_count=arch.expert_count,
        experts_used=arch.experts_used,
        embedding_width=arch.embedding_width,
        layers=arch.layer_count,
        recurrent_layers=_recurrent_layers(arch) if known is None else known.recurrent_layers,
        expert_layers=tensor_sums(arch).expert_layers if known is None else known.expert_layers,
        host_layers=host_layers,
        host_layer_share=min(whole_layers, arch.layer_count) / arch.layer_count,
    )


def experts_touched_share(work: ModelWork, tokens: float, routing: Routing) -> float:
    """Expected share of the experts that `tokens` tokens use together.

    A token misses an expert with one chance for the busy ones and another for the rest.
    """
    if work.expert_count <= 0.0:
        return 0.0
    used = work.experts_used / work.expert_count
    busy = min(used * routing.busy_traffic / routing.busy_share, 1.0)
    rest = max((used - routing.busy_share * busy) / (1.0 - routing.busy_share), 0.0)
    missed = routing.busy_share * _power(1.0 - busy, tokens)
    missed = missed + (1.0 - routing.busy_share) * _power(1.0 - rest, tokens)
    return 1.0 - missed


def _power(base: float, exponent: float) -> float:
    """`base` to a whole power, by repeated squaring."""
    result = 1.0
    left = floor(exponent)
    while left > 0.0:
        half = floor(left / 2.0)
        if left > half * 2.0:
            result = result * base
        base = base * base
        left = half
    return result


def weight_bytes_read(work: ModelWork, tokens: float, routing: Routing) -> float:
    """Bytes of device weights that one step over `tokens` tokens reads."""
    if work.routed_bytes == 0.0:
        return work.dense_bytes
    return work.dense_bytes + work.routed_bytes * experts_touched_share(work, tokens, routing)


def host_bytes_read(work: ModelWork, tokens: float, routing: Routing) -> float:
    """Bytes of host weights that one step over `tokens` tokens reads."""
    if work.host_routed_bytes == 0.0:
        return work.host_dense_bytes
    touched = experts_touched_share(work, tokens, routing)
    return work.host_dense_bytes + work.host_routed_bytes * touched


def _host_layers(gpu_layers: float | None, layer_count: float) -> float:
    if gpu_layers is None:
        return 0.0
    return max(layer_count + 1.0 - gpu_layers, 0.0)


def _recurrent_layers(arch: Architecture) -> float:
    count = 0.0
    for group in arch.groups:
        if group.recurrent_elements > 0.0:
            count = count + group.count
    return count
