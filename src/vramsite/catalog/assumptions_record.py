"""Stated default assumptions, each with value, unit, source and date: `data/assumptions.yaml`."""

from __future__ import annotations

from pydantic import Field

from vramsite.catalog.assumption import Assumption
from vramsite.catalog.gpu_record import Backend, DeviceKind
from vramsite.catalog.money_assumptions import MoneyAssumptions
from vramsite.catalog.record import IsoDate, Label, Positive, Record, Slug, Text
from vramsite.sizing.records import Assumptions

__all__ = ["Assumption", "AssumptionsRecord", "HostPlatform", "RamPlatform"]


class RamPlatform(Record):
    """Main memory of a kind of computer, for models that do not fit the device."""

    id: Slug
    name: Label = Field(description="platform with its channels and memory speed")
    gb_s: Positive = Field(description="theoretical bandwidth: channels x 8 bytes x MT/s")
    source: Text
    as_of: IsoDate


class HostPlatform(Record):
    """The computer that devices of these kinds are assumed to sit in."""

    id: Slug
    device_kinds: list[DeviceKind] = Field(min_length=1, description="kinds of devices, see gpus")
    ram_platform: Slug = Field(description="its main memory, id of a RAM platform")
    ram_limit: Assumption = Field(description="the most main memory such a computer takes, GiB")
    read_share: Assumption = Field(
        description="share of the theoretical bandwidth that a program reads at"
    )


class AssumptionsRecord(Record):
    """All assumptions about the machine around the device."""

    tight_share: Assumption = Field(description="reserve below which a fit is called tight")
    desktop: Assumption = Field(description="memory a desktop session takes on the card")
    runtime: dict[Backend, Assumption] = Field(
        description="memory that driver context and libraries take, by back end"
    )
    hosts: list[HostPlatform] = Field(min_length=1, description="computers by kind of device")
    ram_platforms: list[RamPlatform] = Field(min_length=1)
    electricity: Assumption = Field(description="price of a kilowatt hour")
    system_power: Assumption = Field(description="power of the computer around the device")
    money: MoneyAssumptions | None = Field(
        None, description="use, lifetime and places of machines; without it pages name no cost"
    )

    def host(self, device_kind: str) -> HostPlatform:
        """The computer assumed around a device of this kind, the first one for other kinds."""
        for found in self.hosts:
            if device_kind in found.device_kinds:
                return found
        return self.hosts[0]

    def ram(self, platform: str) -> RamPlatform:
        """A RAM platform by id. KeyError for an unknown id."""
        for found in self.ram_platforms:
            if found.id == platform:
                return found
        raise KeyError(platform)

    def sizing(
        self,
        backend: str,
        device_kind: str = "consumer",
        *,
        desktop: bool = False,
        ram_platform: str | None = None,
    ) -> Assumptions:
        """What the engine needs, for one back end and kind of device; bytes and bytes a second."""
        host = self.host(device_kind)
        ram = self.ram(ram_platform or host.ram_platform)
        known = {str(name): figure for name, figure in self.runtime.items()}
        runtime = known.get(backend, self.runtime["other"])
        mib = 2.0**20
        low = runtime.value if runtime.low is None else runtime.low
        high = runtime.value if runtime.high is None else runtime.high
        return Assumptions(
            runtime_bytes=runtime.value * mib,
            runtime_low_bytes=low * mib,
            runtime_high_bytes=high * mib,
            display_bytes=self.desktop.value * mib if desktop else 0.0,
            tight_fraction=self.tight_share.value,
            host_ram_bytes=host.ram_limit.value * 2.0**30,
            ram_bandwidth_bytes_per_s=ram.gb_s * host.read_share.value * 1e9,
        )
