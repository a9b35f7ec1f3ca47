"""The weights a published figure was measured with: format, file size, or nominal bits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vramsite.catalog.measurement_row import MeasurementRow
from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.records import Architecture
from vramsite.sizing.weights import WeightBytes, quantised_weights

GGUF_ENGINES = frozenset({"llama.cpp", "ollama", "ik_llama.cpp"})
# A published file this far off the recipe's own size is another mix of types.
SAME_FILE = 0.03
BITS_OF_SCALES = 0.6  # between those of Q4_0 (0.5) and of Q2_K (0.63)


@dataclass(frozen=True, slots=True)
class RowWeights:
    """Weights by the nearest recipe, and the factors that make them the row's file."""

    weights: WeightBytes
    dense_scale: float
    routed_scale: float


class WeightSource:
    """Finds weights for (architecture, format) pairs, each computed once."""

    def __init__(self, data_dir: Path, dense_floor_bits: float) -> None:
        self._scheme, self._recipes = load_quant_scheme(data_dir)
        self._checkpoints = load_checkpoint_recipes(data_dir)
        self._floor = dense_floor_bits
        self._known: dict[tuple[str, str], WeightBytes] = {}

    def find(self, model_id: str, arch: Architecture, row: MeasurementRow) -> RowWeights | None:
        """None where the row states neither a known format nor bits nor a file size.

        A stated file size counts most, then the recipe of a known format, then nominal bits.
        Files of few bits keep what is outside the routed experts at `dense_floor_bits`.
        """
        name = (row.quant or "").upper()
        recipe = self._recipe(name, row.engine in GGUF_ENGINES)
        exact = recipe is not None and not name.startswith("UD-")
        bits = row.bits_per_weight or bits_of_name(name)
        if recipe is None:
            if bits is None and row.weights_bytes is None:
                return None
            recipe = self._nearest(model_id, arch, bits)
        weights = self._weights(model_id, arch, recipe)
        wanted = row.weights_bytes
        if wanted is None and not exact and bits is not None:
            wanted = weights.parameters * bits / 8.0
        if wanted is None or (exact and abs(wanted / weights.file_bytes - 1.0) < SAME_FILE):
            return RowWeights(weights, 1.0, 1.0)
        if exact:
            scale = wanted / weights.file_bytes
            return RowWeights(weights, scale, scale)
        return self._scaled(arch, weights, wanted)

    def _recipe(self, name: str, gguf: bool) -> str | None:
        plain = name.removeprefix("UD-")
        if not gguf:
            return "checkpoint " + plain if plain in self._checkpoints else self._gguf(plain)
        return self._gguf(plain)

    def _gguf(self, plain: str) -> str | None:
        for name in (plain, plain.removesuffix("_XL") + "_M", plain + "_MOE"):
            if name in self._recipes:
                return name
        return "Q8_0" if plain == "Q8_K_XL" else None

    def _weights(self, model_id: str, arch: Architecture, recipe: str) -> WeightBytes:
        key = (model_id, recipe)
        if key not in self._known:
            if recipe.startswith("checkpoint "):
                found = self._checkpoints[recipe.removeprefix("checkpoint ")]
                self._known[key] = checkpoint_weights(arch, found)
            else:
                self._known[key] = quantised_weights(arch, self._recipes[recipe], self._scheme)
        return self._known[key]

    def _nearest(self, model_id: str, arch: Architecture, bits: float | None) -> str:
        wanted = 4.5 if bits is None else bits
        names = ["BF16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_0", "Q3_K_M", "Q2_K"]
        return min(names, key=lambda name: abs(_bits(self._weights(model_id, arch, name)) - wanted))

    def _scaled(self, arch: Architecture, weights: WeightBytes, file_bytes: float) -> RowWeights:
        scale = file_bytes / weights.file_bytes
        routed = weights.routed_bytes
        if routed <= 0.0 or file_bytes * 8.0 / weights.parameters >= self._floor:
            return RowWeights(weights, scale, scale)
        rest = weights.file_bytes - routed
        rest_parameters = max(weights.parameters - _routed_parameters(arch), 1.0)
        wanted = max(rest * scale, rest_parameters * self._floor / 8.0)
        wanted = min(wanted, 0.5 * file_bytes)
        return RowWeights(weights, wanted / rest, (file_bytes - wanted) / routed)


def bits_of_name(name: str) -> float | None:
    """Bits a weight that a name ending in Q2, Q4, ... promises, scales included."""
    found = re.search(r"Q([1-8])$", name)
    return float(found.group(1)) + BITS_OF_SCALES if found else None


def _bits(weights: WeightBytes) -> float:
    return weights.file_bytes * 8.0 / weights.parameters


def _routed_parameters(arch: Architecture) -> float:
    return sum(
        t.row_width * t.rows * t.experts * max(1, len(t.layers))
        for t in arch.tensors
        if t.tensor_class == "routed_experts" and t.loaded
    )
