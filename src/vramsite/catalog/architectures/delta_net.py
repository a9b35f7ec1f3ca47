"""What the Qwen 3 Next, 3.5 and 4 families share: gated delta net, gated attention, the tower."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from vramsite.catalog.architectures.blocks import vision, vision_blocks
from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.shapes import whole
from vramsite.catalog.architectures.tensor_list import TensorList
from vramsite.sizing.records import LayerGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaNetShape:
    """Heads of a gated delta net layer and the kernel of its convolution."""

    key_heads: float
    value_heads: float
    key_head_size: float
    value_head_size: float
    kernel: float

    @property
    def key_width(self) -> float:
        """Width of all keys (and of all queries)."""
        return self.key_heads * self.key_head_size

    @property
    def value_width(self) -> float:
        """Width of all values."""
        return self.value_heads * self.value_head_size

    @property
    def mixed_width(self) -> float:
        """Query, key and value together: what the short convolution runs over."""
        return 2 * self.key_width + self.value_width

    def group(self, extra_conv_elements: float = 0.0) -> LayerGroup:
        """One such layer: a matrix per value head and the last `kernel - 1` convolution inputs."""
        return LayerGroup(
            kind="recurrent",
            count=1.0,
            recurrent_elements=self.key_head_size * self.value_width,
            conv_elements=(self.kernel - 1) * self.mixed_width + extra_conv_elements,
        )


def delta_net_shape(keys: Keys) -> DeltaNetShape:
    """The `linear_*` keys; value heads come in whole groups per key head."""
    shape = DeltaNetShape(
        key_heads=whole(keys, "linear_num_key_heads"),
        value_heads=whole(keys, "linear_num_value_heads"),
        key_head_size=whole(keys, "linear_key_head_dim"),
        value_head_size=whole(keys, "linear_value_head_dim"),
        kernel=whole(keys, "linear_conv_kernel_dim", least=2),
    )
    if shape.value_heads % shape.key_heads != 0:
        raise ArchitectureError(
            f"{keys.path}.linear_num_key_heads",
            f"is {shape.key_heads:g}, which does not divide linear_num_value_heads "
            f"{shape.value_heads:g}",
        )
    return shape


def delta_net(
    tensors: TensorList,
    width: float,
    shape: DeltaNetShape,
    layers: Iterable[float],
    *,
    joined_beta_alpha: bool = False,
) -> None:
    """Projections, short convolution, decay and norm of gated delta net layers.

    `joined_beta_alpha` keeps the two per-head gates in one matrix, as Qwen 3 Next does.
    """
    at = list(layers)
    kind = "recurrent"
    heads = shape.value_heads
    tensors.matrix("attn_qkv", kind, width, shape.mixed_width, layers=at)
    tensors.matrix("attn_gate", kind, width, shape.value_width, layers=at)
    tensors.matrix("ssm_conv1d", kind, shape.kernel, shape.mixed_width, layers=at, fixed_type="F32")
    if joined_beta_alpha:
        tensors.matrix("ssm_ba", kind, width, 2 * heads, layers=at)
    else:
        tensors.matrix("ssm_beta", kind, width, heads, layers=at)
        tensors.matrix("ssm_alpha", kind, width, heads, layers=at)
    tensors.vector("ssm_dt.bias", kind, heads, layers=at)
    tensors.vector("ssm_a", kind, heads, layers=at)
    tensors.vector("ssm_norm", kind, shape.value_head_size, layers=at)
    tensors.matrix("ssm_out", kind, shape.value_width, width, layers=at)


def qwen_tower(tensors: TensorList, tower: Keys) -> None:
    """Qwen's vision transformer: 3-D patches, learned positions, a two-layer merger at the end."""
    width = whole(tower, "hidden_size")
    patch = whole(tower, "patch_size")
    frames = whole(tower, "temporal_patch_size", 2)
    merge = whole(tower, "spatial_merge_size", 2)
    merged = width * (merge * merge)
    out = whole(tower, "out_hidden_size")
    channels = whole(tower, "in_channels", 3)
    vision(tensors, "v.patch_embd", channels * frames * patch * patch, width)
    vision(tensors, "v.patch_embd.bias", width)
    vision(tensors, "v.position_embd", width, whole(tower, "num_position_embeddings"))
    vision_blocks(
        tensors,
        depth=whole(tower, "depth"),
        width=width,
        ffn_width=whole(tower, "intermediate_size"),
    )
    vision(tensors, "v.post_ln", width, count=2)
    vision(tensors, "mm.0", merged, merged)
    vision(tensors, "mm.0.bias", merged)
    vision(tensors, "mm.2", merged, out)
    vision(tensors, "mm.2.bias", out)
