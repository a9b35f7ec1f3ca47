"""Multi-head latent attention (MLA) and the sparse-attention indexer beside it.

The cache keeps one latent row a token and a layer (`kv_lora_rank + qk_rope_head_dim`), whatever
the number of heads; values are a view of it. Names and shapes are those of llama.cpp, which
splits `kv_b_proj` into `attn_k_b` (transposed) and `attn_v_b`, one matrix a head.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import LayerGroup, Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentShape:
    """Heads, ranks and head sizes of latent attention; `q_lora_rank` 0: queries in one step."""

    heads: float
    q_lora_rank: float
    kv_lora_rank: float
    nope_head_size: float
    rope_head_size: float
    v_head_size: float

    @property
    def latent_width(self) -> float:
        """Width of what is cached for a token."""
        return self.kv_lora_rank + self.rope_head_size

    def group(self, *, index_k_width: float = 0.0, selected_entries: float = 0.0) -> LayerGroup:
        """One layer that caches the latent (and an indexer key, where it has its own indexer).

        `selected_entries` is the number of tokens that sparse attention reads, 0 for all.
        """
        return LayerGroup(
            kind="latent",
            count=1.0,
            k_width=self.latent_width,
            index_k_width=index_k_width,
            selected_entries=selected_entries,
            query_heads=self.heads,
            kv_heads=1.0,
            k_head_size=self.latent_width,
            v_head_size=self.kv_lora_rank,
        )


def latent_shape(keys: Keys) -> LatentShape:
    """Read the shape from `num_attention_heads`, the two ranks and the three head sizes."""
    shape = LatentShape(
        heads=whole(keys, "num_attention_heads"),
        q_lora_rank=whole(keys, "q_lora_rank", 0.0, least=0.0),
        kv_lora_rank=whole(keys, "kv_lora_rank"),
        nope_head_size=whole(keys, "qk_nope_head_dim"),
        rope_head_size=whole(keys, "qk_rope_head_dim", least=0.0),
        v_head_size=whole(keys, "v_head_dim"),
    )
    together = shape.nope_head_size + shape.rope_head_size
    if whole(keys, "qk_head_dim", together) != together:
        raise ArchitectureError(
            f"{keys.path}.qk_head_dim",
            f"is {keys.number('qk_head_dim'):g}, but qk_nope_head_dim and qk_rope_head_dim "
            f"are {together:g} together",
        )
    return shape


def latent_attention(
    tensors: TensorList,
    width: float,
    shape: LatentShape,
    layers: Iterable[float],
    *,
    absorbed_type: str = "",
) -> None:
    """Projections of latent attention, without the norm before it.

    `absorbed_type` is the storage type of the latent's own matrices (`attn_kv_a_mqa`,
    `attn_k_b`, `attn_v_b`) where quantising leaves them alone.
    """
    at = list(layers)
    q_rows = shape.heads * (shape.nope_head_size + shape.rope_head_size)
    if shape.q_lora_rank > 0:
        tensors.matrix("attn_q_a", "attention", width, shape.q_lora_rank, layers=at)
        tensors.vector("attn_q_a_norm", "norm", shape.q_lora_rank, layers=at)
        tensors.matrix("attn_q_b", "attention", shape.q_lora_rank, q_rows, layers=at)
    else:
        tensors.matrix("attn_q", "attention", width, q_rows, layers=at)
    tensors.matrix(
        "attn_kv_a_mqa",
        "attention",
        width,
        shape.latent_width,
        layers=at,
        fixed_type=absorbed_type,
    )
    tensors.vector("attn_kv_a_norm", "norm", shape.kv_lora_rank, layers=at)
    for role, row_width, rows in (
        ("attn_k_b", shape.nope_head_size, shape.kv_lora_rank),
        ("attn_v_b", shape.kv_lora_rank, shape.v_head_size),
    ):
        tensors.matrix(
            role,
            "attention",
            row_width,
            rows,
            experts=shape.heads,
            layers=at,
            fixed_type=absorbed_type,
        )
    output_width = shape.heads * shape.v_head_size
    tensors.matrix("attn_output", "attention", output_width, width, layers=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexerShape:
    """The lightning indexer that picks the tokens sparse attention reads."""

    heads: float
    head_size: float


def indexer_shape(keys: Keys) -> IndexerShape:
    """Read `index_n_heads` and `index_head_dim`."""
    return IndexerShape(heads=whole(keys, "index_n_heads"), head_size=whole(keys, "index_head_dim"))


def indexer(
    tensors: TensorList,
    width: float,
    query_width: float,
    shape: IndexerShape,
    layers: Iterable[float],
    *,
    fixed_type: str = "",
) -> None:
    """Key projection with its LayerNorm, head weights, and queries from the query latent.

    The head weights (`indexer.proj`) are F32 in a converted file but are quantised like others.
    """
    at = list(layers)
    tensors.vector("indexer.k_norm", "indexer", shape.head_size, layers=at)
    tensors.vector("indexer.k_norm.bias", "indexer", shape.head_size, layers=at)
    tensors.matrix("indexer.proj", "indexer", width, shape.heads, layers=at)
    as_converted_f32(tensors)
    for role, row_width, rows in (
        ("indexer.attn_k", width, shape.head_size),
        ("indexer.attn_q_b", query_width, shape.heads * shape.head_size),
    ):
        tensors.matrix(role, "indexer", row_width, rows, layers=at, fixed_type=fixed_type)


def as_converted_f32(tensors: TensorList) -> None:
    """Mark the tensor added last as one that the converter writes in F32 and quantising shrinks."""
    tensors.last_converted_f32()


def join_gate_and_up(tensors: list[Tensor]) -> list[Tensor]:
    """Routed experts with gate and up projections in one tensor, as some files keep them."""
    joined: list[Tensor] = []
    for tensor in tensors:
        if tensor.role == "ffn_gate_exps":
            joined.append(replace(tensor, role="ffn_gate_up_exps", rows=2.0 * tensor.rows))
        elif tensor.role != "ffn_up_exps":
            joined.append(tensor)
    return joined
