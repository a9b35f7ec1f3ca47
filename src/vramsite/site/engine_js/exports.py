"""What a page's script may call: functions of the engine and constructors of what they take."""

from __future__ import annotations

FUNCTIONS = [
    "answer.stored_format",
    "answer.weights_of",
    "answer.loaded_file",
    "answer.answer",
    "answer.answer_together",
    "answer.answer_speed",
]
RECORDS = [
    "answer.SharedRules",
    "answer.ModelFacts",
    "answer.DeviceFacts",
    "records.Settings",
]
LEFT_OUT = ["tensor_sums.counted_sums"]
"""Functions that are not carried, because what they would find comes with the data."""

LATER = [
    "vllm_memory.account_paged", "engine._paged_size", "draft._held_bytes", "speed._drafted_tps",
    "cache.kept_drafts", "fit.placement_on_several", "buffers._coarse_bytes",
]  # fmt: skip
"""Left to a second module, which is loaded when somebody chooses an engine that reserves memory
its own way (vLLM and its like), speculative decoding, several devices or a model without a graph.
"""

SEEN = ["records.Settings", "records.Size", "records.Device", "records.Assumptions"]
"""Records whose fields keep their names, together with those of the records within them."""

SEEN_FIELDS = frozenset({
    # of ModelFacts and its architecture
    "id", "arch", "files", "attention_heads", "context_max_tokens", "expert_count", "graph",
    "layer_count",
    # of DeviceFacts
    "device", "backends", "assumptions", "speed", "compute_flops", "device_rows", "family_rows",
    # of SharedRules, as the JSON has it
    "cache", "types",
})  # fmt: skip
"""Further fields that scripts look at; all others have short names, in the data files too."""
