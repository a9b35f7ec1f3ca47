"""The parts that most transformers share, as tensors in GGUF names and shapes.

`layers` are the indices of the blocks that hold the part. Widths are elements. The tensor names
and what is kept in F32 follow llama.cpp's converter (gguf-py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from vramsite.catalog.architectures.shapes import AttentionShape
from vramsite.catalog.architectures.tensor_list import TensorList


def embeddings(
    tensors: TensorList, width: float, vocabulary: float, *, tied: bool, norm_bias: bool = False
) -> None:
    """Token embedding, final norm, and the output head where it is not the embedding itself."""
    tensors.matrix("token_embd", "token_embedding", width, vocabulary)
    tensors.vector("output_norm", "norm", width)
    if norm_bias:
        tensors.vector("output_norm.bias", "norm", width)
    if not tied:
        tensors.matrix("output", "output", width, vocabulary)


def norms(tensors: TensorList, width: float, layers: Iterable[float], *roles: str) -> None:
    """One norm vector of this width for each role, in each layer."""
    indices = list(layers)
    for role in roles:
        tensors.vector(role, "norm", width, layers=indices)


def gqa_attention(
    tensors: TensorList,
    width: float,
    shape: AttentionShape,
    layers: Iterable[float],
    *,
    qkv_bias: bool = False,
    output_bias: bool = False,
    fused: bool = False,
    qk_norm: str = "",
    with_v: bool = True,
    query_gate: bool = False,
) -> None:
    """Q, K, V and output projections.

    `fused` keeps one `attn_qkv`; `qk_norm` is "head" (one vector of the head size) or "full" (as
    wide as all heads); `with_v=False` is a layer whose values come from the key projection;
    `query_gate` doubles `attn_q` for a sigmoid gate on the attention output.
    """
    at = list(layers)
    q_rows = shape.q_width * (2.0 if query_gate else 1.0)
    if fused:
        all_rows = q_rows + shape.k_width + shape.v_width
        tensors.matrix("attn_qkv", "attention", width, all_rows, layers=at)
        if qkv_bias:
            tensors.vector("attn_qkv.bias", "attention", all_rows, layers=at)
    else:
        parts = [("attn_q", q_rows), ("attn_k", shape.k_width)]
        if with_v:
            parts.append(("attn_v", shape.v_width))
        for role, rows in parts:
            tensors.matrix(role, "attention", width, rows, layers=at)
            if qkv_bias:
                tensors.vector(f"{role}.bias", "attention", rows, layers=at)
    tensors.matrix("attn_output", "attention", shape.output_width, width, layers=at)
    if output_bias:
        tensors.vector("attn_output.bias", "attention", width, layers=at)
    if qk_norm:
        per_head = qk_norm == "head"
        q_norm = shape.k_head_size if per_head else shape.q_width
        k_norm = shape.k_head_size if per_head else shape.k_width
        tensors.vector("attn_q_norm", "norm", q_norm, layers=at)
        tensors.vector("attn_k_norm", "norm", k_norm, layers=at)


def dense_ffn(
    tensors: TensorList,
    width: float,
    ffn_width: float,
    layers: Iterable[float],
    *,
    gated: bool = True,
    bias: bool = False,
) -> None:
    """SwiGLU/GeGLU feed-forward (gate, up, down), or without the gate."""
    at = list(layers)
    parts = [("ffn_up", width, ffn_width), ("ffn_down", ffn_width, width)]
    if gated:
        parts = [("ffn_gate", width, ffn_width), *parts]
    for role, row_width, rows in parts:
        tensors.matrix(role, "dense_ffn", row_width, rows, layers=at)
        if bias:
            tensors.vector(f"{role}.bias", "dense_ffn", rows, layers=at)


def moe_ffn(
    tensors: TensorList,
    width: float,
    expert_ffn_width: float,
    expert_count: float,
    layers: Iterable[float],
    *,
    shared_ffn_width: float = 0.0,
    shared_gate: bool = False,
    selection_bias: bool = False,
    fused_gate_up: bool = False,
    fixed_type: str = "",
) -> None:
    """Router, routed experts (gate, up, down) and, where there are any, shared experts.

    `shared_ffn_width` counts all shared experts together (the converter joins them);
    `shared_gate` adds the scalar gate on them; `selection_bias` is `exp_probs_b`, the correction
    that only chooses experts; `fused_gate_up` joins gate and up of each expert to one matrix, as
    llama.cpp's newer loaders do. The router is F32 in every GGUF.
    """
    at = list(layers)
    tensors.matrix("ffn_gate_inp", "router", width, expert_count, layers=at, fixed_type="F32")
    if selection_bias:
        tensors.vector("exp_probs_b.bias", "router", expert_count, layers=at)
    inner = (
        [("ffn_gate_up_exps", width, 2.0 * expert_ffn_width)]
        if fused_gate_up
        else [("ffn_gate_exps", width, expert_ffn_width), ("ffn_up_exps", width, expert_ffn_width)]
    )
    for role, row_width, rows in [*inner, ("ffn_down_exps", expert_ffn_width, width)]:
        tensors.matrix(
            role,
            "routed_experts",
            row_width,
            rows,
            experts=expert_count,
            layers=at,
            fixed_type=fixed_type,
        )
    if shared_ffn_width > 0:
        shared_ffn(tensors, width, shared_ffn_width, at)
        if shared_gate:
            tensors.vector("ffn_gate_inp_shexp", "shared_experts", width, layers=at)


def shared_ffn(
    tensors: TensorList, width: float, ffn_width: float, layers: Iterable[float]
) -> None:
    """Experts that every token passes, joined to one feed-forward."""
    at = list(layers)
    tensors.matrix("ffn_gate_shexp", "shared_experts", width, ffn_width, layers=at)
    tensors.matrix("ffn_up_shexp", "shared_experts", width, ffn_width, layers=at)
    tensors.matrix("ffn_down_shexp", "shared_experts", ffn_width, width, layers=at)


def prediction_head(tensors: TensorList, block: TensorList, *, in_gguf: bool) -> None:
    """Add the tensors of `block` as prediction (MTP / NextN) layers.

    The block is built by the same functions as a normal layer, with the layer indices that follow
    the last one. Engines leave it alone unless they are asked to predict ahead.
    """
    tensors.tensors += [
        replace(
            tensor,
            tensor_class="prediction_head",
            in_gguf=in_gguf and tensor.in_gguf,
            loaded=False,
        )
        for tensor in block.tensors
    ]


def nextn_projection(
    tensors: TensorList, width: float, layers: Iterable[float], *, head_norm: bool = True
) -> None:
    """What joins the last hidden state and the next token's embedding: two norms, a projection.

    `head_norm` is the norm before the (shared) output head.
    """
    at = list(layers)
    tensors.matrix("nextn.eh_proj", "prediction_head", 2 * width, width, layers=at)
    norms(tensors, width, at, "nextn.enorm", "nextn.hnorm")
    if head_norm:
        norms(tensors, width, at, "nextn.shared_head_norm")


def vision(
    tensors: TensorList, role: str, row_width: float, rows: float = 1.0, *, count: float = 1.0
) -> None:
    """`count` equal tensors of a vision or audio tower: in the checkpoint, not in the main GGUF."""
    tensors.matrix(role, "vision", row_width, rows, experts=count, in_gguf=False, loaded=False)


def vision_blocks(
    tensors: TensorList,
    *,
    depth: float,
    width: float,
    ffn_width: float,
    biases: bool = True,
    gated: bool = False,
    norm_vectors: Sequence[float] | None = None,
) -> None:
    """The layers of a vision transformer: four square projections, a feed-forward, norms.

    `norm_vectors` are the widths of all norm vectors of a layer; without it two LayerNorms (with
    a bias each, where the other parts have one).
    """
    vision(tensors, "v.attn", width, width, count=4 * depth)
    vision(tensors, "v.ffn", width, ffn_width, count=(3 if gated else 2) * depth)
    if biases:
        vision(tensors, "v.attn.bias", width, count=4 * depth)
        vision(tensors, "v.ffn_up.bias", ffn_width, count=(2 if gated else 1) * depth)
        vision(tensors, "v.ffn_down.bias", width, count=depth)
    vectors = [width, width, width, width] if biases else [width, width]
    if norm_vectors is not None:
        vectors = list(norm_vectors)
    for vector in vectors:
        vision(tensors, "v.norm", vector, count=depth)
