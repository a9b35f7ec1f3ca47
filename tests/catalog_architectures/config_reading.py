"""Reading a config.json given as keywords, and counting what comes out."""

from __future__ import annotations

from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.registry import read_architecture
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.sizing.records import Architecture, Tensor


def read(model_type: str, config: dict[str, object], gguf_arch: str = "") -> Architecture:
    return read_architecture(
        ArchitectureSource(
            model_type=model_type,
            gguf_arch=gguf_arch,
            context_max_tokens=4096.0,
            config=Keys(config),
        )
    )


def parameters(tensors: list[Tensor]) -> float:
    return sum(
        tensor.row_width * tensor.rows * tensor.experts * max(1, len(tensor.layers))
        for tensor in tensors
    )


def of_class(arch: Architecture, tensor_class: str) -> list[Tensor]:
    return [tensor for tensor in arch.tensors if tensor.tensor_class == tensor_class]


def by_role(arch: Architecture, role: str) -> Tensor:
    (tensor,) = [tensor for tensor in arch.tensors if tensor.role == role]
    return tensor


def kinds(arch: Architecture) -> list[str]:
    return [arch.groups[int(index)].kind for index in arch.layer_order]


def cell_bytes(arch: Architecture, kind: str) -> float:
    """Bytes that one cell takes on all layers of this kind, in 16-bit."""
    return sum(
        2 * group.count * (group.k_width + group.v_width)
        for group in arch.groups
        if group.kind == kind
    )


def state_bytes(arch: Architecture) -> float:
    """Bytes of F32 state that one sequence keeps."""
    return sum(
        4 * group.count * (group.recurrent_elements + group.conv_elements) for group in arch.groups
    )
