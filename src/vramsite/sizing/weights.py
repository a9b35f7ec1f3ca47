"""Bytes of a model's weights: in the GGUF file, on the device, on the host, for one token.

A loaded tensor takes its bytes rounded up to the buffer's alignment; on CUDA a quantised tensor
whose rows are no multiple of 512 elements also gets the rest of one row as padding (llama.cpp,
ggml-cuda buffer type). Tables of the input layer stay in host memory, and a tied embedding is
loaded once more as the output head.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.numeric import ceil_to, index
from vramsite.sizing.quantize import (
    BlockType,
    QuantRecipe,
    QuantScheme,
    StoredTensor,
    file_layer_count,
    find_block,
    row_bytes,
    stored_tensors,
    tensor_bytes,
)
from vramsite.sizing.records import Architecture, Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationRules:
    """How a back end rounds the tensors of its weight buffers."""

    device_alignment_bytes: float = 128.0
    host_alignment_bytes: float = 32.0
    padded_row_elements: float = 512.0  # quantised rows on the device; 1: no padding


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeBytes:
    """Bytes of the file in one storage type."""

    type_name: str
    bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTensor:
    """A tensor of these layers, as the device allocates it."""

    role: str
    layers: list[float]
    size_bytes: float
    routed: bool  # routed experts


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBytes:
    """All byte counts of one model in one format. Lists run over the layers of the file.

    `device` figures are as the device allocates them (aligned, padded), `host` figures as the
    host does; a layer's experts are within its layer figure.
    """

    file_bytes: float  # all tensors of the file, without its header
    parameters: float  # of the file
    tensor_count: float
    fallback_tensors: float
    types: list[TypeBytes]
    device_bytes: float  # everything offloaded
    host_bytes: float
    layer_bytes: list[float]
    layer_expert_bytes: list[float]
    layer_host_bytes: list[float]
    layer_expert_host_bytes: list[float]
    output_bytes: float  # output head, final norm and all else outside the layers
    output_host_bytes: float  # the same on the host (-ngl 0); a tied embedding mostly not again
    every_device_bytes: float  # tables that each device with layers holds (RoPE factors)
    every_device_host_bytes: float
    input_bytes: float  # always on the host: token embedding and per-layer embedding tables
    per_layer_embedding_bytes: float  # the part of them that is per-layer embedding tables
    routed_bytes: float  # routed experts, file bytes
    prediction_bytes: float  # in the file, not loaded
    active_bytes_per_token: float  # read for one token; of tables one row each
    biggest_expert_tensor_bytes: float  # largest stack of experts of one layer, on the device
    layer_tensors: list[LayerTensor] = field(default_factory=list)  # empty: not known
    vision_bytes: float = 0.0  # vision tower, where the checkpoint is one with it


def quantised_weights(
    arch: Architecture,
    recipe: QuantRecipe,
    scheme: QuantScheme,
    imatrix: bool = False,
    buffers: AllocationRules | None = None,
) -> WeightBytes:
    """The bytes of llama-quantize's file of that format and of the model loaded from it."""
    rules = buffers if buffers is not None else AllocationRules()
    layers = file_layer_count(arch)
    sums = _Sums(
        layer_bytes=[0.0 for _ in range(index(layers))],
        layer_expert_bytes=[0.0 for _ in range(index(layers))],
        layer_host_bytes=[0.0 for _ in range(index(layers))],
        layer_expert_host_bytes=[0.0 for _ in range(index(layers))],
    )
    share = arch.experts_used / arch.expert_count if arch.expert_count > 0.0 else 0.0
    stored = stored_tensors(arch, recipe, scheme, imatrix)
    twice_on_host = arch.gguf_arch in scheme.twice_on_host_archs
    tied = True
    for entry in stored:
        if entry.tensor.tensor_class == "output":
            tied = False
    for entry in stored:
        _add_to_file(sums, entry, find_block(scheme, entry.type_name))
        if entry.tensor.loaded:
            _add_to_memory(sums, entry, scheme, rules, share, tied, twice_on_host)
    device = sums.output_bytes + sums.every_device_bytes
    for layer in sums.layer_bytes:
        device += layer
    return WeightBytes(
        file_bytes=sums.file_bytes,
        parameters=sums.parameters,
        tensor_count=sums.tensor_count,
        fallback_tensors=sums.fallback_tensors,
        types=[
            TypeBytes(type_name=sums.type_names[place], bytes=sums.type_bytes[place])
            for place in range(len(sums.type_names))
        ],
        device_bytes=device,
        host_bytes=sums.input_bytes,
        layer_bytes=sums.layer_bytes,
        layer_expert_bytes=sums.layer_expert_bytes,
        layer_host_bytes=sums.layer_host_bytes,
        layer_expert_host_bytes=sums.layer_expert_host_bytes,
        output_bytes=sums.output_bytes,
        output_host_bytes=sums.output_host_bytes,
        every_device_bytes=sums.every_device_bytes,
        every_device_host_bytes=sums.every_device_host_bytes,
        input_bytes=sums.input_bytes,
        per_layer_embedding_bytes=sums.per_layer_embedding_bytes,
        routed_bytes=sums.routed_bytes,
        prediction_bytes=sums.prediction_bytes,
        active_bytes_per_token=sums.active_bytes,
        biggest_expert_tensor_bytes=sums.biggest_expert_tensor_bytes,
        layer_tensors=sums.layer_tensors,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightSplit:
    """Where loaded weights lie when not all of them are offloaded."""

    device_bytes: float
    host_bytes: float


def split_weights(
    weights: WeightBytes, gpu_layers: float | None, cpu_moe_layers: float | None
) -> WeightSplit:
    """Device and host bytes under `-ngl` and `--n-cpu-moe` (None: everything offloaded).

    llama.cpp counts the output head as the last of the layers: `-ngl N` puts it and the last
    N - 1 layers on the device; `--n-cpu-moe N` keeps the experts of the first N layers back.
    """
    count = len(weights.layer_bytes) * 1.0
    placed = min(gpu_layers, count + 1.0) if gpu_layers is not None else count + 1.0
    first = count + 1.0 - placed
    kept = cpu_moe_layers if cpu_moe_layers is not None else 0.0
    device = 0.0
    host = weights.input_bytes
    if placed >= 1.0:
        device += weights.output_bytes
    else:
        host += weights.output_host_bytes
    if first < count:
        device += weights.every_device_bytes
    if first > 0.0:
        host += weights.every_device_host_bytes
    for layer in range(len(weights.layer_bytes)):
        if layer < first:
            host += weights.layer_host_bytes[layer]
        elif layer < kept:
            device += weights.layer_bytes[layer] - weights.layer_expert_bytes[layer]
            host += weights.layer_expert_host_bytes[layer]
        else:
            device += weights.layer_bytes[layer]
    return WeightSplit(device_bytes=device, host_bytes=host)


@dataclass(slots=True, kw_only=True)
class _Sums:
    layer_bytes: list[float]
    layer_expert_bytes: list[float]
    layer_host_bytes: list[float]
    layer_expert_host_bytes: list[float]
    file_bytes: float = 0.0
    parameters: float = 0.0
    tensor_count: float = 0.0
    fallback_tensors: float = 0.0
    type_names: list[str] = field(default_factory=list)
    type_bytes: list[float] = field(default_factory=list)
    output_bytes: float = 0.0
    output_host_bytes: float = 0.0
    every_device_bytes: float = 0.0
    every_device_host_bytes: float = 0.0
    input_bytes: float = 0.0
    per_layer_embedding_bytes: float = 0.0
    routed_bytes: float = 0.0
    prediction_bytes: float = 0.0
    active_bytes: float = 0.0
    biggest_expert_tensor_bytes: float = 0.0
    layer_tensors: list[LayerTensor] = field(default_factory=list)


def _copies(entry: StoredTensor) -> float:
    return max(1.0, len(entry.layers) * 1.0)


def _add_to_file(sums: _Sums, entry: StoredTensor, block: BlockType) -> None:
    tensor = entry.tensor
    copies = _copies(entry)
    total = copies * tensor_bytes(block, tensor)
    sums.file_bytes += total
    sums.parameters += copies * tensor.row_width * tensor.rows * tensor.experts
    sums.tensor_count += copies
    if entry.fallback:
        sums.fallback_tensors += copies
    if not tensor.loaded:
        sums.prediction_bytes += total
    place = 0
    while place < len(sums.type_names) and sums.type_names[place] != block.name:
        place += 1
    if place == len(sums.type_names):
        sums.type_names.append(block.name)
        sums.type_bytes.append(0.0)
    sums.type_bytes[place] += total


def _add_to_memory(
    sums: _Sums,
    entry: StoredTensor,
    scheme: QuantScheme,
    rules: AllocationRules,
    expert_share: float,
    tied: bool,
    twice_on_host: bool,
) -> None:
    tensor = entry.tensor
    block = find_block(scheme, entry.type_name)
    plain = tensor_bytes(block, tensor)
    host = ceil_to(plain, rules.host_alignment_bytes)
    device = ceil_to(plain + _row_padding(block, tensor, rules), rules.device_alignment_bytes)
    routed = tensor.tensor_class == "routed_experts"
    if tensor.role in scheme.host_roles:
        sums.input_bytes += host
        sums.active_bytes += row_bytes(block, tensor.row_width)
        if tensor.tensor_class == "per_layer_embedding":
            sums.per_layer_embedding_bytes += host
        elif tied and tensor.tensor_class == "token_embedding" and tensor.role == "token_embd":
            sums.output_bytes += device
            sums.output_host_bytes += host if twice_on_host else 0.0
            sums.active_bytes += plain
        return
    sums.active_bytes += _copies(entry) * plain * (expert_share if routed else 1.0)
    if routed:
        sums.routed_bytes += _copies(entry) * plain
        sums.biggest_expert_tensor_bytes = max(sums.biggest_expert_tensor_bytes, device)
    if tensor.role in scheme.host_when_quantised_roles and block.block_elements > 1.0:
        sums.input_bytes += _copies(entry) * host
        return
    if len(entry.layers) == 0:
        if tensor.role in scheme.first_layer_roles:
            sums.layer_bytes[0] += device
            sums.layer_host_bytes[0] += host
        elif tensor.role in scheme.every_device_roles:
            sums.every_device_bytes += device
            sums.every_device_host_bytes += host
        else:
            sums.output_bytes += device
            sums.output_host_bytes += host
    if len(entry.layers) > 0:
        sums.layer_tensors.append(
            LayerTensor(role=tensor.role, layers=entry.layers, size_bytes=device, routed=routed)
        )
    for layer in entry.layers:
        at = index(layer)
        sums.layer_bytes[at] += device
        sums.layer_host_bytes[at] += host
        if routed:
            sums.layer_expert_bytes[at] += device
            sums.layer_expert_host_bytes[at] += host


def _row_padding(block: BlockType, tensor: Tensor, rules: AllocationRules) -> float:
    if block.block_elements == 1.0:
        return 0.0
    missing = ceil_to(tensor.row_width, rules.padded_row_elements) - tensor.row_width
    return row_bytes(block, missing)
