"""What the sizes of a graph's tensors are multiplied by, under some settings."""

from __future__ import annotations

from vramsite.sizing.cache import (
    CacheRules,
    cache_type,
    entry_cells,
    slot_cells,
    streams,
    window_cells,
)
from vramsite.sizing.graph_records import GraphQuantity, ModelGraph
from vramsite.sizing.numeric import ceil_to, floor, index
from vramsite.sizing.records import Architecture, Settings

TOKENS = 1  # places in the list of quantities
SEQUENCES = 2
OUTPUTS = 3
SLOT_CELLS = 4
CELLS = 5
WINDOW_CELLS = 7


def graph_quantities(
    arch: Architecture, settings: Settings, rules: CacheRules, graph: ModelGraph
) -> list[float]:
    """The quantities, at the places that GraphTerm gives.

    0: 1; tokens of the micro-batch; sequences; rows of outputs; cells of a slot and of all;
    cells of a window and of all; 8: whether K (9: V) is stored in another type than F16;
    10: cells of K (11: of V) that CUDA's flash attention copies as F16, 12, 13: of windows;
    14: sequences but one; 15: cells of a slot times sequences; 16: bytes of an element of K;
    17: whether CUDA's flash attention copies K; then the graph's own.
    """
    slot = slot_cells(settings, rules)
    cells = slot * streams(settings)
    window = 0.0
    windows = 0.0
    for group in arch.groups:
        if group.window_tokens > 0.0:
            window = window_cells(group, settings, rules)
            windows = window * (settings.parallel if group.own_context else streams(settings))
    # As many for each sequence
    tokens = ceil_to(min(settings.ubatch_tokens, settings.context_tokens), settings.parallel)
    k_type = cache_type(rules, settings.kv_type_k)
    k_typed = 0.0 if k_type.name == "f16" else 1.0
    v_typed = 0.0 if cache_type(rules, settings.kv_type_v).name == "f16" else 1.0
    copied = 0.0 if settings.backend == "cpu" else 1.0
    found = [
        1.0,
        tokens,
        settings.parallel,
        min(settings.outputs_max, tokens),
        slot,
        cells,
        window,
        windows,
        k_typed,
        v_typed,
        copied * k_typed * cells,
        copied * v_typed * cells,
        copied * k_typed * windows,
        copied * v_typed * windows,
        settings.parallel - 1.0,
        settings.parallel * slot,
        k_type.block_bytes / k_type.block_elements,
        copied * k_typed,
    ]
    for entry in graph.quantities:
        found.append(_own(arch, settings, rules, entry, found))
    return found


def _own(
    arch: Architecture,
    settings: Settings,
    rules: CacheRules,
    entry: GraphQuantity,
    found: list[float],
) -> float:
    if entry.kind == "blocks":
        return floor(found[TOKENS] / entry.size)
    if entry.kind == "least_tokens":
        return min(found[TOKENS], entry.size * found[SEQUENCES])
    if entry.kind == "least":
        return min(entry.size, found[index(entry.of)] / entry.per + entry.spare)
    cells = entry_cells(found[SLOT_CELLS], entry.size, rules)
    if entry.kind == "all_entries":
        for group in arch.groups:
            if group.tokens_per_entry == entry.size:
                return cells * (settings.parallel if group.own_context else streams(settings))
    return cells


def for_outputs(quantities: list[float]) -> list[float]:
    """The same where only the rows of the outputs go on."""
    return [quantities[OUTPUTS if place == TOKENS else place] for place in range(len(quantities))]
