"""House rules for devices."""

from __future__ import annotations

from collections.abc import Iterator

from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.rules.rule import Context, Finding, Rule, future_dates, unknown_source_keys

# GB that a marketing size of one GB can be in MiB: between 10**9 bytes less what firmware and
# error correction take, and a full GiB.
_LEAST_MIB_PER_GB = 860
_MOST_MIB_PER_GB = 1024
# 128 GB behind one channel of DDR5 take three; a card in TB/s by mistake takes thirteen or more.
_MOST_SECONDS_TO_READ_MEMORY = 10.0


def dates_are_past(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(gpu, context.today)


def reported_memory_is_plausible(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """The driver reports about the memory that is sold, in MiB and not in MB or GB."""
    reported = gpu.memory_mib_reported
    if reported is None:
        return
    low, high = gpu.memory_gb * _LEAST_MIB_PER_GB, gpu.memory_gb * _MOST_MIB_PER_GB
    if not low <= reported <= high:
        yield (
            ("memory_mib_reported",),
            f"found {reported}; for memory_gb {gpu.memory_gb:g} it must be "
            f"{low:.0f} to {high:.0f} MiB",
        )


def bandwidth_is_in_gb_s(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """A device reads its own memory in seconds: what takes longer was written in TB/s."""
    bandwidth = gpu.bandwidth_gb_s
    if bandwidth is not None and gpu.memory_gb / bandwidth > _MOST_SECONDS_TO_READ_MEMORY:
        yield (
            ("bandwidth_gb_s",),
            f"found {bandwidth:g}; is in GB/s: write 1008 for 1.008 TB/s",
        )


def unified_says_what_is_usable(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """Unified memory needs the share the GPU gets; other devices have none."""
    if gpu.kind == "unified" and (gpu.usable_default is None or gpu.usable_default.gib is None):
        yield ("kind",), "found unified; add usable_default with gib and source"
    if gpu.kind != "unified" and gpu.usable_default is not None:
        yield ("usable_default",), f"is only for unified memory; kind is {gpu.kind}"


def usable_at_most_memory(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """The usable share is no bigger than the memory."""
    if gpu.usable_default is None:
        return
    for key in ("gib", "raised_gib"):
        value = getattr(gpu.usable_default, key)
        if value is not None and value > gpu.memory_gb:
            yield (
                ("usable_default", key),
                f"found {value:g}; must be at most memory_gb ({gpu.memory_gb:g})",
            )


def street_range_is_ordered(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """The low end is not above the high end."""
    street = gpu.street_usd
    if street is not None and street.low > street.high:
        yield ("street_usd", "low"), f"found {street.low:g}; must be at most high ({street.high:g})"


def values_have_sources(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """Every figure that a page shows says where it comes from."""
    for key in ("bandwidth_gb_s", "memory_mib_reported", "tdp_w", "msrp_usd", "launched"):
        if getattr(gpu, key) is not None and key not in gpu.sources:
            yield ("sources",), f"names no source for {key}; add `{key}: where you found it`"
    if gpu.tflops.model_fields_set and "tflops" not in gpu.sources:
        yield ("sources",), "names no source for tflops; add `tflops: where you found it`"


def source_keys_known(gpu: GpuRecord, context: Context) -> Iterator[Finding]:
    """A source belongs to a key of the file."""
    yield from unknown_source_keys(gpu, gpu.sources)


GPU_RULES: list[Rule[GpuRecord]] = [
    dates_are_past,
    reported_memory_is_plausible,
    bandwidth_is_in_gb_s,
    unified_says_what_is_usable,
    usable_at_most_memory,
    street_range_is_ordered,
    values_have_sources,
    source_keys_known,
]
