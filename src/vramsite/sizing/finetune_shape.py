"""The tensor list summed up for training: parameters by treatment, widths of activations."""

from __future__ import annotations

from vramsite.sizing.finetune_records import TrainShape
from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, Tensor


def is_linear(tensor: Tensor) -> bool:
    """A weight matrix of a layer that products with activations go through."""
    if tensor.rows <= 1.0 or len(tensor.layers) == 0:
        return False
    name = tensor.tensor_class
    if name == "routed_experts":
        return tensor.experts > 1.0  # biases of experts come stacked as a matrix
    return (
        name == "attention"
        or name == "dense_ffn"
        or name == "shared_experts"
        or name == "recurrent"
        or name == "indexer"
    )


def train_shape(arch: Architecture) -> TrainShape:
    """Counts of the text model that is trained: no vision tower, no prediction layers."""
    count = index(arch.layer_count)
    layer_all = [0.0 for _ in range(count)]
    layer_matrix = [0.0 for _ in range(count)]
    attention = [0.0 for _ in range(count)]
    inner = [0.0 for _ in range(count)]
    expert_inner = [0.0 for _ in range(count)]
    routed = [0.0 for _ in range(count)]
    matrix_parameters = 0.0
    expert_parameters = 0.0
    outside = 0.0
    other = 0.0
    head = 0.0
    embedding = 0.0
    biggest = 0.0
    for tensor in arch.tensors:
        name = tensor.tensor_class
        if tensor.in_checkpoint and name != "vision" and name != "prediction_head":
            one = tensor.row_width * tensor.rows * tensor.experts
            copies = max(1.0, len(tensor.layers) * 1.0)
            linear = is_linear(tensor)
            if name == "output":
                head += one
            if name == "token_embedding":
                embedding += one
            if linear and name == "routed_experts":
                expert_parameters += one * copies
                biggest = max(biggest, tensor.row_width * tensor.rows)
            elif linear:
                matrix_parameters += one * copies
                biggest = max(biggest, one)
            elif name == "token_embedding" or name == "output" or name == "per_layer_embedding":
                outside += one * copies
            else:
                other += one * copies
            for layer in tensor.layers:
                place = index(layer)
                layer_all[place] += one
                if linear:
                    layer_matrix[place] += one
                    attention[place] += _attention_width(tensor)
                    if name == "routed_experts":
                        expert_inner[place] += _inner_width(tensor) * arch.experts_used
                        routed[place] = arch.experts_used * arch.embedding_width
                    else:
                        inner[place] += _inner_width(tensor)
    return TrainShape(
        layers=arch.layer_count,
        hidden=arch.embedding_width,
        vocabulary=arch.vocabulary,
        heads=arch.attention_heads,
        matrix_parameters=matrix_parameters,
        expert_parameters=expert_parameters,
        outside_parameters=outside,
        head_parameters=head if head > 0.0 else embedding,
        other_parameters=other,
        layer_parameters=_largest(layer_all),
        layer_matrix_parameters=_largest(layer_matrix),
        biggest_matrix=biggest,
        attention_width=_total(attention),
        inner_width=_total(inner),
        expert_inner_width=_total(expert_inner),
        routed_width=_total(routed),
        layer_attention_width=_largest(attention),
        layer_inner_width=_largest(inner),
        layer_expert_inner_width=_largest(expert_inner),
        layer_routed_width=_largest(routed),
    )


def _attention_width(tensor: Tensor) -> float:
    """What a projection around attention adds to a token: its result, or the output's input."""
    if tensor.tensor_class == "dense_ffn" or tensor.tensor_class == "shared_experts":
        return 0.0
    if tensor.tensor_class == "routed_experts":
        return 0.0
    if is_output_projection(tensor.role):
        return tensor.row_width
    # The second halves of latent projections come one matrix a head; K is stored transposed.
    if tensor.role == "attn_k_b":
        return tensor.row_width * tensor.experts
    return tensor.rows * tensor.experts


def is_output_projection(role: str) -> bool:
    """The projection that leads from attention back to the hidden width."""
    return (
        role == "attn_output"
        or role == "attn_output_b"
        or role == "ssm_out"
        or role == "shortconv.out_proj"
    )


def _inner_width(tensor: Tensor) -> float:
    """Results of gate and up projections; the way down ends in the hidden width."""
    name = tensor.tensor_class
    if name != "dense_ffn" and name != "shared_experts" and name != "routed_experts":
        return 0.0
    role = tensor.role
    if role == "ffn_down" or role == "ffn_down_exps" or role == "ffn_down_shexp":
        return 0.0
    return tensor.rows


def _largest(values: list[float]) -> float:
    largest = 0.0
    for value in values:
        largest = max(largest, value)
    return largest


def _total(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
