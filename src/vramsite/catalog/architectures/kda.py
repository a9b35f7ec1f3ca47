"""Kimi delta attention (KDA): linear attention with a fixed state a sequence.

Each of queries, keys and values passes a short convolution of its own; the state is one square
matrix a head. Nothing grows with the context.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vramsite.catalog.architectures.keys import Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import LayerGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaShape:
    """Heads of a square state, and the length of the convolutions."""

    heads: float
    head_size: float
    kernel: float

    @property
    def inner_width(self) -> float:
        """Width of all heads together."""
        return self.heads * self.head_size

    def group(self) -> LayerGroup:
        """One layer: state of `head_size` squared a head, and three convolution tails."""
        return LayerGroup(
            kind="recurrent",
            count=1.0,
            recurrent_elements=self.head_size * self.inner_width,
            conv_elements=3 * (self.kernel - 1) * self.inner_width,
        )


def delta_shape(keys: Keys) -> DeltaShape:
    """Read `linear_attn_config`: `num_heads`, `head_dim`, `short_conv_kernel_size`."""
    config = keys.sub("linear_attn_config")
    return DeltaShape(
        heads=whole(config, "num_heads"),
        head_size=whole(config, "head_dim"),
        kernel=whole(config, "short_conv_kernel_size"),
    )


def delta_attention(
    tensors: TensorList,
    width: float,
    shape: DeltaShape,
    layers: Iterable[float],
    *,
    full_gate: bool,
    small_type: str = "",
) -> None:
    """Projections, convolutions, decay and output gate, without the norm before them.

    `full_gate`: the output gate is one square projection instead of two through the head size.
    `small_type` is the storage type of the low-rank projections where quantising leaves them.
    """
    at = list(layers)
    inner = shape.inner_width
    for role in ("attn_q", "attn_k", "attn_v"):
        tensors.matrix(role, "recurrent", width, inner, layers=at)
    for role in ("ssm_conv1d_q", "ssm_conv1d_k", "ssm_conv1d_v"):
        tensors.matrix(role, "recurrent", shape.kernel, inner, layers=at, fixed_type="F32")
    low_rank = [
        ("ssm_f_a", width, shape.head_size),
        ("ssm_f_b", shape.head_size, inner),
        ("ssm_beta", width, shape.heads),
    ]
    if full_gate:
        tensors.matrix("ssm_g", "recurrent", width, inner, layers=at)
    else:
        low_rank += [("ssm_g_a", width, shape.head_size), ("ssm_g_b", shape.head_size, inner)]
    for role, row_width, rows in low_rank:
        tensors.matrix(role, "recurrent", row_width, rows, layers=at, fixed_type=small_type)
    tensors.vector("ssm_a", "recurrent", shape.heads, layers=at)
    tensors.vector("ssm_dt.bias", "recurrent", inner, layers=at)
    tensors.vector("ssm_norm", "norm", shape.head_size, layers=at)
    tensors.matrix("attn_output", "recurrent", inner, width, layers=at)
