"""Weights whose file is published: the tensor list scaled to the file's own size."""

from __future__ import annotations

from vramsite.sizing.weights import LayerTensor, TypeBytes, WeightBytes


def scaled_weights(weights: WeightBytes, factor: float) -> WeightBytes:
    """The same split with every byte count times `factor` (a file of another mix of types)."""
    return WeightBytes(
        file_bytes=weights.file_bytes * factor,
        parameters=weights.parameters,
        tensor_count=weights.tensor_count,
        fallback_tensors=weights.fallback_tensors,
        types=[
            TypeBytes(type_name=entry.type_name, bytes=entry.bytes * factor)
            for entry in weights.types
        ],
        device_bytes=weights.device_bytes * factor,
        host_bytes=weights.host_bytes * factor,
        layer_bytes=[value * factor for value in weights.layer_bytes],
        layer_expert_bytes=[value * factor for value in weights.layer_expert_bytes],
        layer_host_bytes=[value * factor for value in weights.layer_host_bytes],
        layer_expert_host_bytes=[value * factor for value in weights.layer_expert_host_bytes],
        output_bytes=weights.output_bytes * factor,
        output_host_bytes=weights.output_host_bytes * factor,
        every_device_bytes=weights.every_device_bytes * factor,
        every_device_host_bytes=weights.every_device_host_bytes * factor,
        input_bytes=weights.input_bytes * factor,
        per_layer_embedding_bytes=weights.per_layer_embedding_bytes * factor,
        routed_bytes=weights.routed_bytes * factor,
        prediction_bytes=weights.prediction_bytes * factor,
        active_bytes_per_token=weights.active_bytes_per_token * factor,
        biggest_expert_tensor_bytes=weights.biggest_expert_tensor_bytes * factor,
        layer_tensors=[
            LayerTensor(
                role=entry.role,
                layers=entry.layers,
                size_bytes=entry.size_bytes * factor,
                routed=entry.routed,
            )
            for entry in weights.layer_tensors
        ],
    )
