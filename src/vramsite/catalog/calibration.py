"""data/calibration.yaml -> the coefficients of one configuration.

The file holds effects as factors: the value of all measurements, and for each group how far it
strays. A coefficient is their product; a group that was never measured has the factor 1, so a
device without measurements has those of its family.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field

from vramsite.catalog.calibration_groups import SpeedGroups, architecture_group, link_group
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.record import Positive, Record
from vramsite.catalog.speed_model import SpeedModel
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.speed_records import (
    DecodeCosts,
    Interval,
    PrefillCosts,
    SpeedCoefficients,
)

LEVELS = ("device", "family", "engine", "all")
KINDS = ("single", "batch", "several", "offload", "prompt")
FIRST_TOKEN = "first_token"  # the one fitted part that no sum of the engine has
BIG_ENOUGH_LIMIT = 0.9  # a power limit below this share of the board's power slows the device


class PartEffects(Record):
    """Effects of one part of a step; `groups` is kind of group -> name -> factor."""

    all: Positive
    groups: dict[str, dict[str, Positive]] = Field(default_factory=dict)


class PhaseEffects(Record):
    """Everything fitted about decode or prefill."""

    parts: dict[str, PartEffects]
    shared: dict[str, dict[str, Positive]] = Field(default_factory=dict)
    runtime_device_rows: dict[str, int] = Field(default_factory=dict)
    runtime_family_rows: dict[str, int] = Field(default_factory=dict)
    runtime_rows: dict[str, int] = Field(default_factory=dict)


class FittedInterval(Record):
    """What share of left-out speeds lay where, by kind of run and closeness of the evidence."""

    kind: Literal["single", "batch", "several", "offload", "prompt"]
    level: Literal["device", "family", "engine", "all"]
    engine: Literal["llama.cpp", "other"]
    low: Positive
    high: Positive
    rows: int


class CalibrationRecord(Record):
    """All of data/calibration.yaml."""

    written_by: str
    rows: dict[str, int]
    compute_flops_per_byte: dict[str, Positive]
    decode: PhaseEffects
    prefill: PhaseEffects
    intervals: list[FittedInterval]

    def interval(self, kind: str, level: str, engine: str) -> Interval:
        """Factors for this kind of run; those of the next wider evidence where a row is missing."""
        group = "llama.cpp" if engine == "llama.cpp" else "other"
        for entry in self.intervals:
            if entry.kind == kind and entry.level == level and entry.engine == group:
                return Interval(low=entry.low, high=entry.high)
        raise KeyError(f"{kind} {level} {group}")


@cache
def load_calibration(data_dir: Path) -> CalibrationRecord:
    """Read the file. Raises pydantic's ValidationError where it is faulty."""
    path = data_dir / "calibration.yaml"
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return CalibrationRecord.model_validate(yaml.load(path.read_text(encoding="utf-8"), loader))


def speed_groups(
    model: SpeedModel,
    gpu: GpuRecord,
    settings: Settings,
    arch: Architecture,
    power_limit_w: float | None = None,
) -> SpeedGroups:
    """The groups of one configuration."""
    limited = (
        power_limit_w is not None
        and gpu.tdp_w is not None
        and power_limit_w < BIG_ENOUGH_LIMIT * gpu.tdp_w
    )
    wide = {"f16", "bf16", "f32"}
    return SpeedGroups(
        device=gpu.id,
        family=gpu.family,
        runtime=f"{model.engine(settings.engine).group}/{settings.backend}",
        format_class=model.format_class(settings.format).name,
        arch=architecture_group(arch),
        cache_bits="16" if settings.kv_type_k in wide and settings.kv_type_v in wide else "less",
        attention="flash" if settings.flash_attention else "plain",
        link=link_group(gpu.interconnect.type),
        power="limited" if limited else "full",
    )


def compute_flops(gpu: GpuRecord, per_byte: dict[str, float]) -> float | None:
    """Matrix throughput that compute is counted at: dense 16-bit, with 16-bit sums if faster.

    Where no source names one, the bandwidth times what is usual in the family.
    """
    rates = gpu.tflops
    known = [rate for rate in (rates.fp16, rates.bf16, rates.fp16_fp16acc) if rate is not None]
    if known:
        return max(known) * 1e12
    if gpu.bandwidth_gb_s is None:
        return None
    return gpu.bandwidth_gb_s * 1e9 * per_byte.get(gpu.family, per_byte["all"])


def coefficients(
    calibration: CalibrationRecord,
    model: SpeedModel,
    gpu: GpuRecord,
    settings: Settings,
    arch: Architecture,
    power_limit_w: float | None = None,
) -> SpeedCoefficients:
    """Resolve the effects of one device, engine, back end, format and architecture.

    Of the settings, engine, back end, format, cache types and flash attention play a part.
    """
    groups = speed_groups(model, gpu, settings, arch, power_limit_w)
    names = groups.names()
    level = evidence_level(calibration.decode, groups)
    prompt_level = evidence_level(calibration.prefill, groups)
    rule = model.engine(settings.engine)
    prompt_costs = phase_costs(calibration.prefill, names)
    return SpeedCoefficients(
        decode=DecodeCosts(**phase_costs(calibration.decode, names)),
        prefill=PrefillCosts(
            **{part: value for part, value in prompt_costs.items() if part != FIRST_TOKEN}
        ),
        compute_flops=compute_flops(gpu, calibration.compute_flops_per_byte),
        pass_tokens=float(rule.pass_tokens),
        first_token_s=prompt_costs[FIRST_TOKEN],
        single=calibration.interval("single", level, rule.group),
        batch=calibration.interval("batch", level, rule.group),
        several=calibration.interval("several", level, rule.group),
        offload=calibration.interval("offload", level, rule.group),
        prompt=calibration.interval("prompt", prompt_level, rule.group),
        basis=level,
        device_measurements=float(
            calibration.decode.runtime_device_rows.get(names["runtime-device"], 0)
        ),
        family_measurements=float(
            calibration.decode.runtime_family_rows.get(names["runtime-family"], 0)
        ),
        draft_acceptance=model.speculation.acceptance,
        draft_cost_share=model.speculation.cost_share,
    )


def evidence_level(effects: PhaseEffects, groups: SpeedGroups) -> str:
    """The closest evidence: this device, its family, the engine elsewhere, or anything."""
    names = groups.names()
    if effects.runtime_device_rows.get(names["runtime-device"], 0) > 0:
        return "device"
    if effects.runtime_family_rows.get(names["runtime-family"], 0) > 0:
        return "family"
    if effects.runtime_rows.get(names["runtime"], 0) > 0:
        return "engine"
    return "all"


def phase_costs(effects: PhaseEffects, names: dict[str, str]) -> dict[str, float]:
    """Part -> coefficient: product of its effects and of those that all parts share."""
    common = 1.0
    for kind, found in effects.shared.items():
        common *= found.get(names.get(kind, ""), 1.0)
    costs = {}
    for part, entry in effects.parts.items():
        value = entry.all * common
        for kind, found in entry.groups.items():
            value *= found.get(names[kind], 1.0)
        costs[part] = value
    return costs
