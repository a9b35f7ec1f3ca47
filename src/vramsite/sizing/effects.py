"""From fitted effects to the coefficients of one configuration.

A coefficient is the product of all effects on its part whose conditions hold: those of everything
measured, those of the device (its family's included) and those of the architecture, in this order.
What was never measured has no effect, so a device without measurements has those of its family.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.errors import SizingError
from vramsite.sizing.model_work import Routing
from vramsite.sizing.records import Settings
from vramsite.sizing.speed_records import (
    DecodeCosts,
    Evidence,
    Interval,
    PrefillCosts,
    SpeedCoefficients,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A factor that holds where all its conditions do; "" is no condition."""

    factor: float
    engine: str = ""  # group of engines with the same kernels
    backend: str = ""
    format_class: str = ""
    cache_bits: str = ""  # "16", "less"
    attention: str = ""  # "flash", "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartEffects:
    """The effects on one part of a step, "" for all of them."""

    part: str  # a field of DecodeCosts or PrefillCosts, or first_token
    effects: list[Effect]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEffects:
    """Effects of one origin on both phases."""

    decode: list[PartEffects]
    prefill: list[PartEffects]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeRows:
    """How many measurements there are of an engine group on a back end."""

    engine: str
    backend: str
    decode: float  # of one stream
    batch: float  # of several
    prefill: float
    ttft: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSpeed:
    """An engine's group and the longest micro-batch it processes at once (0: the setting's)."""

    engine: str
    group: str
    pass_tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRow:
    """The interval of one kind of run with evidence of one closeness."""

    kind: str  # single, batch, several, offload, prompt
    level: str  # device, family, engine, all
    engine: str  # llama.cpp, other
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedTables:
    """What calibration says about everything that is no device and no architecture."""

    effects: PhaseEffects
    rows: list[RuntimeRows]
    engines: list[EngineSpeed]  # the last one stands for those not listed
    intervals: list[IntervalRow]
    wide_cache_types: list[str]
    routing: Routing
    draft_acceptance: float
    draft_cost_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpeed:
    """What calibration says about one device."""

    effects: PhaseEffects
    device_rows: list[RuntimeRows]
    family_rows: list[RuntimeRows]
    compute_flops: float | None  # matrix throughput that compute is counted at


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedFactors:
    """What one origin multiplies each coefficient by."""

    decode: DecodeCosts
    prefill: PrefillCosts
    first_token_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectCase:
    """What the conditions of effects are asked about."""

    engine: str  # group
    backend: str
    format_class: str
    cache_bits: str
    attention: str


def speed_coefficients(
    tables: SpeedTables,
    device: DeviceSpeed,
    arch_effects: PhaseEffects,
    settings: Settings,
    format_class: str,
) -> SpeedCoefficients:
    """Of the settings, engine, back end, cache types and flash attention play a part."""
    case = effect_case(tables, settings, format_class)
    return combined(
        tables,
        device,
        factors_of(tables.effects, case, True),
        factors_of(device.effects, case, False),
        factors_of(arch_effects, case, False),
        settings,
        case,
    )


def combined(
    tables: SpeedTables,
    device: DeviceSpeed,
    general: SpeedFactors,
    of_device: SpeedFactors,
    of_architecture: SpeedFactors,
    settings: Settings,
    case: EffectCase,
) -> SpeedCoefficients:
    """The coefficients as the product of what the three origins say."""
    rule = _engine(tables, settings.engine)
    on_device = _rows(device.device_rows, case)
    in_family = _rows(device.family_rows, case)
    anywhere = _rows(tables.rows, case)
    level = _level(
        on_device.decode + on_device.batch,
        in_family.decode + in_family.batch,
        anywhere.decode + anywhere.batch,
    )
    prompt_level = _level(
        on_device.prefill + on_device.ttft,
        in_family.prefill + in_family.ttft,
        anywhere.prefill + anywhere.ttft,
    )
    return SpeedCoefficients(
        decode=_decode_costs(general.decode, of_device.decode, of_architecture.decode),
        prefill=_prefill_costs(general.prefill, of_device.prefill, of_architecture.prefill),
        compute_flops=device.compute_flops,
        pass_tokens=rule.pass_tokens,
        first_token_s=general.first_token_s
        * of_device.first_token_s
        * of_architecture.first_token_s,
        single=_interval(tables, "single", level, rule.group),
        batch=_interval(tables, "batch", level, rule.group),
        several=_interval(tables, "several", level, rule.group),
        offload=_interval(tables, "offload", level, rule.group),
        prompt=_interval(tables, "prompt", prompt_level, rule.group),
        decode_evidence=_evidence(on_device.decode, in_family.decode, anywhere.decode),
        batch_evidence=_evidence(on_device.batch, in_family.batch, anywhere.batch),
        prefill_evidence=_evidence(on_device.prefill, in_family.prefill, anywhere.prefill),
        ttft_evidence=_evidence(on_device.ttft, in_family.ttft, anywhere.ttft),
        routing=tables.routing,
        draft_acceptance=tables.draft_acceptance,
        draft_cost_share=tables.draft_cost_share,
    )


def effect_case(tables: SpeedTables, settings: Settings, format_class: str) -> EffectCase:
    """The case of these settings."""
    wide = (
        settings.kv_type_k in tables.wide_cache_types
        and settings.kv_type_v in tables.wide_cache_types
    )
    return EffectCase(
        engine=_engine(tables, settings.engine).group,
        backend=settings.backend,
        format_class=format_class,
        cache_bits="16" if wide else "less",
        attention="flash" if settings.flash_attention else "plain",
    )


def _engine(tables: SpeedTables, name: str) -> EngineSpeed:
    for entry in tables.engines:
        if entry.engine == name:
            return entry
    return tables.engines[len(tables.engines) - 1]


def _rows(rows: list[RuntimeRows], case: EffectCase) -> RuntimeRows:
    for entry in rows:
        if entry.engine == case.engine and entry.backend == case.backend:
            return entry
    return RuntimeRows(
        engine=case.engine, backend=case.backend, decode=0.0, batch=0.0, prefill=0.0, ttft=0.0
    )


def _evidence(on_device: float, in_family: float, anywhere: float) -> Evidence:
    return Evidence(
        basis=_level(on_device, in_family, anywhere),
        device_measurements=on_device,
        family_measurements=in_family,
    )


def _level(on_device: float, in_family: float, anywhere: float) -> str:
    """The closest evidence: this device, its family, the engine elsewhere, or anything."""
    if on_device > 0.0:
        return "device"
    if in_family > 0.0:
        return "family"
    return "engine" if anywhere > 0.0 else "all"


def _interval(tables: SpeedTables, kind: str, level: str, group: str) -> Interval:
    engine = "llama.cpp" if group == "llama.cpp" else "other"
    for entry in tables.intervals:
        if entry.kind == kind and entry.level == level and entry.engine == engine:
            return Interval(low=entry.low, high=entry.high)
    raise SizingError("interval_without_row")


def factors_of(found: PhaseEffects, case: EffectCase, whole: bool) -> SpeedFactors:
    """What one origin says about each part: the product of the effects that hold.

    `whole`: the origin that has to know every part; SizingError "part_without_cost" if it does not.
    """
    decode = found.decode
    prefill = found.prefill
    return SpeedFactors(
        decode=DecodeCosts(
            weight_read_s=_factor(decode, case, "weight_read_s", whole),
            cache_read_s=_factor(decode, case, "cache_read_s", whole),
            layers=_factor(decode, case, "layers", whole),
            recurrent_layers=_factor(decode, case, "recurrent_layers", whole),
            expert_layers=_factor(decode, case, "expert_layers", whole),
            steps=_factor(decode, case, "steps", whole),
            compute_s=_factor(decode, case, "compute_s", whole),
            sequences=_factor(decode, case, "sequences", whole),
            reductions=_factor(decode, case, "reductions", whole),
            link_s=_factor(decode, case, "link_s", whole),
            handovers=_factor(decode, case, "handovers", whole),
            host_read_s=_factor(decode, case, "host_read_s", whole),
            host_layers=_factor(decode, case, "host_layers", whole),
        ),
        prefill=PrefillCosts(
            dense_compute_s=_factor(prefill, case, "dense_compute_s", whole),
            expert_compute_s=_factor(prefill, case, "expert_compute_s", whole),
            attention_compute_s=_factor(prefill, case, "attention_compute_s", whole),
            masked_compute_s=_factor(prefill, case, "masked_compute_s", whole),
            weight_read_s=_factor(prefill, case, "weight_read_s", whole),
            recurrent_tokens=_factor(prefill, case, "recurrent_tokens", whole),
            layer_passes=_factor(prefill, case, "layer_passes", whole),
            prompts=_factor(prefill, case, "prompts", whole),
            reductions=_factor(prefill, case, "reductions", whole),
            link_s=_factor(prefill, case, "link_s", whole),
            host_copy_s=_factor(prefill, case, "host_copy_s", whole),
            host_compute_s=_factor(prefill, case, "host_compute_s", whole),
        ),
        first_token_s=_factor(prefill, case, "first_token", whole),
    )


def _factor(entries: list[PartEffects], case: EffectCase, part: str, whole: bool) -> float:
    value = 1.0
    known = False
    for entry in entries:
        if entry.part == part or entry.part == "":
            known = known or entry.part == part
            for effect in entry.effects:
                if holds(effect, case):
                    value *= effect.factor
    if whole and not known:
        raise SizingError("part_without_cost")
    return value


def holds(effect: Effect, case: EffectCase) -> bool:
    """Whether all conditions of an effect do."""
    return (
        (effect.engine == "" or effect.engine == case.engine)
        and (effect.backend == "" or effect.backend == case.backend)
        and (effect.format_class == "" or effect.format_class == case.format_class)
        and (effect.cache_bits == "" or effect.cache_bits == case.cache_bits)
        and (effect.attention == "" or effect.attention == case.attention)
    )


def _decode_costs(a: DecodeCosts, b: DecodeCosts, c: DecodeCosts) -> DecodeCosts:
    return DecodeCosts(
        weight_read_s=a.weight_read_s * b.weight_read_s * c.weight_read_s,
        cache_read_s=a.cache_read_s * b.cache_read_s * c.cache_read_s,
        layers=a.layers * b.layers * c.layers,
        recurrent_layers=a.recurrent_layers * b.recurrent_layers * c.recurrent_layers,
        expert_layers=a.expert_layers * b.expert_layers * c.expert_layers,
        steps=a.steps * b.steps * c.steps,
        compute_s=a.compute_s * b.compute_s * c.compute_s,
        sequences=a.sequences * b.sequences * c.sequences,
        reductions=a.reductions * b.reductions * c.reductions,
        link_s=a.link_s * b.link_s * c.link_s,
        handovers=a.handovers * b.handovers * c.handovers,
        host_read_s=a.host_read_s * b.host_read_s * c.host_read_s,
        host_layers=a.host_layers * b.host_layers * c.host_layers,
    )


def _prefill_costs(a: PrefillCosts, b: PrefillCosts, c: PrefillCosts) -> PrefillCosts:
    return PrefillCosts(
        dense_compute_s=a.dense_compute_s * b.dense_compute_s * c.dense_compute_s,
        expert_compute_s=a.expert_compute_s * b.expert_compute_s * c.expert_compute_s,
        attention_compute_s=a.attention_compute_s * b.attention_compute_s * c.attention_compute_s,
        masked_compute_s=a.masked_compute_s * b.masked_compute_s * c.masked_compute_s,
        weight_read_s=a.weight_read_s * b.weight_read_s * c.weight_read_s,
        recurrent_tokens=a.recurrent_tokens * b.recurrent_tokens * c.recurrent_tokens,
        layer_passes=a.layer_passes * b.layer_passes * c.layer_passes,
        prompts=a.prompts * b.prompts * c.prompts,
        reductions=a.reductions * b.reductions * c.reductions,
        link_s=a.link_s * b.link_s * c.link_s,
        host_copy_s=a.host_copy_s * b.host_copy_s * c.host_copy_s,
        host_compute_s=a.host_compute_s * b.host_compute_s * c.host_compute_s,
    )
