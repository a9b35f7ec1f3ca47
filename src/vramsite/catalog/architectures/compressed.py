"""Attention over one key-value row that all heads share, kept for a short window.

What lies beyond the window is pooled into compressed entries, which some layers keep. The output
projection is low-rank in groups of heads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import LayerGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedShape:
    """Query heads and ranks around one shared key-value row of `head_size` elements."""

    heads: float
    head_size: float
    q_lora_rank: float
    output_groups: float
    output_lora_rank: float
    window_tokens: float

    def group(
        self,
        *,
        tokens_per_entry: float = 0.0,
        compressor_elements: float = 0.0,
        index_k_width: float = 0.0,
        selected_entries: float = 0.0,
    ) -> LayerGroup:
        """One layer: the window, and entries of `tokens_per_entry` tokens (0: no entries)."""
        pooled = tokens_per_entry > 0
        return LayerGroup(
            kind="compressed" if pooled else "window",
            count=1.0,
            k_width=self.head_size,
            window_tokens=self.window_tokens,
            tokens_per_entry=tokens_per_entry if pooled else 1.0,
            compressed_k_width=self.head_size if pooled else 0.0,
            compressor_elements=compressor_elements,
            index_k_width=index_k_width,
            index_tokens_per_entry=tokens_per_entry if index_k_width > 0 else 1.0,
            selected_entries=selected_entries,
            own_context=True,
            query_heads=self.heads,
            kv_heads=1.0,
            k_head_size=self.head_size,
            v_head_size=self.head_size,
        )


def compressed_shape(keys: Keys) -> CompressedShape:
    """Read heads, ranks, `o_groups` and `sliding_window`."""
    shape = CompressedShape(
        heads=whole(keys, "num_attention_heads"),
        head_size=whole(keys, "head_dim"),
        q_lora_rank=whole(keys, "q_lora_rank"),
        output_groups=whole(keys, "o_groups"),
        output_lora_rank=whole(keys, "o_lora_rank"),
        window_tokens=whole(keys, "sliding_window"),
    )
    if whole(keys, "num_key_value_heads", 1.0) != 1:
        raise ArchitectureError(
            f"{keys.path}.num_key_value_heads", "is more than the one row that all heads share"
        )
    if shape.heads % shape.output_groups != 0:
        raise ArchitectureError(
            f"{keys.path}.o_groups",
            f"is {shape.output_groups:g}, which does not divide the {shape.heads:g} heads",
        )
    return shape


def shared_kv_attention(
    tensors: TensorList, width: float, shape: CompressedShape, layers: Iterable[float]
) -> None:
    """Queries through a latent, one key-value row with its norm, sinks, grouped output."""
    at = list(layers)
    rows = shape.heads * shape.head_size
    groups = shape.output_groups
    tensors.vector("attn_sinks", "attention", shape.heads, layers=at)
    tensors.matrix("attn_q_a", "attention", width, shape.q_lora_rank, layers=at)
    tensors.vector("attn_q_a_norm", "norm", shape.q_lora_rank, layers=at)
    tensors.matrix("attn_q_b", "attention", shape.q_lora_rank, rows, layers=at)
    tensors.matrix("attn_kv", "attention", width, shape.head_size, layers=at)
    tensors.vector("attn_kv_a_norm", "norm", shape.head_size, layers=at)
    rank = shape.output_lora_rank
    tensors.matrix("attn_output_a", "attention", rows / groups, rank, experts=groups, layers=at)
    tensors.matrix("attn_output_b", "attention", groups * rank, width, layers=at)
