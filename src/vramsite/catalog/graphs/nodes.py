"""Whether llama.cpp's scheduler has room for all nodes of a graph.

Its hash table is made for as many nodes as `graph_max_nodes` allows (a multiple of the model's
tensors) and has the next size up of ggml's list. Nodes, weights, caches and inputs each take an
entry; where they are more, llama.cpp aborts when it reserves memory (GGML_ABORT in
ggml_hash_find_or_insert, ggml-impl.h).
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.records import Architecture


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCounts:
    """Nodes of a graph with F16 caches in one slot; how many more a layer has otherwise.

    Without flash attention a layer has a few more (Phi-4: 4), and V is never quantised.
    """

    layer: float
    outside: float  # of all layers, inputs included
    slots: float
    rotation: float  # of K, and of V


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """How the scheduler's table is made: for at least so many nodes, or so many a tensor."""

    least: float
    per_tensor: float
    sizes: list[float]  # that ggml makes tables of, smallest first


def overfull_caches(arch: Architecture, nodes: NodeCounts | None, table: NodeTable) -> list[str]:
    """The caches under which the table is too small, as ModelGraph.overfull names them."""
    found: list[str] = []
    if nodes is None:
        return found
    tensors = 0.0
    for tensor in arch.tensors:
        if tensor.in_gguf:
            tensors = tensors + max(1.0, len(tensor.layers) * 1.0)
    asked = max(table.least, table.per_tensor * tensors)
    room = 0.0
    for size in table.sizes:
        if room < asked:
            room = size
    for caches, rotations in zip(("", "k", "v", "kv"), (0.0, 1.0, 1.0, 2.0), strict=True):
        layer = nodes.layer + nodes.rotation * rotations + 2.0  # two caches a layer
        beside = tensors + nodes.outside + rotations
        if beside + arch.layer_count * layer > room:
            found.append(caches)
        if beside + arch.layer_count * (layer + nodes.slots) > room:
            found.append(caches + "+")
    return found
