"""What a reader of config.json is given."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.catalog.architectures.keys import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchitectureSource:
    """The config.json keys and what the model file states beside them."""

    model_type: str
    gguf_arch: str
    context_max_tokens: float
    config: Keys
