"""Widths that the sizes of a compute graph are stated in, for one layer of a model."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.numeric import index
from vramsite.sizing.records import Architecture, LayerGroup, Tensor


@dataclass(slots=True, kw_only=True)
class Widths:
    """A model's tensors by layer. `known` turns false when a width is asked that it has not."""

    arch: Architecture
    roles: list[list[str]]  # one entry a layer, beside `tensors`
    tensors: list[list[Tensor]]
    alike: list[str]  # for each layer, which tensors it has
    all_roles: list[str]
    all_tensors: list[Tensor]
    known: bool = True


def widths_of(arch: Architecture) -> Widths:
    """The widths of a model."""
    count = index(arch.layer_count)
    widths = Widths(
        arch=arch,
        roles=[[] for _ in range(count)],
        tensors=[[] for _ in range(count)],
        alike=["" for _ in range(count)],
        all_roles=[],
        all_tensors=[],
    )
    for place, tensor in enumerate(arch.tensors):
        if tensor.role not in widths.all_roles:
            widths.all_roles.append(tensor.role)
            widths.all_tensors.append(tensor)
        for layer in tensor.layers:
            if layer < arch.layer_count:
                at = index(layer)
                widths.alike[at] = widths.alike[at] + f",{place}"
                if tensor.role not in widths.roles[at]:
                    widths.roles[at].append(tensor.role)
                    widths.tensors[at].append(tensor)
    return widths


def group_of(widths: Widths, layer: int) -> LayerGroup:
    """The layer's group."""
    return widths.arch.groups[index(widths.arch.layer_order[layer])]


def has(widths: Widths, role: str, layer: int) -> bool:
    """Whether the layer holds a tensor of that role ("indexed": stores index keys)."""
    if role == "indexed":
        return group_of(widths, layer).index_k_width > 0.0
    return role in widths.roles[layer]


def has_anywhere(widths: Widths, role: str) -> bool:
    """Whether the model holds one."""
    return role in widths.all_roles


def layers_with(widths: Widths, role: str) -> float:
    """How many layers hold one ("": all)."""
    if role == "":
        return widths.arch.layer_count
    count = 0.0
    for layer in range(index(widths.arch.layer_count)):
        if has(widths, role, layer):
            count += 1.0
    return count


def tensor_of(widths: Widths, role: str, layer: int) -> Tensor:
    """The layer's tensor of that role, else another layer's; any where there is none."""
    if role in widths.roles[layer]:
        return widths.tensors[layer][widths.roles[layer].index(role)]
    if role in widths.all_roles:
        return widths.all_tensors[widths.all_roles.index(role)]
    widths.known = False
    return widths.all_tensors[0]


def width(widths: Widths, name: str, layer: int) -> float:
    """Elements of a named width: of the model, of the layer's attention, or of a tensor.

    A tensor's role stands for its rows, with ".in" for the width of its rows.
    """
    found = _of_model(widths.arch, name)
    if found is None:
        found = _of_attention(group_of(widths, layer), name)
    if found is not None:
        return found
    if name == "linear_k":
        conv = tensor_of(widths, "ssm_conv1d", layer).rows
        return (conv - tensor_of(widths, "ssm_out", layer).row_width) / 2.0
    if name == "ih":
        return tensor_of(widths, "indexer.proj", layer).rows
    if name.endswith(".in"):
        return tensor_of(widths, name.removesuffix(".in"), layer).row_width
    return tensor_of(widths, name, layer).rows


def _of_model(arch: Architecture, name: str) -> float | None:
    if name == "1":
        return 1.0
    if name == "embd":
        return arch.embedding_width
    if name == "used":
        return arch.experts_used
    if name == "experts":
        return arch.expert_count
    if name == "vocabulary":
        return arch.vocabulary
    if name == "layers":
        return arch.layer_count
    if name == "state":
        return max([group.recurrent_elements for group in arch.groups])
    if name == "conv":
        return min([group.conv_elements for group in arch.groups if group.conv_elements > 0.0])
    if name == "widest_v":
        return max([group.v_width for group in arch.groups])
    return None


def _of_attention(group: LayerGroup, name: str) -> float | None:
    if name == "q":
        return group.query_heads * group.k_head_size
    if name == "o":
        return group.query_heads * group.v_head_size
    if name == "k":
        return group.kv_heads * group.k_head_size
    if name == "v":
        return group.kv_heads * group.v_head_size
    if name == "ik":
        return group.index_k_width
    if name == "heads":
        return group.query_heads
    if name == "latent":
        return group.v_head_size
    if name == "rope":
        return group.k_head_size - group.v_head_size
    if name == "rope_q":
        return group.query_heads * (group.k_head_size - group.v_head_size)
    return None


def cached_head(widths: Widths, windowed: bool) -> float:
    """Size of the key heads of the windowed (or the other) cache, 0 where there is none."""
    head = 0.0
    for group in widths.arch.groups:
        if (group.window_tokens > 0.0) == windowed and group.k_width > 0.0:
            head = group.k_head_size
    return head


def selected_entries(widths: Widths) -> tuple[float, float]:
    """Entries that sparse attention selects, and for how many tokens one stands."""
    for group in widths.arch.groups:
        if group.selected_entries > 0.0:
            return group.selected_entries, group.tokens_per_entry
    widths.known = False
    return 0.0, 1.0


def rotation_side(head: float, least: float) -> float:
    """Side of the largest power-of-two rotation that divides a head; 0 where `least` does not."""
    if head <= 0.0 or head % least > 0.0:
        return 0.0
    side = least
    while head % (side * 2.0) == 0.0:
        side = side * 2.0
    return side
