"""Whether a training run fits a device."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.finetune_records import FineTuneMemory, FineTuneRules
from vramsite.sizing.records import Device


def training_need(memory: FineTuneMemory, rules: FineTuneRules, several: bool) -> float:
    """Bytes of a device that the run cannot do without: in use, plus driver and libraries.

    What the allocator holds in spare it gives back before it fails.
    """
    links = rules.reading.link_bytes if several else 0.0
    return memory.allocated_bytes + rules.reading.context_bytes + links


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPeak:
    """What each of so many devices needs: expected, at the interval's high end, and as the driver
    will show it."""

    devices: float
    need_bytes: float
    high_bytes: float
    shown_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFit:
    """fits, tight, several (on `devices` of them), exceeds (on none of the numbers tried),
    unknown (no capacity)."""

    verdict: str
    devices: float | None


def training_peak(memory: FineTuneMemory, rules: FineTuneRules, devices: float) -> TrainingPeak:
    """A breakdown as verdicts look at it."""
    need = training_need(memory, rules, devices > 1.0)
    return TrainingPeak(
        devices=devices,
        need_bytes=need,
        high_bytes=need - memory.allocated_bytes + memory.allocated_high_bytes,
        shown_bytes=memory.shown_bytes,
    )


def peak_verdict(peak: TrainingPeak, capacity_bytes: float | None) -> str:
    """fits (with what the driver will show and at the interval's high end), tight, exceeds,
    unknown (no capacity)."""
    if capacity_bytes is None or capacity_bytes <= 0.0:
        return "unknown"
    if max(peak.high_bytes, peak.shown_bytes) <= capacity_bytes:
        return "fits"
    return "tight" if peak.need_bytes <= capacity_bytes else "exceeds"


def training_capacity(device: Device) -> float | None:
    """What a device gives to a run: of unified memory only what the system lets a model use."""
    if device.kind == "unified" and device.usable_bytes is not None:
        return device.usable_bytes
    return device.capacity_bytes


def first_fit(peaks: list[TrainingPeak], device: Device, least: float) -> TrainingFit:
    """The least number of devices, `least` or more, on which a run fits; peaks rise in number.

    Machines of unified memory are not put together.
    """
    capacity = training_capacity(device)
    if capacity is None or capacity <= 0.0:
        return TrainingFit(verdict="unknown", devices=None)
    for peak in peaks:
        alone = peak.devices == 1.0
        if peak.devices >= least and (alone or device.kind != "unified"):
            verdict = peak_verdict(peak, capacity)
            if verdict != "exceeds":
                return TrainingFit(verdict=verdict if alone else "several", devices=peak.devices)
    return TrainingFit(verdict="exceeds", devices=None)


def training_verdict(
    memory: FineTuneMemory, rules: FineTuneRules, several: bool, capacity_bytes: float | None
) -> str:
    """`peak_verdict` of a breakdown."""
    return peak_verdict(training_peak(memory, rules, 2.0 if several else 1.0), capacity_bytes)
