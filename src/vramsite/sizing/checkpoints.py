"""Bytes of a checkpoint in its own format, as vLLM, SGLang and MLX load it.

Such formats store whole classes of tensors at one width, scales included; what they leave alone
(norms, routers, mostly embeddings) stays at 16 bits. Nothing is kept on the host and a tied
embedding is loaded once. The vision tower counts on its own, prediction layers are not loaded.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, Tensor
from vramsite.sizing.weights import TypeBytes, WeightBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassBits:
    """How many bits a weight of that tensor class takes, scales included."""

    tensor_class: str  # of records.Tensor, or prediction_experts: those of prediction layers
    bits: float
    type_name: str  # "FP8", "INT4", ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointRecipe:
    """A checkpoint format: the classes it shrinks, in dense models and in mixtures of experts."""

    name: str
    unquantised: ClassBits  # everything else
    dense: list[ClassBits]
    moe: list[ClassBits]


def checkpoint_weights(arch: Architecture, recipe: CheckpointRecipe) -> WeightBytes:
    """The bytes of that checkpoint: `file_bytes` of all files, `device_bytes` as loaded."""
    classes = recipe.moe if arch.expert_count > 0.0 else recipe.dense
    expert_share = arch.experts_used / arch.expert_count if arch.expert_count > 0.0 else 0.0
    count = index(arch.layer_count)
    layer_bytes = [0.0 for _ in range(count)]
    layer_expert_bytes = [0.0 for _ in range(count)]
    names: list[str] = []
    totals: list[float] = []
    file_bytes = 0.0
    parameters = 0.0
    tensors = 0.0
    outside = 0.0
    tables = 0.0
    vision = 0.0
    prediction = 0.0
    routed = 0.0
    active = 0.0
    biggest = 0.0
    for tensor in arch.tensors:
        if tensor.in_checkpoint:
            copies = max(1.0, len(tensor.layers) * 1.0)
            elements = tensor.row_width * tensor.rows * tensor.experts
            width = _class_bits(arch, tensor, classes, recipe.unquantised)
            one = elements * width.bits / 8.0
            file_bytes += copies * one
            parameters += copies * elements
            tensors += copies
            _add(names, totals, width.type_name, copies * one)
            if tensor.tensor_class == "vision":
                vision += copies * one
            elif tensor.tensor_class == "prediction_head" or not tensor.loaded:
                prediction += copies * one
            else:
                is_routed = tensor.tensor_class == "routed_experts"
                if tensor.tensor_class == "per_layer_embedding":
                    tables += copies * one
                active += _read_for_one_token(arch, tensor, one, width.bits, expert_share) * copies
                if is_routed:
                    routed += copies * one
                    biggest = max(biggest, one)
                if len(tensor.layers) == 0:
                    outside += one
                for layer in tensor.layers:
                    layer_bytes[index(layer)] += one
                    if is_routed:
                        layer_expert_bytes[index(layer)] += one
    return WeightBytes(
        file_bytes=file_bytes,
        parameters=parameters,
        tensor_count=tensors,
        fallback_tensors=0.0,
        types=[
            TypeBytes(type_name=names[place], bytes=totals[place]) for place in range(len(names))
        ],
        device_bytes=file_bytes - vision - prediction,
        host_bytes=0.0,
        layer_bytes=layer_bytes,
        layer_expert_bytes=layer_expert_bytes,
        layer_host_bytes=layer_bytes,
        layer_expert_host_bytes=layer_expert_bytes,
        output_bytes=outside,
        output_host_bytes=outside,
        every_device_bytes=0.0,
        every_device_host_bytes=0.0,
        input_bytes=0.0,
        per_layer_embedding_bytes=tables,
        routed_bytes=routed,
        prediction_bytes=prediction,
        active_bytes_per_token=active,
        biggest_expert_tensor_bytes=biggest,
        vision_bytes=vision,
    )


def _class_bits(
    arch: Architecture, tensor: Tensor, classes: list[ClassBits], unquantised: ClassBits
) -> ClassBits:
    name = tensor.tensor_class
    if name == "prediction_head" and tensor.experts > 1.0 and tensor.experts == arch.expert_count:
        name = "prediction_experts"
    # Vectors are too small to be worth scales of their own; no format touches them.
    # (Biases of experts come stacked as a matrix.)
    is_bias = tensor.tensor_class == "routed_experts" and tensor.experts <= 1.0
    if tensor.rows > 1.0 and not is_bias:
        for entry in classes:
            if entry.tensor_class == name:
                return entry
    return unquantised


def _read_for_one_token(
    arch: Architecture, tensor: Tensor, one: float, bits: float, expert_share: float
) -> float:
    if tensor.tensor_class == "per_layer_embedding":
        return tensor.row_width * bits / 8.0
    if tensor.tensor_class == "token_embedding" and not arch.tied_embeddings:
        return tensor.row_width * bits / 8.0
    if tensor.tensor_class == "routed_experts":
        return one * expert_share
    return one


def _add(names: list[str], totals: list[float], name: str, amount: float) -> None:
    place = 0
    while place < len(names) and names[place] != name:
        place += 1
    if place == len(names):
        names.append(name)
        totals.append(0.0)
    totals[place] += amount
