"""What speed, drafting and splitting over devices ask of a model's tensors: a few sums.

They travel with the architecture where the tensors themselves do not (`Architecture.sums`).
"""

from __future__ import annotations

from vramsite.sizing.records import Architecture, Tensor, TensorSums


def tensor_sums(arch: Architecture) -> TensorSums:
    """The sums of an architecture, counted where it does not carry them."""
    return arch.sums if arch.sums is not None else counted_sums(arch)


def counted_sums(arch: Architecture) -> TensorSums:
    """The sums over all tensors."""
    dense = 0.0
    routed = 0.0
    expert_layers = 0.0
    prediction = 0.0
    whole = 0.0
    for tensor in arch.tensors:
        kind = tensor.tensor_class
        layers = len(tensor.layers) * 1.0
        elements = tensor.row_width * tensor.rows * tensor.experts * max(1.0, layers)
        if kind == "prediction_head":
            prediction += elements
        if tensor.loaded:
            if tensor.in_checkpoint and _kept_whole(tensor):
                whole += elements
            if tensor.role == "ffn_down_exps":
                expert_layers += layers
            if kind == "routed_experts":
                routed += elements
            elif kind != "norm" and kind != "vision" and not _is_table(kind):
                dense += elements
    return TensorSums(
        dense_parameters=dense,
        routed_parameters=routed,
        expert_layers=expert_layers,
        prediction_parameters=prediction,
        whole_parameters=whole,
    )


def _is_table(tensor_class: str) -> bool:
    return tensor_class in ["token_embedding", "per_layer_embedding", "output"]


def _kept_whole(tensor: Tensor) -> bool:
    if tensor.tensor_class in ["norm", "router", "indexer"]:
        return True
    return tensor.role == "attn_q_a" or tensor.role == "attn_kv_a_mqa"
