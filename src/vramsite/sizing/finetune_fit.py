"""Whether a training run fits a device."""

from __future__ import annotations

from vramsite.sizing.finetune_records import FineTuneMemory, FineTuneRules


def training_need(memory: FineTuneMemory, rules: FineTuneRules, several: bool) -> float:
    """Bytes of a device that the run cannot do without: in use, plus driver and libraries.

    What the allocator holds in spare it gives back before it fails.
    """
    links = rules.reading.link_bytes if several else 0.0
    return memory.allocated_bytes + rules.reading.context_bytes + links


def training_verdict(
    memory: FineTuneMemory, rules: FineTuneRules, several: bool, capacity_bytes: float | None
) -> str:
    """fits (with what the driver will show and at the interval's high end), tight, exceeds,
    unknown (no capacity)."""
    if capacity_bytes is None or capacity_bytes <= 0.0:
        return "unknown"
    need = training_need(memory, rules, several)
    high = need - memory.allocated_bytes + memory.allocated_high_bytes
    if max(high, memory.shown_bytes) <= capacity_bytes:
        return "fits"
    return "tight" if need <= capacity_bytes else "exceeds"
