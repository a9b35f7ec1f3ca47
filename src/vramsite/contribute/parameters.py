"""Parameters counted from the tensors that a reader lists."""

from __future__ import annotations

from vramsite.sizing.records import Architecture, Tensor


def elements(tensor: Tensor) -> float:
    """Elements of a tensor in all its layers."""
    return tensor.row_width * tensor.rows * tensor.experts * max(1, len(tensor.layers))


def parameter_count(arch: Architecture) -> int:
    """All parameters of the checkpoint."""
    return int(sum(elements(tensor) for tensor in arch.tensors if tensor.in_checkpoint))


def active_count(arch: Architecture) -> int:
    """Parameters that one token uses: of the routed experts only those chosen, no vision tower."""
    used = arch.experts_used / arch.expert_count if arch.expert_count > 0 else 1.0
    total = 0.0
    for tensor in arch.tensors:
        if not tensor.in_checkpoint or tensor.tensor_class in ("vision", "prediction_head"):
            continue
        total += elements(tensor) * (used if tensor.tensor_class == "routed_experts" else 1.0)
    return int(total)


def gguf_count(arch: Architecture) -> int:
    """Elements of a GGUF file of the model."""
    return int(sum(elements(tensor) for tensor in arch.tensors if tensor.in_gguf))
