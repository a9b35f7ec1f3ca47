"""Widths that the sizes of a compute graph are stated in, for one layer of a model."""

from __future__ import annotations

from vramsite.sizing.records import Architecture, LayerGroup, Tensor


class UnknownWidthError(Exception):
    """The model has no such width."""


class Widths:
    """Looks up named widths of a model's layers."""

    def __init__(self, arch: Architecture) -> None:
        self.arch = arch
        self._by_layer: dict[tuple[str, float], Tensor] = {}
        self._anywhere: dict[str, Tensor] = {}
        for tensor in arch.tensors:
            self._anywhere.setdefault(tensor.role, tensor)
            for layer in tensor.layers:
                self._by_layer.setdefault((tensor.role, layer), tensor)

    def group(self, layer: int) -> LayerGroup:
        """The layer's group."""
        return self.arch.groups[int(self.arch.layer_order[layer])]

    def has(self, role: str, layer: int) -> bool:
        """Whether the layer holds a tensor of that role ("indexed": stores index keys)."""
        if role == "indexed":
            return self.group(layer).index_k_width > 0.0
        return (role, float(layer)) in self._by_layer

    def has_anywhere(self, role: str) -> bool:
        """Whether the model holds one."""
        return role in self._anywhere

    def layers_with(self, role: str) -> int:
        """How many layers hold one ("": all)."""
        count = int(self.arch.layer_count)
        return count if not role else sum(self.has(role, layer) for layer in range(count))

    def tensor(self, role: str, layer: int) -> Tensor:
        """The layer's tensor of that role, else another layer's. Raises UnknownWidthError."""
        found = self._by_layer.get((role, float(layer))) or self._anywhere.get(role)
        if found is None:
            raise UnknownWidthError(role)
        return found

    def width(self, name: str, layer: int) -> float:
        """Elements of a named width: of the model, of the layer's attention, or of a tensor.

        A tensor's role stands for its rows, with ".in" for the width of its rows. Raises
        UnknownWidthError.
        """
        arch = self.arch
        group = self.group(layer)
        if name == "linear_k":
            conv = self.tensor("ssm_conv1d", layer).rows
            return (conv - self.tensor("ssm_out", layer).row_width) / 2.0
        if name == "ih":
            return self.tensor("indexer.proj", layer).rows
        known = {
            "1": 1.0,
            "embd": arch.embedding_width,
            "used": arch.experts_used,
            "experts": arch.expert_count,
            "vocabulary": arch.vocabulary,
            "layers": arch.layer_count,
            "q": group.query_heads * group.k_head_size,
            "o": group.query_heads * group.v_head_size,
            "k": group.kv_heads * group.k_head_size,
            "v": group.kv_heads * group.v_head_size,
            "ik": group.index_k_width,
            "heads": group.query_heads,
            "latent": group.v_head_size,
            "rope": group.k_head_size - group.v_head_size,
            "rope_q": group.query_heads * (group.k_head_size - group.v_head_size),
            "state": max(entry.recurrent_elements for entry in arch.groups),
            "conv": max(entry.conv_elements for entry in arch.groups),
            "widest_v": max(entry.v_width for entry in arch.groups),
        }
        if name in known:
            return known[name]
        if name.endswith(".in"):
            return self.tensor(name.removesuffix(".in"), layer).row_width
        return self.tensor(name, layer).rows

    def cached_head(self, *, windowed: bool) -> float:
        """Size of the key heads of the windowed (or the other) cache, 0 where there is none."""
        heads = [
            group.k_head_size
            for group in self.arch.groups
            if (group.window_tokens > 0.0) == windowed and group.k_width > 0.0
        ]
        return heads[-1] if heads else 0.0

    def selected_entries(self) -> tuple[float, float]:
        """Entries that sparse attention selects, and for how many tokens one stands."""
        for group in self.arch.groups:
            if group.selected_entries > 0.0:
                return group.selected_entries, group.tokens_per_entry
        raise UnknownWidthError("selected_entries")


def rotation_side(head: float, least: int) -> float:
    """Side of the largest power-of-two rotation that divides a head; 0 where `least` does not."""
    if head <= 0.0 or head % least:
        return 0.0
    side = least
    while head % (side * 2) == 0.0:
        side *= 2
    return float(side)
