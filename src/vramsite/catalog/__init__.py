"""Facts: records checked against schema and house rules, and what the engine makes of them.

The names below are imported when they are first used: who only asks for one part does not wait for
all of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vramsite.catalog.assumptions_record import AssumptionsRecord
    from vramsite.catalog.catalog import Catalog, load_catalog
    from vramsite.catalog.engine_record import EngineRecord
    from vramsite.catalog.faults import CatalogError, Fault
    from vramsite.catalog.format_record import FormatRecord
    from vramsite.catalog.gpu_record import GpuRecord
    from vramsite.catalog.measurement_row import MeasurementRow
    from vramsite.catalog.model_record import ModelRecord, PublishedFile
    from vramsite.catalog.offer_record import OfferRecord
    from vramsite.catalog.side import Side, load_side

_HOMES = {
    "AssumptionsRecord": "assumptions_record",
    "Catalog": "catalog",
    "CatalogError": "faults",
    "EngineRecord": "engine_record",
    "Fault": "faults",
    "FormatRecord": "format_record",
    "GpuRecord": "gpu_record",
    "MeasurementRow": "measurement_row",
    "ModelRecord": "model_record",
    "OfferRecord": "offer_record",
    "PublishedFile": "model_record",
    "Side": "side",
    "load_catalog": "catalog",
    "load_side": "side",
}

__all__ = [
    "AssumptionsRecord",
    "Catalog",
    "CatalogError",
    "EngineRecord",
    "Fault",
    "FormatRecord",
    "GpuRecord",
    "MeasurementRow",
    "ModelRecord",
    "OfferRecord",
    "PublishedFile",
    "Side",
    "load_catalog",
    "load_side",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found
