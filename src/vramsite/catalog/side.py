"""Loads data/side/: electricity, memory bandwidth, runtime overhead, and topics kept as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from vramsite.catalog.faults import CatalogError, Fault, shortened
from vramsite.catalog.hosted_api_record import HostedApiFile
from vramsite.catalog.loader import Entry, load_file
from vramsite.catalog.power_record import PowerFile
from vramsite.catalog.record import Record
from vramsite.catalog.rules.rule import future_dates
from vramsite.catalog.side_records import (
    Co2File,
    ElectricityFile,
    OpenSideFile,
    RamFile,
    RuntimeOverheadFile,
)
from vramsite.catalog.today import latest_today

OPEN_TOPICS = ("interconnect", "quant_quality", "speculative")

F = TypeVar("F", bound=Record)


@dataclass(frozen=True, slots=True)
class Side:
    """Facts that pages and later calculations need beside devices and models."""

    electricity: ElectricityFile
    ram: RamFile
    runtime_overhead: RuntimeOverheadFile
    co2: Co2File
    power: PowerFile
    hosted_api: HostedApiFile
    topics: dict[str, OpenSideFile]


def load_side(data_dir: Path, *, today: date | None = None) -> Side:
    """All of data/side/. Raises CatalogError with all faults."""
    side, faults = read_side(data_dir, today=today)
    if side is None or faults:
        raise CatalogError(faults)
    return side


def read_side(
    data_dir: Path, *, today: date | None = None, gpu_ids: frozenset[str] | None = None
) -> tuple[Side | None, list[Fault]]:
    """The side facts (None where a file is missing or no record) and every fault found."""
    data_dir = data_dir.resolve()
    faults: list[Fault] = []
    entries: list[Entry[Record]] = []

    def read(topic: str, record: type[F]) -> F | None:
        entry = load_file(data_dir / "side" / f"{topic}.yaml", data_dir, record, faults)
        if entry is None:
            return None
        entries.append(Entry(entry.record, entry.document))
        return entry.record

    electricity = read("electricity", ElectricityFile)
    ram = read("ram", RamFile)
    runtime_overhead = read("runtime_overhead", RuntimeOverheadFile)
    co2 = read("co2", Co2File)
    power = read("power", PowerFile)
    hosted_api = read("hosted_api", HostedApiFile)
    topics = {topic: read(topic, OpenSideFile) for topic in OPEN_TOPICS}
    for entry in entries:
        for keys, message in future_dates(entry.record, today or latest_today()):
            faults.append(entry.document.fault(keys, message))
        if gpu_ids is not None:
            faults.extend(_unknown_gpus(entry, gpu_ids))
    if electricity is None or ram is None or runtime_overhead is None:
        return None, faults
    if co2 is None or power is None or hosted_api is None:
        return None, faults
    found = {topic: file for topic, file in topics.items() if file is not None}
    return Side(electricity, ram, runtime_overhead, co2, power, hosted_api, found), faults


def _unknown_gpus(entry: Entry[Record], gpu_ids: frozenset[str]) -> Iterator[Fault]:
    for name, rows in entry.document.data.items():
        for index, row in enumerate(rows if isinstance(rows, list) else []):
            gpu = row.get("gpu") if isinstance(row, dict) else None
            if gpu is not None and not (isinstance(gpu, str) and gpu in gpu_ids):
                found = f"found {shortened(str(gpu))}; is no device below data/gpus/"
                message = f"{found}; use `device` for others"
                yield entry.document.fault((name, index, "gpu"), message)
