"""Which device holds which layer, as llama.cpp places them.

llama.cpp counts the output layer as one more layer, puts the last `gpu_layers` of them on the
devices in order, and with a layer split deals them out by the devices' shares (equal here).
Source: llama.cpp, model loading (`n_gpu_layers`, `tensor_split`).
"""

from __future__ import annotations

from vramsite.sizing.numeric import floor

HOST = -1.0


def layer_device(layer: float, layer_count: float, gpu_layers: float, gpus: float) -> float:
    """Index of the device that holds this layer, HOST for none.

    `layer` equal to `layer_count` is the output layer.
    """
    placed = min(gpu_layers, layer_count + 1.0)
    first = layer_count + 1.0 - placed
    if layer < first:
        return HOST
    return min(floor((layer - first) * gpus / placed), gpus - 1.0)


def layer_count_on_host(layer_count: float, gpu_layers: float) -> float:
    """How many of the layers, the first ones, stay on the host."""
    return layer_count + 1.0 - min(gpu_layers, layer_count + 1.0)


def all_layers(layer_count: float) -> float:
    """The `gpu_layers` value that offloads everything, the output layer included."""
    return layer_count + 1.0
