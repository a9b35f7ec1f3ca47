"""data/calibration.yaml -> the coefficients of one configuration.

The file holds effects as factors: the value of all measurements, and for each group how far it
strays. A coefficient is their product; a group that was never measured has the factor 1, so a
device without measurements has those of its family.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, PrivateAttr

from vramsite.catalog.calibration_groups import SpeedGroups, architecture_group, link_group
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.record import Positive, Record
from vramsite.catalog.rule_yaml import read_rules
from vramsite.catalog.speed_model import SpeedModel
from vramsite.catalog.speed_tables import (
    ARCHITECTURE_KINDS,
    DEVICE_KINDS,
    WIDE_CACHE_TYPES,
    effects,
    general_tables,
    runtime_rows,
)
from vramsite.catalog.trace import Kept
from vramsite.sizing.effects import (
    DeviceSpeed,
    EffectCase,
    PhaseEffects,
    SpeedFactors,
    SpeedTables,
    combined,
    effect_case,
    factors_of,
)
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.speed_records import SpeedCoefficients

LEVELS = ("device", "family", "engine", "all")
KINDS = ("single", "batch", "several", "offload", "prompt")
KEPT_COEFFICIENTS = 8192  # bounds what a worker keeps, whatever the size of the catalog
BIG_ENOUGH_LIMIT = 0.9  # a power limit below this share of the board's power slows the device


class PartEffects(Record):
    """Effects of one part of a step; `groups` is kind of group -> name -> factor."""

    all: Positive
    groups: dict[str, dict[str, Positive]] = Field(default_factory=dict)


class FittedPhase(Record):
    """Everything fitted about decode or prefill."""

    parts: dict[str, PartEffects]
    shared: dict[str, dict[str, Positive]] = Field(default_factory=dict)


class MetricRows(Record):
    """Numbers of measurements behind one metric, by "engine/back end" and owner."""

    device: dict[str, int] = Field(default_factory=dict)
    family: dict[str, int] = Field(default_factory=dict)
    runtime: dict[str, int] = Field(default_factory=dict)


class EvidenceRows(Record):
    """The same for each metric; decode is one stream, batch several."""

    decode: MetricRows
    batch: MetricRows
    prefill: MetricRows
    ttft: MetricRows


class FittedInterval(Record):
    """What share of left-out speeds lay where, by kind of run and closeness of the evidence."""

    kind: Literal["single", "batch", "several", "offload", "prompt"]
    level: Literal["device", "family", "engine", "all"]
    engine: Literal["llama.cpp", "other"]
    low: Positive
    high: Positive
    rows: int


class JudgedErrors(Record):
    """Errors of |predicted / measured - 1|, and what share the 80 % interval held."""

    median: float
    p90: float
    coverage: float | None = None


class FittedErrors(Record):
    """Errors of one cut of the rows, in sample and with reporters left out."""

    metric: Literal["decode_tps", "prefill_tps", "ttft_ms"]
    cut: str
    rows: int
    in_sample: JudgedErrors
    source_left_out: JudgedErrors
    publisher_left_out: JudgedErrors


class CalibrationRecord(Record):
    """All of data/calibration.yaml."""

    written_by: str
    rows: dict[str, int]
    compute_flops_per_byte: dict[str, Positive]
    decode: FittedPhase
    prefill: FittedPhase
    evidence: EvidenceRows
    intervals: list[FittedInterval]
    errors: list[FittedErrors] = Field(default_factory=list)

    _worked: _Worked = PrivateAttr(default_factory=lambda: _Worked())

    @property
    def worked(self) -> _Worked:
        """What was worked out before."""
        # As `self._worked`, but ten times as fast: every answer asks for it.
        private: dict[str, _Worked] = self.__pydantic_private__  # type: ignore[assignment]
        return private["_worked"]

    def tables(self, model: SpeedModel) -> SpeedTables:
        """What holds on every device and for every architecture."""
        worked = self.worked
        if worked.general is None or worked.general[0] is not model:
            worked.general = (model, general_tables(self, model))
            worked.resolved.clear()
            worked.factors.clear()
        return worked.general[1]

    def device(self, gpu: GpuRecord, limited: bool = False, era: str = "") -> DeviceSpeed:
        """What the file says about one device; `limited`: under a power limit that slows it.

        `era` names the time of an old measurement, "" today.
        """
        devices = self.worked.devices
        found = devices.get((gpu.id, limited, era))
        if found is None:
            names = {
                "device": gpu.id,
                "family": gpu.family,
                "link": link_group(gpu.interconnect.type),
                "power": "limited" if limited else "full",
                "era": era,
            }
            found = devices[gpu.id, limited, era] = DeviceSpeed(
                effects=effects(self, DEVICE_KINDS, names),
                device_rows=runtime_rows(self.evidence, "device", gpu.id),
                family_rows=runtime_rows(self.evidence, "family", gpu.family),
                compute_flops=compute_flops(gpu, self.compute_flops_per_byte),
            )
        return found

    def factors(self, kind: str, owner: str, found: PhaseEffects, case: EffectCase) -> SpeedFactors:
        """What an owner's effects multiply by in a case; those of kind "all" hold everywhere."""
        key = (kind, owner, case)
        factors = self.worked.factors
        kept = factors.get(key)
        if kept is None:
            kept = factors[key] = factors_of(found, case, kind == "all")
        return kept

    def architecture(self, arch: Architecture) -> PhaseEffects:
        """What the file says about one kind of model."""
        group = architecture_group(arch)
        architectures = self.worked.architectures
        found = architectures.get(group)
        if found is None:
            found = architectures[group] = effects(self, ARCHITECTURE_KINDS, {"arch": group})
        return found


class _Worked:
    """What was worked out from the file; a plain object, since a record's own are slow to reach."""

    __slots__ = ("architectures", "devices", "factors", "general", "resolved")

    def __init__(self) -> None:
        self.general: tuple[SpeedModel, SpeedTables] | None = None
        self.resolved: Kept[tuple[object, ...], SpeedCoefficients] = Kept()
        self.devices: Kept[tuple[str, bool, str], DeviceSpeed] = Kept()
        self.architectures: dict[str, PhaseEffects] = {}
        self.factors: dict[tuple[str, str, EffectCase], SpeedFactors] = {}


@cache
def load_calibration(data_dir: Path) -> CalibrationRecord:
    """Read the file. Raises pydantic's ValidationError where it is faulty."""
    return CalibrationRecord.model_validate(read_rules(data_dir / "calibration.yaml"))


def speed_groups(
    model: SpeedModel,
    gpu: GpuRecord,
    settings: Settings,
    arch: Architecture,
    power_limit_w: float | None = None,
    measured: str | None = None,
) -> SpeedGroups:
    """The groups of one configuration; `measured` is the date of an old measurement."""
    wide = settings.kv_type_k in WIDE_CACHE_TYPES and settings.kv_type_v in WIDE_CACHE_TYPES
    return SpeedGroups(
        device=gpu.id,
        family=gpu.family,
        runtime=f"{model.engine(settings.engine).group}/{settings.backend}",
        format_class=model.format_class(settings.format).name,
        arch=architecture_group(arch),
        cache_bits="16" if wide else "less",
        attention="flash" if settings.flash_attention else "plain",
        link=link_group(gpu.interconnect.type),
        power="limited" if power_limited(gpu, power_limit_w) else "full",
        era=model.era(measured),
    )


def power_limited(gpu: GpuRecord, power_limit_w: float | None) -> bool:
    """Whether a limit is low enough to slow the device."""
    if power_limit_w is None or gpu.tdp_w is None:
        return False
    return power_limit_w < BIG_ENOUGH_LIMIT * gpu.tdp_w


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
    measured: str | None = None,
) -> SpeedCoefficients:
    """Resolve the effects of one device, engine, back end, format and architecture.

    Of the settings, engine, back end, format, cache types and flash attention play a part.
    `measured` is the date of an old measurement that the coefficients are to be those of.
    """
    limited = power_limited(gpu, power_limit_w)
    era = "" if measured is None else model.era(measured)
    format_class = model.format_class(settings.format).name
    worked = calibration.worked
    kept = worked.resolved
    tables = calibration.tables(model)
    group = architecture_group(arch)
    key = (
        gpu.id,
        limited,
        era,
        group,
        settings.engine,
        settings.backend,
        format_class,
        settings.kv_type_k in WIDE_CACHE_TYPES and settings.kv_type_v in WIDE_CACHE_TYPES,
        settings.flash_attention,
    )
    found: SpeedCoefficients | None = kept.get(key)
    if found is None:
        if len(kept) >= KEPT_COEFFICIENTS:
            kept.clear()
        case = effect_case(tables, settings, format_class)
        device = calibration.device(gpu, limited, era)
        found = kept[key] = combined(
            tables,
            device,
            calibration.factors("all", "", tables.effects, case),
            calibration.factors("device", f"{gpu.id} {limited} {era}", device.effects, case),
            calibration.factors("arch", group, calibration.architecture(arch), case),
            settings,
            case,
        )
    return found
