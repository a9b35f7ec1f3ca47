"""From the facts about a device to what the engine calculates with."""

from __future__ import annotations

from vramsite.catalog.gpu_record import GpuRecord
from vramsite.sizing.records import Device

GIB = 2.0**30
MIB = 2.0**20

# One direction of one lane: transfers a second x payload share of the line code, in bits.
# Definition: PCI Express base specification (8b/10b in 2.0, 128b/130b from 3.0, FLITs in 6.0).
_PCIE_LANE_BYTES_PER_S = {
    "2.0": 5e9 * 8 / 10 / 8,
    "3.0": 8e9 * 128 / 130 / 8,
    "4.0": 16e9 * 128 / 130 / 8,
    "5.0": 32e9 * 128 / 130 / 8,
    "6.0": 64e9 * 242 / 256 / 8,
}


def pcie_bytes_per_s(pcie: str) -> float:
    """One direction of a slot written as "4.0 x16", before protocol overhead."""
    generation, lanes = pcie.split(" x")
    return _PCIE_LANE_BYTES_PER_S[generation] * float(lanes)


def sizing_device(gpu: GpuRecord) -> Device:
    """The engine's record of a device: bytes, bytes a second and operations a second.

    Capacity is what the driver reports, else what a program could allocate, else GiB of the size
    it is sold with; `capacity_basis` says which. Unified memory may use its default share.
    """
    capacity, basis = _capacity(gpu)
    usable = capacity
    if gpu.usable_default is not None and gpu.usable_default.gib is not None:
        usable = min(gpu.usable_default.gib * GIB, capacity)
    raised: float | None = None
    if gpu.usable_default is not None and gpu.usable_default.raised_gib is not None:
        raised = min(gpu.usable_default.raised_gib * GIB, capacity)
    rates = gpu.tflops
    link = gpu.interconnect.gb_s
    return Device(
        kind=gpu.kind,
        vendor=gpu.vendor,
        family=gpu.family,
        capacity_bytes=capacity,
        usable_bytes=usable,
        bandwidth_bytes_per_s=_scaled(gpu.bandwidth_gb_s, 1e9),
        fp16_flops=_scaled(rates.fp16, 1e12),
        bf16_flops=_scaled(rates.bf16, 1e12),
        fp8_flops=_scaled(rates.fp8, 1e12),
        int8_ops=_scaled(rates.int8, 1e12),
        fp4_flops=_scaled(rates.fp4, 1e12),
        link_bytes_per_s=None if link is None else link / 2.0 * 1e9,
        host_link_bytes_per_s=None if gpu.pcie is None else pcie_bytes_per_s(gpu.pcie),
        power_w=None if gpu.tdp_w is None else float(gpu.tdp_w),
        capacity_basis=basis,
        raised_bytes=raised,
    )


def _capacity(gpu: GpuRecord) -> tuple[float, str]:
    if gpu.memory_mib_reported is not None:
        return gpu.memory_mib_reported * MIB, "driver"
    if gpu.memory_gib_measured is not None:
        return gpu.memory_gib_measured * GIB, "measured"
    return gpu.memory_gb * GIB, "marketing"


def _scaled(value: float | None, unit: float) -> float | None:
    return None if value is None else value * unit
