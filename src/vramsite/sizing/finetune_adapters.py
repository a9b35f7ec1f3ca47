"""Trained parameters of low-rank adapters, from the tensor list.

A matrix of `in` columns and `out` rows gets rank x (in + out) parameters (Hu et al., LoRA,
arXiv 2106.09685); each routed expert has its own adapter.
"""

from __future__ import annotations

from vramsite.sizing.finetune_records import Adapters
from vramsite.sizing.finetune_shape import is_linear, is_output_projection
from vramsite.sizing.records import Architecture, Tensor


def adapters(arch: Architecture, rank: float, targets: list[str]) -> Adapters:
    """Parameters of adapters of that rank on the targeted matrices."""
    dense = 0.0
    routed = 0.0
    inputs = 0.0
    for tensor in arch.tensors:
        if tensor.in_checkpoint and _targeted(arch, tensor, targets):
            copies = max(1.0, len(tensor.layers) * 1.0)
            if tensor.tensor_class == "routed_experts":
                one = (tensor.row_width + tensor.rows) * tensor.experts
                routed += rank * one * copies
                inputs += tensor.row_width * arch.experts_used * copies
            else:
                dense += rank * _both_widths(tensor) * copies
                inputs += tensor.row_width * copies
    return Adapters(
        parameters=dense,
        expert_parameters=routed,
        input_width=inputs,
        layer_input_width=inputs / max(1.0, arch.layer_count),
    )


def _both_widths(tensor: Tensor) -> float:
    """Columns and rows as one matrix; GGUF stacks latent projections a head each."""
    if tensor.role == "attn_k_b":
        return tensor.rows + tensor.row_width * tensor.experts
    return tensor.row_width + tensor.rows * tensor.experts


def _targeted(arch: Architecture, tensor: Tensor, targets: list[str]) -> bool:
    name = tensor.tensor_class
    role = tensor.role
    if name == "output":
        return _has(targets, "output")
    if name == "token_embedding":
        return arch.tied_embeddings and _has(targets, "output")
    if not is_linear(tensor):
        return False
    if name == "routed_experts":
        return _has(targets, "experts")
    if name == "shared_experts":
        return _has(targets, "shared_experts")
    if name == "recurrent":
        return _has(targets, "recurrent")
    if name == "dense_ffn":
        if _has(targets, "mlp"):
            return True
        part = "down" if role == "ffn_down" else "gate" if role == "ffn_gate" else "up"
        return _has(targets, part)
    if name == "indexer":
        return False  # chooses tokens; no gradient of the loss reaches it
    if _has(targets, "attention"):
        return True
    if role == "attn_qkv":
        return _has(targets, "q") or _has(targets, "k") or _has(targets, "v")
    if is_output_projection(role):
        return _has(targets, "o")
    if role == "attn_q" or role == "attn_q_a" or role == "attn_q_b":
        return _has(targets, "q")
    if role == "attn_v" or role == "attn_v_b":
        return _has(targets, "v")
    if role == "attn_k" or role == "attn_k_b" or role == "attn_kv_a_mqa":
        return _has(targets, "k")
    return False


def _has(names: list[str], wanted: str) -> bool:
    found = False
    for name in names:
        if name == wanted:
            found = True
    return found
