"""Where prices come from: PyPI `gpuhunt` (extra `prices`), with its names put into ours."""

from __future__ import annotations

import importlib.metadata
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import Field

from vramsite.catalog.record import Positive, Record, Slug
from vramsite.catalog.rule_yaml import read_rules


class PriceError(ValueError):
    """Prices that cannot be had; the message says why."""


class DeviceNames(Record):
    """One accelerator as gpuhunt names it."""

    name: str
    memory_gb: Positive
    gpus: list[Slug] = Field(min_length=1)


class PriceNames(Record):
    """All of data/price_sources.yaml."""

    providers: dict[str, Slug]
    devices: list[DeviceNames]

    def gpus(self, name: str, memory_gb: float) -> list[str]:
        """Candidates for a device; none where it is not in the catalog."""
        for entry in self.devices:
            same = entry.name.lower() == name.lower().replace(" ", "")
            if same and abs(entry.memory_gb - memory_gb) <= 0.05 * entry.memory_gb:
                return list(entry.gpus)
        return []


@dataclass(frozen=True, slots=True)
class Priced:
    """One instance type with its price in one place."""

    instance: str
    device_name: str
    device_memory_gb: float
    gpu_count: int
    usd_per_hour: float
    spot: bool


class PriceSource(Protocol):
    """Asks for one provider at a time."""

    @property
    def title(self) -> str:
        """What stands in `source:` of an offer."""

    def offers(self, provider: str) -> list[Priced]:
        """All priced instances with devices. Raises PriceError."""


def load_names(data_dir: Path) -> PriceNames:
    """Read data/price_sources.yaml. Raises pydantic's ValidationError where it is faulty."""
    path = data_dir / "price_sources.yaml"
    return PriceNames.model_validate(read_rules(path))


class GpuHunt:
    """gpuhunt's published catalogs, and the providers it asks directly."""

    def __init__(self) -> None:
        try:
            import gpuhunt
        except ImportError as error:
            raise PriceError("install the extra: pip install 'vramsite[prices]'") from error
        logging.getLogger("gpuhunt").setLevel(logging.CRITICAL)  # errors are told by us
        try:
            self._catalog = gpuhunt.default_catalog()
        except Exception as error:  # also what its providers raise on their own
            raise PriceError(f"gpuhunt's catalogs cannot be reached ({error})") from error
        self.title = f"PyPI gpuhunt {importlib.metadata.version('gpuhunt')}"

    def offers(self, provider: str) -> list[Priced]:
        """All priced instances with devices. Raises PriceError."""
        try:
            items = self._catalog.query(provider=provider, min_gpu_count=1)
        except Exception as error:  # each provider fails in its own way
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise PriceError(f"cannot be reached ({reason})") from error
        found = [
            Priced(
                instance=str(item.instance_name),
                device_name=str(item.gpu_name),
                device_memory_gb=float(item.gpu_memory),
                gpu_count=int(item.gpu_count),
                usd_per_hour=float(item.price),
                spot=bool(item.spot),
            )
            for item in items
            if item.gpu_name and item.gpu_memory and item.price > 0
        ]
        if not found:
            raise PriceError("gave no offers")
        return found
