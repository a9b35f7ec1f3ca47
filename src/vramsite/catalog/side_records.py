"""Facts around the devices and models: `data/side/<topic>.yaml`, one record a topic."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from vramsite.catalog.record import IsoDate, Label, Positive, Record, Slug, Text

Confidence = Literal["high", "medium", "low"]


class Sourced(Record):
    """A fact with its source and the day that the source speaks of (or was read)."""

    source: Text = Field(description="where it was seen")
    as_of: IsoDate = Field(description="day of the fact; the day of reading where as_of_kind says")
    as_of_kind: Label | None = Field(None, description="what as_of is, if not the day of the fact")
    source_traceable: bool = Field(True, description="false: the source cannot be looked up")
    notes: Text | None = None


class ExchangeRate(Sourced):
    """Units of the second currency for one of the first."""

    pair: str = Field(pattern=r"^[A-Z]{3}/[A-Z]{3}$", description="such as EUR/USD")
    rate: Positive
    meaning: Text | None = None


class ElectricityPrice(Sourced):
    """A kilowatt hour, with taxes where the sector pays them."""

    country: Label = Field(description="two-letter code, EU for the union, UK")
    region: Label | None = None
    sector: Label = Field(description="household, commercial, industrial, ...")
    price_per_kwh: Positive = Field(description="price in `currency`")
    currency: str = Field(pattern=r"^[A-Z]{3}$")
    usd_per_kwh: Positive = Field(description="the same in USD")
    period: Label | None = Field(None, description="period the price holds for")
    confidence: Confidence


class ElectricityFile(Record):
    """data/side/electricity.yaml."""

    exchange_rates: list[ExchangeRate]
    prices: list[ElectricityPrice]
    not_found: list[Text] = Field(default_factory=list)


class MemoryBandwidth(Sourced):
    """Bandwidth of main or device memory, by definition or as a program measured it."""

    platform: Label
    gpu: Slug | None = None
    channels: int | None = Field(None, gt=0)
    mt_s: Positive | None = Field(None, description="10**6 transfers a second")
    kind: Literal["theoretical", "measured"]
    tool: Label | None = None
    gb_s: Positive = Field(description="10**9 bytes a second")
    gb_s_min: Positive | None = None
    gb_s_max: Positive | None = None
    theoretical_gb_s: Positive | None = None
    efficiency: Positive | None = Field(None, description="gb_s / theoretical_gb_s")
    confidence: Confidence | None = None


class PcieBandwidth(Sourced):
    """Copies between host and device over PCIe, in 10**9 bytes a second."""

    link: Label
    device: Label
    theoretical_gb_s: Positive | None = None
    h2d_gb_s: Positive | None = None
    h2d_min: Positive | None = None
    h2d_max: Positive | None = None
    d2h_gb_s: Positive | None = None


class RamFile(Record):
    """data/side/ram.yaml."""

    memory_bandwidth: list[MemoryBandwidth]
    pcie: list[PcieBandwidth]
    not_found: list[Text] = Field(default_factory=list)


class RuntimeOverhead(Sourced):
    """Device memory taken by something that is neither weights nor cache, in MiB."""

    category: Literal[
        "context", "context_and_desktop", "desktop", "cuda_graphs", "activation", "nccl"
    ]
    what: Text
    gpu: Slug | None = None
    device: Label
    mib: float | None = Field(None, ge=0)
    mib_min: float | None = Field(None, ge=0)
    mib_max: float | None = Field(None, ge=0)
    engine: Label | None = None
    os: Label | None = None
    driver: Label | None = None


class RuntimeOverheadFile(Record):
    """data/side/runtime_overhead.yaml."""

    rows: list[RuntimeOverhead]
    not_found: list[Text] = Field(default_factory=list)


class GridCarbon(Sourced):
    """Emissions of a kilowatt hour from the grid."""

    country: Label
    g_co2e_per_kwh: Positive


class Co2File(Record):
    """data/side/co2.yaml."""

    rows: list[GridCarbon]


class SideRow(Record):
    """A row of a topic that has no record of its own yet: sourced, and otherwise free."""

    model_config = ConfigDict(extra="allow")

    source: Text
    as_of: IsoDate


class OpenSideFile(Record):
    """A topic whose lists hold sourced rows: power, interconnect, quant_quality, ..."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, list[SideRow] | list[Text] | Text] = Field(init=False)

    @property
    def lists(self) -> dict[str, list[dict[str, Any]]]:
        """The rows by list, as plain values."""
        extra = self.__pydantic_extra__
        return {
            name: [row.model_dump() for row in rows if isinstance(row, SideRow)]
            for name, rows in extra.items()
            if isinstance(rows, list) and rows and isinstance(rows[0], SideRow)
        }
