"""One card or unified-memory machine: `data/gpus/<vendor>/<id>.yaml`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vramsite.catalog.record import (
    Count,
    Label,
    Notes,
    PartialDate,
    Positive,
    Record,
    Slug,
    Sources,
    Text,
)

DeviceKind = Literal["consumer", "workstation", "datacenter", "unified"]
Backend = Literal["cuda", "rocm", "vulkan", "metal", "sycl", "cann", "musa", "other"]


class MatrixThroughput(Record):
    """Dense matrix throughput in 10**12 operations a second; absent where no source names it."""

    fp16: Positive | None = Field(None, description="FP16, accumulated in FP32")
    bf16: Positive | None = Field(None, description="BF16, accumulated in FP32")
    fp8: Positive | None = Field(None, description="FP8, accumulated in FP32")
    int8: Positive | None = Field(None, description="INT8 (TOPS)")
    fp4: Positive | None = Field(None, description="FP4")
    fp16_fp16acc: Positive | None = Field(None, description="FP16, accumulated in FP16 (GeForce)")
    fp8_fp16acc: Positive | None = Field(None, description="FP8, accumulated in FP16 (GeForce)")
    fp32: Positive | None = Field(None, description="FP32 without matrix units, for old cards")


class Interconnect(Record):
    """The link between cards of a machine, or between machines for unified memory."""

    type: Label = Field(description="NVLink 4, Infinity Fabric, Thunderbolt 5, ... or PCIe only")
    gb_s: Positive | None = Field(
        None, description="GB/s of one device, both directions together; absent for PCIe only"
    )


class StreetPrice(Record):
    """What it really sells for."""

    low: Positive = Field(description="lower end in USD")
    high: Positive = Field(description="upper end in USD")
    condition: Literal["new", "used"] = Field(description="condition of what is sold")
    as_of: PartialDate = Field(description="day, month or year of the price")
    source: Text = Field(description="where the price was seen")
    note: Text | None = Field(None, description="what exactly is sold at this price")


class UsableDefault(Record):
    """What a unified-memory machine lets the GPU use without changing settings."""

    gib: Positive | None = Field(None, description="GiB that one GPU process may use by default")
    rule: Text | None = Field(None, description="the rule or command behind the figure")
    raised_gib: Positive | None = Field(
        None, description="GiB it may use after the change of settings that `rule` names"
    )
    raise_command: Text | None = Field(None, description="command or kernel options that raise it")
    raise_source: Text | None = Field(
        None, description="where raised_gib and the command were seen"
    )
    source: Text = Field(description="where it was seen")
    other_systems: dict[Slug, Text] = Field(
        default_factory=dict, description="how it differs by operating system"
    )


class GpuRecord(Record):
    """Facts about one device, each with a source."""

    id: Slug
    vendor_slug: Slug
    name: Label = Field(description="name with its memory size where there are several")
    vendor: Label = Field(description="company that makes the chip")
    kind: DeviceKind = Field(
        description="unified: the GPU shares the main memory (Apple, DGX Spark, Strix Halo)"
    )
    status: Literal["released", "announced"] = Field(
        "released", description="announced: nobody can buy or rent it yet"
    )
    family: Slug = Field(description="generation for pooling measurements, such as nvidia-ada")
    backends: list[Backend] = Field(
        min_length=1, description="what llama.cpp can run it with, the usual one first"
    )
    memory_gb: Positive = Field(description="memory as it is sold, in GB")
    memory_mib_reported: Count | None = Field(
        None, description="memory that the driver shows (nvidia-smi: total), in MiB"
    )
    memory_gib_measured: Positive | None = Field(
        None, description="memory a test program could allocate, in GiB"
    )
    memory_variants_gb: list[Positive] = Field(
        default_factory=list, description="other sizes the same device is sold with, in GB"
    )
    memory_type: Label | None = Field(None, description="GDDR6, HBM3e, LPDDR5X, ...")
    bandwidth_gb_s: Positive | None = Field(
        None, description="memory bandwidth in 10**9 bytes a second, from the data sheet"
    )
    bandwidth_candidates_gb_s: list[Positive] = Field(
        default_factory=list, description="contradicting figures where none could be confirmed"
    )
    tflops: MatrixThroughput = Field(description="dense throughput by type, without sparsity")
    tdp_w: Positive | None = Field(None, description="board or package power in watts")
    interconnect: Interconnect = Field(description="link to other devices of the same kind")
    pcie: str | None = Field(
        None,
        pattern=r"^[2-6]\.0 x(1|2|4|8|16)$",
        description='generation and lanes of the slot, such as "4.0 x16"',
    )
    msrp_usd: Positive | None = Field(None, description="list price at launch in USD")
    street_usd: StreetPrice | None = Field(None, description="street price, if one was found")
    launched: PartialDate | None = Field(None, description="launch: year, month or day")
    usable_default: UsableDefault | None = Field(
        None, description="unified memory only: what the GPU may use by default"
    )
    notes: Notes = Field("", description="contradictions between sources, variants")
    sources: Sources = Field(description="where each value was found, by key")
