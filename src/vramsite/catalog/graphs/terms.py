"""Sizes of a graph's tensors: terms of the file as bytes x two quantities.

Quantities are places in sizing/graph_quantities.py; a graph may add some of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.catalog.graphs.rules import FamilyGraph, GraphRules
from vramsite.catalog.graphs.steps import RuleTerm
from vramsite.catalog.graphs.widths import (
    Widths,
    cached_head,
    group_of,
    rotation_side,
    selected_entries,
    tensor_of,
    width,
)
from vramsite.sizing.graph_records import GraphQuantity, GraphTerm
from vramsite.sizing.numeric import floor

# Places of the quantities that every graph has
ONE = 0.0
TOKENS = 1.0
SEQUENCES = 2.0
OUTPUTS = 3.0
SLOT = 4.0
CELLS = 5.0
WINDOW = 6.0
WINDOWS = 7.0
K_TYPED = 8.0
V_TYPED = 9.0
K_COPIED = 10.0
V_COPIED = 11.0
K_WINDOW_COPIED = 12.0
V_WINDOW_COPIED = 13.0
OTHERS = 14.0
SEQUENCE_CELLS = 15.0
K_ELEMENT = 16.0
K_IS_COPIED = 17.0
OWN = 18.0

_PLAIN = (
    "token", "sequence", "other_sequence", "once", "output", "window_cell", "window",
    "sequence_cell",
)  # fmt: skip
_PLAIN_PLACES = (TOKENS, SEQUENCES, OTHERS, ONE, OUTPUTS, WINDOWS, WINDOW, SEQUENCE_CELLS)


@dataclass(slots=True, kw_only=True)
class Making:
    """A graph in the making. `fits` turns false when it does not suit the model."""

    rules: GraphRules
    family: FamilyGraph
    widths: Widths
    input_names: list[str]
    quantities: list[GraphQuantity]
    fits: bool = True


def terms_of(making: Making, terms: list[RuleTerm], layer: int) -> list[GraphTerm]:
    """A tensor's size in one layer; terms of the same quantities are joined."""
    found: list[GraphTerm] = []
    for term in terms:
        for part in _sum(making, term, layer):
            a, b = part.a, part.b
            if b != ONE:
                a, b = max(part.a, part.b), min(part.a, part.b)
            added = False
            for place, known in enumerate(found):
                if known.a == a and known.b == b:
                    size = known.size_bytes + part.size_bytes
                    found[place] = GraphTerm(size_bytes=size, a=a, b=b)
                    added = True
            if not added:
                found.append(GraphTerm(size_bytes=part.size_bytes, a=a, b=b))
    return [term for term in found if term.size_bytes != 0.0]


def _term(size_bytes: float, a: float, b: float = 0.0) -> GraphTerm:
    return GraphTerm(size_bytes=size_bytes, a=a, b=b)


def _scaled(terms: list[GraphTerm], factor: float) -> list[GraphTerm]:
    return [GraphTerm(size_bytes=factor * term.size_bytes, a=term.a, b=term.b) for term in terms]


def _sum(making: Making, term: RuleTerm, layer: int) -> list[GraphTerm]:
    widths = making.widths
    if term.width == "attention":
        return _attention(making, layer)
    if term.width in ("k_rotation", "v_rotation"):
        return [_rotation(making, term)]
    if term.width == "index_rotation":
        head = max([group.index_k_width for group in widths.arch.groups])
        side = rotation_side(head, making.rules.least_rotation)
        return [_term(side * side * term.factor_bytes, ONE)]
    if term.width == "k_cached":  # in the cache's type
        size = width(widths, "k", layer)
        return [_term(size, part.a, K_ELEMENT) for part in _per(making, term, layer)]
    size = width(widths, term.width, layer) * term.factor_bytes
    if term.times == "used":
        size *= widths.arch.experts_used
    if term.times == "stack":
        size *= tensor_of(widths, term.width, layer).experts
    return _scaled(_per(making, term, layer), size)


def _rotation(making: Making, term: RuleTerm) -> GraphTerm:
    """The matrix that quantised keys or values are rotated by."""
    windowed = term.per == "window_cell"
    head = cached_head(making.widths, windowed)
    if head == 0.0:
        head = cached_head(making.widths, not windowed)
    side = rotation_side(head, making.rules.least_rotation)
    if term.width == "v_rotation" and side > 0.0:
        side = making.rules.least_rotation
    typed = K_TYPED if term.width == "k_rotation" else V_TYPED
    return _term(side * side * term.factor_bytes, typed)


def _attention(making: Making, layer: int) -> list[GraphTerm]:
    """Output of flash attention, with the F16 copies of K and V that its kernels make."""
    group = group_of(making.widths, layer)
    windowed = group.window_tokens > 0.0
    k_bytes = width(making.widths, "k", layer) * 2.0
    found = [_term(width(making.widths, "o", layer) * 4.0, TOKENS)]
    if group.kind == "compressed":
        entries = _own(making, "all_entries", group.tokens_per_entry)
        found.append(_term(k_bytes, entries, K_IS_COPIED))
        found.append(_term(k_bytes, WINDOWS, K_IS_COPIED))
        return found
    found.append(_term(k_bytes, K_WINDOW_COPIED if windowed else K_COPIED))
    if group.kind != "latent":
        copied = V_WINDOW_COPIED if windowed else V_COPIED
        found.append(_term(width(making.widths, "v", layer) * 2.0, copied))
    return found


def _per(making: Making, term: RuleTerm, layer: int) -> list[GraphTerm]:
    """What a width is repeated by: factors of products of two quantities."""
    per_token = term.per.startswith("token_")
    word = term.per.removeprefix("token_")
    other = TOKENS if per_token else ONE
    if word in _PLAIN:
        return [_term(1.0, _PLAIN_PLACES[_PLAIN.index(word)], other)]
    if word == "cell":
        return [_term(1.0, SLOT if per_token else CELLS, other)]
    if word == "layer_block":
        return [_term(block_of(making, layer) + 1.0, ONE, other)]
    if word == "state_token":
        return [_term(1.0, _own(making, "least_tokens", term.entry_tokens), other)]
    if word == "block":
        blocks = _own(making, "blocks", term.entry_tokens)
        return [_term(1.0, blocks, other), _term(1.0, SEQUENCES, other)]
    if word == "selected":
        most, per_entry = selected_entries(making.widths)
        cells = SLOT if per_entry <= 1.0 else _own(making, "entries", per_entry)
        return [_term(1.0, _own(making, "least", most, cells), other)]
    if word in ("entry", "entry_window"):
        kind = "entries" if per_token else "all_entries"
        found = [_term(1.0, _own(making, kind, term.entry_tokens), other)]
        if word == "entry_window":
            found.append(_term(1.0, WINDOW if per_token else WINDOWS, other))
        return found
    return _pooled(making, word, other)


def block_of(making: Making, layer: int) -> float:
    """The place of the block of layers that a layer is in."""
    return floor(layer / making.family.block_layers)


def _pooled(making: Making, word: str, other: float) -> list[GraphTerm]:
    pool = making.family.pool_tokens
    if word == "pool" and pool > 0.0:
        spare = _term(making.family.pool_spare, ONE, other)
        return [_term(1.0 / pool, SEQUENCE_CELLS, other), spare]
    pools = ONE
    if pool > 0.0:
        most, spare_pools = making.family.pool_most, making.family.pool_spare
        pools = _own(making, "least", most, SEQUENCE_CELLS, pool, spare_pools)
    pooled = _term(pool, pools, other)
    tail = _term(pool - 1.0, ONE, other)
    if word == "top_pool":
        return [_term(1.0, pools, other)]
    if word == "pooled":
        return [pooled]
    if word == "pooled_tail":
        return [pooled, tail]
    if word == "cell_pooled":
        return [_term(1.0, SLOT, other), pooled, tail]
    raise ArchitectureError("llama_cpp_graphs.yaml", f"unknown repetition {word}")


def _own(
    making: Making,
    kind: str,
    size: float,
    of: float = 0.0,
    per: float = 1.0,
    spare: float = 0.0,
) -> float:
    """Place of a quantity that only some graphs have."""
    made = GraphQuantity(kind=kind, size=size, of=of, per=per, spare=spare)
    if made not in making.quantities:
        making.quantities.append(made)
    return OWN + making.quantities.index(made)
