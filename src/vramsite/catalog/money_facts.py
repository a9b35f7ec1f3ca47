"""The side facts that money needs: electricity, power, hosted prices, emissions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.hosted_api_record import HostedApiFile
from vramsite.catalog.loader import load_file
from vramsite.catalog.power_record import PowerFile
from vramsite.catalog.record import Record
from vramsite.catalog.side_records import Co2File, ElectricityFile

F = TypeVar("F", bound=Record)


@dataclass(frozen=True, slots=True)
class MoneyFacts:
    """Four files of data/side/."""

    electricity: ElectricityFile
    power: PowerFile
    hosted_api: HostedApiFile
    co2: Co2File


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
