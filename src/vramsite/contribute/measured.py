"""What a benchmark's output says, before it is tied to a model and a device of the catalog."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.catalog.measurement_row import Metric


class MeasurementError(ValueError):
    """An output that cannot be read, or a row that cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One figure of an output. None is not stated."""

    metric: Metric
    value: float
    engine: str = "llama.cpp"
    backend: str | None = None
    engine_version: str | None = None
    quant: str | None = None
    quant_published: str | None = None
    weights_bytes: float | None = None
    params_total: float | None = None
    gpu_name: str | None = None
    context_tokens: float | None = None
    prompt_tokens: float | None = None
    batch: float = 1.0
    kv_type: str | None = None
    flash_attention: bool | None = None
    gpu_layers: float | None = None
    cpu_moe_layers: float | None = None
    per: str = "total"
    date: str | None = None
    notes: str = ""
    usable: bool = True
    unusable_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A file as read: its figures, and what in it was left out and why."""

    kind: str
    figures: list[Measured]
    left_out: list[str]
