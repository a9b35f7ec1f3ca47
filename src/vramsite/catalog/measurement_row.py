"""One published measurement, as a row of data/measurements/*.csv."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

Metric = Literal[
    "decode_tps",
    "prefill_tps",
    "ttft_ms",
    "total_vram_mib",
    "kv_mib",
    "compute_mib",
    "weights_mib",
]
METRICS: tuple[str, ...] = get_args(Metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasurementRow:
    """A figure somebody published, with its configuration. README.md beside the files explains."""

    id: str
    model_id: str | None  # None: measured on a model the catalog does not have
    same_shape: bool  # measured on a sibling of the same shape as model_id
    model_name: str
    params_total_b: float | None
    params_active_b: float | None
    quant: str | None
    quant_published: str | None
    bits_per_weight: float | None
    weights_bytes: float | None
    gpu_id: str | None
    gpu_name: str
    gpu_count: int
    engine: str
    backend: str | None
    engine_version: str | None
    context_tokens: float | None
    prompt_tokens: float | None
    batch: float | None
    kv_type: str | None
    flash_attention: bool | None
    offload: str  # none, unknown, experts-on-cpu, partial, cpu
    speculative: bool
    power_limit_w: float | None
    metric: str
    value: float
    per: str  # total, per_user, per_gpu
    usable: bool
    unusable_reason: str | None
    source: str
    date: str | None
    notes: str | None


COLUMNS: tuple[str, ...] = tuple(field.name for field in fields(MeasurementRow))
