"""data/calibration.yaml as the lists of effects that `sizing.effects` multiplies.

A group of the file names what it is about ("q4_k llama.cpp/cuda"); here the names of one device
or architecture are resolved and become conditions on the rest: engine, back end, weight format,
cache type, attention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from vramsite.sizing.effects import (
    Effect,
    EngineSpeed,
    IntervalRow,
    PartEffects,
    PhaseEffects,
    RuntimeRows,
    SpeedTables,
)

if TYPE_CHECKING:
    from vramsite.catalog.calibration import CalibrationRecord, EvidenceRows, FittedPhase
    from vramsite.catalog.speed_model import SpeedModel

WIDE_CACHE_TYPES = ("f16", "bf16", "f32", "auto")
GENERAL_KINDS = ("engine", "runtime", "format", "format-runtime", "cache-bits", "attention")
DEVICE_KINDS = (
    "family", "device", "runtime-family", "runtime-device", "format-family", "link",
    "link-runtime", "power", "era-engine", "era-format",
)  # fmt: skip
ARCHITECTURE_KINDS = ("arch", "arch-runtime")
ALL_PARTS = ""
METRICS = ("decode", "batch", "prefill", "ttft")


def general_tables(calibration: CalibrationRecord, model: SpeedModel) -> SpeedTables:
    """What holds on every device and for every architecture."""
    return SpeedTables(
        effects=effects(calibration, GENERAL_KINDS, {}, whole=True),
        rows=runtime_rows(calibration.evidence, "runtime", ""),
        engines=[
            EngineSpeed(engine=name, group=rule.group, pass_tokens=float(rule.pass_tokens))
            for name, rule in sorted(model.engines.items(), key=lambda entry: entry[0] == "other")
        ],
        intervals=[
            IntervalRow(
                kind=row.kind, level=row.level, engine=row.engine, low=row.low, high=row.high
            )
            for row in calibration.intervals
        ],
        wide_cache_types=list(WIDE_CACHE_TYPES),
        routing=model.routing.record(),
        draft_acceptance=model.speculation.acceptance,
        draft_cost_share=model.speculation.cost_share,
    )


def effects(
    calibration: CalibrationRecord,
    kinds: Iterable[str],
    names: Mapping[str, str],
    *,
    whole: bool = False,
) -> PhaseEffects:
    """The effects of some kinds of groups, of those groups that `names` (kind -> name) allow.

    `whole` adds what all measurements together say about each part.
    """
    kinds = tuple(kinds)
    return PhaseEffects(
        decode=_phase(calibration.decode, kinds, names, whole),
        prefill=_phase(calibration.prefill, kinds, names, whole),
    )


def _phase(
    fitted: FittedPhase, kinds: tuple[str, ...], names: Mapping[str, str], whole: bool
) -> list[PartEffects]:
    found = [
        PartEffects(
            part=part,
            effects=[
                *([Effect(factor=entry.all)] if whole else []),
                *_conditional(entry.groups, kinds, names),
            ],
        )
        for part, entry in fitted.parts.items()
    ]
    found.append(
        PartEffects(part=ALL_PARTS, effects=list(_conditional(fitted.shared, kinds, names)))
    )
    return [entry for entry in found if entry.effects]


def _conditional(
    groups: Mapping[str, Mapping[str, float]], kinds: tuple[str, ...], names: Mapping[str, str]
) -> Iterator[Effect]:
    for kind, factors in groups.items():
        if kind not in kinds:
            continue
        for group, factor in factors.items():
            conditions = _conditions(kind, group, names)
            if conditions is not None:
                yield Effect(factor=factor, **conditions)


def _conditions(kind: str, group: str, names: Mapping[str, str]) -> dict[str, str] | None:
    """What is left to ask of a group, None where it is another device's or architecture's."""
    found: dict[str, str] = {}
    kinds = kind.split("-") if kind != "cache-bits" else [kind]
    # "runtime-device" is named "llama.cpp/cuda rtx-3090"; no name has a space in it.
    for part, name in zip(kinds, group.split(" "), strict=True):
        if part == "runtime":
            found["engine"], found["backend"] = name.rsplit("/", 1)
        elif part == "engine":
            found["engine"] = name
        elif part == "format":
            found["format_class"] = name
        elif part == "cache-bits":
            found["cache_bits"] = name
        elif part == "attention":
            found["attention"] = name
        elif names[part] != name:
            return None
    return found


def runtime_rows(evidence: EvidenceRows, level: str, owner: str) -> list[RuntimeRows]:
    """Numbers of measurements by runtime, those of one device or family ("": of no matter which).

    `level` is device, family or runtime; keys are "engine/back end" or "engine/back end owner".
    """
    ending = f" {owner}" if owner else ""
    found: dict[str, dict[str, float]] = {}
    for metric in METRICS:
        counts: Mapping[str, int] = getattr(getattr(evidence, metric), level)
        for key, count in counts.items():
            if key.endswith(ending):
                none = dict.fromkeys(METRICS, 0.0)
                found.setdefault(key.removesuffix(ending), none)[metric] = float(count)
    rows = []
    for runtime in sorted(found):
        engine, backend = runtime.rsplit("/", 1)
        rows.append(RuntimeRows(engine=engine, backend=backend, **found[runtime]))
    return rows
