"""Weights of one model in many formats, in few words: what travels to a browser.

Formats share storage types, so that most tensors have one of a few sizes. A piece is a tensor in
one size; the weights of a format are a list of pieces and what lies outside the layers.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vramsite.sizing.numeric import index
from vramsite.sizing.weights import LayerTensor, WeightBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightPiece:
    """Bytes in each layer of a set. Without a role: what the tensors listed leave open."""

    device_bytes: float
    layers: float  # place of the set of layers
    role: str = ""
    routed: bool = False
    host_less_bytes: float = 0.0  # what the host takes less than the device


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedWeights:
    """The weights of one recipe; the rest of the fields is as in `WeightBytes`."""

    name: str  # of a QuantRecipe or a CheckpointRecipe
    layer_count: float
    pieces: list[float]  # places among all pieces of the model
    file_bytes: float
    device_bytes: float
    tensor_count: float
    parameters: float
    active_bytes_per_token: float
    imatrix: bool = False  # as it is with an importance matrix, where that makes a difference
    fallback_tensors: float = 0.0
    host_bytes: float = 0.0
    output_bytes: float = 0.0
    output_host_bytes: float = 0.0
    every_device_bytes: float = 0.0
    every_device_host_bytes: float = 0.0
    input_bytes: float = 0.0
    per_layer_embedding_bytes: float = 0.0
    routed_bytes: float = 0.0
    prediction_bytes: float = 0.0
    biggest_expert_tensor_bytes: float = 0.0
    vision_bytes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedFile:
    """A model in all its formats; `layers` are the sets of layers that pieces lie in."""

    layers: list[list[float]] = field(default_factory=list)
    pieces: list[WeightPiece] = field(default_factory=list)
    weights: list[PackedWeights] = field(default_factory=list)


def find_packed(packed: PackedFile, name: str, imatrix: bool) -> PackedWeights | None:
    """The weights of a recipe; those without an importance matrix where there are no others."""
    found: PackedWeights | None = None
    for entry in packed.weights:
        if entry.name == name and (not entry.imatrix or imatrix):
            found = entry
    return found


def unpacked(packed: PackedFile, entry: PackedWeights) -> WeightBytes:
    """The same as it was before, but for the bytes by storage type, which nothing needs here."""
    layer_bytes = [0.0 for _ in range(index(entry.layer_count))]
    layer_expert_bytes = [0.0 for _ in range(index(entry.layer_count))]
    layer_host_bytes = [0.0 for _ in range(index(entry.layer_count))]
    layer_expert_host_bytes = [0.0 for _ in range(index(entry.layer_count))]
    tensors: list[LayerTensor] = []
    for place in entry.pieces:
        piece = packed.pieces[index(place)]
        layers = packed.layers[index(piece.layers)]
        for layer in layers:
            at = index(layer)
            layer_bytes[at] += piece.device_bytes
            layer_host_bytes[at] += piece.device_bytes - piece.host_less_bytes
            if piece.routed:
                layer_expert_bytes[at] += piece.device_bytes
                layer_expert_host_bytes[at] += piece.device_bytes - piece.host_less_bytes
        if piece.role != "":
            tensors.append(
                LayerTensor(
                    role=piece.role,
                    layers=layers,
                    size_bytes=piece.device_bytes,
                    routed=piece.routed,
                )
            )
    return WeightBytes(
        file_bytes=entry.file_bytes,
        parameters=entry.parameters,
        tensor_count=entry.tensor_count,
        fallback_tensors=entry.fallback_tensors,
        types=[],
        device_bytes=entry.device_bytes,
        host_bytes=entry.host_bytes,
        layer_bytes=layer_bytes,
        layer_expert_bytes=layer_expert_bytes,
        layer_host_bytes=layer_host_bytes,
        layer_expert_host_bytes=layer_expert_host_bytes,
        output_bytes=entry.output_bytes,
        output_host_bytes=entry.output_host_bytes,
        every_device_bytes=entry.every_device_bytes,
        every_device_host_bytes=entry.every_device_host_bytes,
        input_bytes=entry.input_bytes,
        per_layer_embedding_bytes=entry.per_layer_embedding_bytes,
        routed_bytes=entry.routed_bytes,
        prediction_bytes=entry.prediction_bytes,
        active_bytes_per_token=entry.active_bytes_per_token,
        biggest_expert_tensor_bytes=entry.biggest_expert_tensor_bytes,
        layer_tensors=tensors,
        vision_bytes=entry.vision_bytes,
    )
