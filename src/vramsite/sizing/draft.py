"""What drafting with a model's own prediction layers takes: their weights and their cache.

The recurrent state that drafting keeps several times is in `cache` (`kept_drafts`).
Source: llama.cpp, draft type "mtp": a second context over the prediction layers of the file.
"""

from __future__ import annotations

from vramsite.sizing.cache import CacheRules, group_kv_bytes, widest_v
from vramsite.sizing.records import Architecture, LayerGroup, Settings
from vramsite.sizing.tensor_sums import tensor_sums
from vramsite.sizing.weights import WeightBytes


def attention_of_drafts(arch: Architecture) -> LayerGroup | None:
    """The layers that a prediction layer is built like: the widest that see the whole context."""
    found: LayerGroup | None = None
    for group in arch.groups:
        sees_all = group.window_tokens <= 0.0 and group.kind != "shared" and group.kind != "none"
        if sees_all and group.k_width > 0.0 and (found is None or group.k_width > found.k_width):
            found = group
    return found


def prediction_weight_bytes(arch: Architecture, weights: WeightBytes) -> float:
    """Weights of the prediction layers: of the file, else at the file's bytes a weight.

    (Many files leave them out; those that have them are published beside.)
    """
    if weights.prediction_bytes > 0.0:
        return weights.prediction_bytes
    elements = tensor_sums(arch).prediction_parameters
    return elements * weights.file_bytes / max(weights.parameters, 1.0)


def draft_bytes(
    arch: Architecture, weights: WeightBytes, settings: Settings, rules: CacheRules
) -> float:
    """Bytes on the device that has the last layers; 0 without drafting or prediction layers."""
    if settings.draft_tokens <= 0.0 or arch.prediction_layers <= 0.0:
        return 0.0
    return _held_bytes(arch, weights, settings, rules)


def _held_bytes(
    arch: Architecture, weights: WeightBytes, settings: Settings, rules: CacheRules
) -> float:
    cache = 0.0
    group = attention_of_drafts(arch)
    if group is not None:
        transposed = 0.0 if settings.flash_attention else widest_v(arch)
        cache = group_kv_bytes(group, settings, rules, transposed, settings.kv_offload)
    return prediction_weight_bytes(arch, weights) + arch.prediction_layers * cache
