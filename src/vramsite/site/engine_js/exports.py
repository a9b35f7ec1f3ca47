"""What a page's script may call: functions of the engine and constructors of what they take."""

from __future__ import annotations

FUNCTIONS = [
    "answer.weights_of",
    "answer.loaded_file",
    "answer.answer",
    "engine.loaded",
    "engine.size",
    "effects.speed_coefficients",
    "weights.quantised_weights",
    "checkpoints.checkpoint_weights",
    "cache.cache_bytes",
]
RECORDS = [
    "answer.SharedRules",
    "answer.ModelFacts",
    "answer.DeviceFacts",
    "records.Architecture",
    "records.Device",
    "records.Settings",
    "records.Assumptions",
]
RESULTS = ["records.Size"]
