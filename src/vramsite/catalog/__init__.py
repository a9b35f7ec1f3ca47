"""Facts: records checked against schema and house rules, and what the engine makes of them."""

from vramsite.catalog.assumptions_record import AssumptionsRecord
from vramsite.catalog.catalog import Catalog, load_catalog
from vramsite.catalog.check import check
from vramsite.catalog.engine_record import EngineRecord
from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.format_record import FormatRecord
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.measurement_row import MeasurementRow
from vramsite.catalog.measurements import measurements
from vramsite.catalog.model_record import ModelRecord, PublishedFile
from vramsite.catalog.offer_record import OfferRecord
from vramsite.catalog.side import Side, load_side

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
    "check",
    "load_catalog",
    "load_side",
    "measurements",
]
