"""The layers of a model, one by one: what each caches, and which feed-forward network it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.sizing.records import Architecture, LayerGroup

LONGEST_PATTERN = 8


@dataclass(frozen=True, slots=True)
class LayerKind:
    """Layers that cache the same; `letter` names them in the pattern, `places` count from 0.

    `values`: cached for each token and layer (K and V together; one entry for `tokens_per_entry`
    tokens where that is more than 1), `index_values` those of a sparse-attention index.
    `state_values` are kept for each sequence whatever the context.
    """

    letter: str
    kind: str
    places: tuple[int, ...]
    window_tokens: int
    values: int
    compressed_values: int
    tokens_per_entry: int
    index_values: int
    state_values: int
    query_heads: int
    kv_heads: int


@dataclass(frozen=True, slots=True)
class FeedForward:
    """Layers with the same kind of feed-forward network: dense, experts, both, none."""

    kind: str
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the order of layers: `runs` (letter, count), so many `times` in a row."""

    runs: tuple[tuple[str, int], ...]
    times: int


@dataclass(frozen=True, slots=True)
class LayersView:
    """The picture of a model's layers and its text; `pattern` is empty where all are alike."""

    count: int
    kinds: list[LayerKind]
    feed_forward: list[FeedForward]
    pattern: list[Stretch]
    experts: int
    experts_used: int
    shared_expert: bool
    prediction_layers: int


def layers_view(arch: Architecture) -> LayersView:
    """What a model's page draws of its layers."""
    order = [int(place) for place in arch.layer_order]
    kinds: list[LayerKind] = []
    for index, group in enumerate(arch.groups):
        places = tuple(place for place, found in enumerate(order) if found == index)
        if places:
            kinds.append(_kind(chr(ord("A") + len(kinds)), group, places))
    letters = [""] * len(order)
    for kind in kinds:
        for place in kind.places:
            letters[place] = kind.letter
    return LayersView(
        count=len(order),
        kinds=kinds,
        feed_forward=_feed_forward(arch, len(order)),
        pattern=pattern(letters) if len(kinds) > 1 else [],
        experts=int(arch.expert_count),
        experts_used=int(arch.experts_used),
        shared_expert=arch.shared_expert_ffn_width > 0,
        prediction_layers=int(arch.prediction_layers),
    )


def _kind(letter: str, group: LayerGroup, places: tuple[int, ...]) -> LayerKind:
    compressed = group.kind == "compressed" and group.compressed_k_width > 0
    return LayerKind(
        letter=letter,
        kind=group.kind,
        places=places,
        window_tokens=int(group.window_tokens),
        values=int(group.k_width + group.v_width),
        compressed_values=int(group.compressed_k_width) if compressed else 0,
        tokens_per_entry=int(group.tokens_per_entry),
        index_values=int(group.index_k_width + group.index_v_width),
        state_values=int(group.recurrent_elements + group.conv_elements),
        query_heads=int(group.query_heads),
        kv_heads=int(group.kv_heads),
    )


def _feed_forward(arch: Architecture, count: int) -> list[FeedForward]:
    having: dict[str, set[int]] = {"dense_ffn": set(), "routed_experts": set()}
    for tensor in arch.tensors:
        if tensor.tensor_class in having:
            having[tensor.tensor_class] |= {int(layer) for layer in tensor.layers}
    found: dict[str, list[int]] = {}
    for place in range(count):
        dense, experts = place in having["dense_ffn"], place in having["routed_experts"]
        kind = "both" if dense and experts else "experts" if experts else "dense"
        found.setdefault(kind if dense or experts else "none", []).append(place)
    if set(found) == {"none"}:
        return []
    return [FeedForward(kind, tuple(found[kind])) for kind in sorted(found)]


def pattern(letters: list[str]) -> list[Stretch]:
    """The order of layers in few words: runs, and what repeats of them.

    Of all beginnings and lengths of a repeated part, the one that covers the most layers is
    taken, of equal ones the shortest; what lies before and after it is told the same way.
    """
    best = (0, 0, 0, 1)  # covered, start, length, times
    for start in range(min(len(letters), LONGEST_PATTERN)):
        for length in range(2, LONGEST_PATTERN + 1):
            part = letters[start : start + length]
            if len(set(part)) == 1:
                continue
            times = 1
            while letters[start + times * length : start + (times + 1) * length] == part:
                times += 1
            if times > 1 and times * length > best[0]:
                best = (times * length, start, length, times)
    covered, start, length, times = best
    if covered == 0:
        runs = _runs(letters)
        return [Stretch(runs, 1)] if runs else []
    return [
        *pattern(letters[:start]),
        Stretch(_runs(letters[start : start + length]), times),
        *pattern(letters[start + covered :]),
    ]


def _runs(letters: list[str]) -> tuple[tuple[str, int], ...]:
    runs: list[tuple[str, int]] = []
    for letter in letters:
        if runs and runs[-1][0] == letter:
            runs[-1] = (letter, runs[-1][1] + 1)
        else:
            runs.append((letter, 1))
    return tuple(runs)
