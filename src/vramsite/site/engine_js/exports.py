"""What a page's script may call: functions and record constructors of the engine."""

from __future__ import annotations

FUNCTIONS = [
    "engine.size",
    "engine.loaded",
    "weights.quantised_weights",
    "checkpoints.checkpoint_weights",
    "weights_file.scaled_weights",
]
RECORDS = [
    "records.Architecture",
    "records.Device",
    "records.Settings",
    "records.Assumptions",
    "engine.EngineRules",
    "quantize.QuantScheme",
    "quantize.QuantRecipe",
    "checkpoints.CheckpointRecipe",
    "speed_records.SpeedCoefficients",
]
