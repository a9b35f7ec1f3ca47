"""Packs the weights of a model's formats for a browser; see `sizing/packed_weights.py`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace

from vramsite.sizing.graph_records import GraphLayer, ModelGraph
from vramsite.sizing.packed_weights import PackedFile, PackedWeights, WeightPiece, unpacked
from vramsite.sizing.weights import WeightBytes

_PLAIN = [
    item.name
    for item in fields(PackedWeights)
    if item.name not in {"name", "imatrix", "layer_count", "pieces"}
]


@dataclass(slots=True)
class Packer:
    """Collects the formats of one model. Tensors are listed where the graph reads them."""

    graph: ModelGraph | None
    _sets: dict[tuple[float, ...], int] = field(default_factory=dict)
    _pieces: dict[WeightPiece, int] = field(default_factory=dict)
    _weights: list[PackedWeights] = field(default_factory=list)

    def add(self, name: str, weights: WeightBytes, imatrix: bool = False) -> None:
        """Add a recipe's weights. Raises ValueError where unpacking would not give them back."""
        roles = roles_read(self.graph)
        listed = [tensor for tensor in weights.layer_tensors if tensor.role in roles]
        weights = replace(weights, layer_tensors=listed, types=[])
        places = []
        for tensor in listed:
            piece = WeightPiece(
                device_bytes=tensor.size_bytes,
                layers=self._set(tensor.layers),
                role=tensor.role,
                routed=tensor.routed,
            )
            places.append(self._piece(piece))
        places += self._rest(weights)
        self._weights.append(
            PackedWeights(
                name=name,
                imatrix=imatrix,
                layer_count=float(len(weights.layer_bytes)),
                pieces=places,
                **{each: getattr(weights, each) for each in _PLAIN},
            )
        )
        if unpacked(self.packed(), self._weights[-1]) != weights:
            raise ValueError(f"the weights of {name} cannot be packed")

    def packed(self) -> PackedFile:
        """What was added, in one record."""
        return PackedFile(
            layers=[list(layers) for layers in self._sets],
            pieces=list(self._pieces),
            weights=list(self._weights),
        )

    def _rest(self, weights: WeightBytes) -> list[float]:
        """Pieces for what the listed tensors do not explain, layers of one kind together."""
        listed = [[0.0, 0.0] for _ in weights.layer_bytes]  # without and with routed experts
        for tensor in weights.layer_tensors:
            for layer in tensor.layers:
                listed[int(layer)][tensor.routed] += tensor.size_bytes
        alike: dict[tuple[bool, float, float], list[float]] = {}
        for layer, (plain, experts) in enumerate(listed):
            all_experts = weights.layer_expert_bytes[layer]
            less = weights.layer_bytes[layer] - weights.layer_host_bytes[layer]
            experts_less = all_experts - weights.layer_expert_host_bytes[layer]
            rest = weights.layer_bytes[layer] - all_experts - plain
            for routed, size, host_less in (
                (False, rest, less - experts_less),
                (True, all_experts - experts, experts_less),
            ):
                if size != 0.0 or host_less != 0.0:
                    alike.setdefault((routed, size, host_less), []).append(float(layer))
        return [
            self._piece(
                WeightPiece(
                    device_bytes=size,
                    layers=self._set(layers),
                    routed=routed,
                    host_less_bytes=host_less,
                )
            )
            for (routed, size, host_less), layers in alike.items()
        ]

    def _set(self, layers: list[float]) -> float:
        return float(self._sets.setdefault(tuple(layers), len(self._sets)))

    def _piece(self, piece: WeightPiece) -> float:
        return float(self._pieces.setdefault(piece, len(self._pieces)))


def packed_for(packed: PackedFile, names: Collection[str]) -> PackedFile:
    """The weights of some recipes alone, without importance matrices."""
    weights = [entry for entry in packed.weights if entry.name in names and not entry.imatrix]
    pieces: dict[float, float] = {}
    sets: dict[float, float] = {}
    for entry in weights:
        for place in entry.pieces:
            if place not in pieces:
                pieces[place] = float(len(pieces))
                sets.setdefault(packed.pieces[int(place)].layers, float(len(sets)))
    return PackedFile(
        layers=[packed.layers[int(place)] for place in sets],
        pieces=[
            replace(packed.pieces[int(place)], layers=sets[packed.pieces[int(place)].layers])
            for place in pieces
        ],
        weights=[
            replace(entry, pieces=[pieces[place] for place in entry.pieces]) for entry in weights
        ],
    )


def roles_read(graph: ModelGraph | None) -> frozenset[str]:
    """The roles of tensors whose sizes the replay of the compute graph asks for."""
    layers: list[GraphLayer] = [] if graph is None else graph.layers
    return frozenset(
        step.reads
        for layer in layers
        for part in (*layer.attention, *layer.feed_forward)
        for steps in (part.flash, part.quantised, part.k_quantised, part.plain)
        for step in steps
        if step.reads and step.action != "release"
    )
