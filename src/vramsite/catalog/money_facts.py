"""The side facts that money needs: electricity, power, hosted prices, emissions."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.hosted_api_record import HostedApiFile
from vramsite.catalog.loader import load_file
from vramsite.catalog.power_record import PowerFile
from vramsite.catalog.record import Record
from vramsite.catalog.side_records import Co2File, ElectricityFile
from vramsite.catalog.trace import note

F = TypeVar("F", bound=Record)


class MoneyFacts:
    """Four files of data/side/; whoever reads one depends on that file alone."""

    __slots__ = ("_files",)

    def __init__(
        self,
        electricity: ElectricityFile,
        power: PowerFile,
        hosted_api: HostedApiFile,
        co2: Co2File,
    ) -> None:
        self._files = electricity, power, hosted_api, co2

    @property
    def electricity(self) -> ElectricityFile:
        """Prices of electricity and exchange rates."""
        note(("side", "electricity"))
        return self._files[0]

    @property
    def power(self) -> PowerFile:
        """What devices and machines draw."""
        note(("side", "power"))
        return self._files[1]

    @property
    def hosted_api(self) -> HostedApiFile:
        """What others charge for running a model."""
        note(("side", "hosted_api"))
        return self._files[2]

    @property
    def co2(self) -> Co2File:
        """Emissions of the grid."""
        note(("side", "co2"))
        return self._files[3]


def load_money_facts(data_dir: Path) -> MoneyFacts:
    """Read the four files. Raises CatalogError with all faults."""
    data_dir = data_dir.resolve()
    faults: list[Fault] = []

    def read(topic: str, record: type[F]) -> F | None:
        entry = load_file(data_dir / "side" / f"{topic}.yaml", data_dir, record, faults)
        return entry.record if entry is not None else None

    electricity = read("electricity", ElectricityFile)
    power = read("power", PowerFile)
    hosted = read("hosted_api", HostedApiFile)
    co2 = read("co2", Co2File)
    if electricity is None or power is None or hosted is None or co2 is None or faults:
        raise CatalogError(faults)
    return MoneyFacts(electricity, power, hosted, co2)
