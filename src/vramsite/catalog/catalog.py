"""The catalog as the rest of the program sees it: records by id, and engine records on demand."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from vramsite.catalog.architectures import ArchitectureSource, Keys, read_architecture
from vramsite.catalog.assumptions_record import AssumptionsRecord
from vramsite.catalog.device import sizing_device
from vramsite.catalog.engine_record import EngineRecord, EnginesFile
from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.format_record import BlockType, FormatRecord, QuantsFile
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.loader import Entry, entry_ids, load_file, load_flat, load_vendor_tree
from vramsite.catalog.model_graph import model_graph
from vramsite.catalog.model_record import ModelRecord
from vramsite.catalog.offer_record import OfferRecord, ProviderFile
from vramsite.catalog.today import latest_today
from vramsite.catalog.trace import Kept
from vramsite.sizing.records import Architecture, Device

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Catalog:
    """All facts, in order of their ids. `architecture` and `device` are made once and kept."""

    data_dir: Path  # where the engine's rules and coefficients lie beside the records
    models: dict[str, ModelRecord]
    gpus: dict[str, GpuRecord]
    offers: list[OfferRecord]
    formats: dict[str, FormatRecord]
    block_types: dict[str, BlockType]
    engines: dict[str, EngineRecord]
    assumptions: AssumptionsRecord
    _architectures: dict[str, Architecture] = field(default_factory=dict, repr=False)
    _devices: dict[str, Device] = field(default_factory=dict, repr=False)
    size_factors: Kept[tuple[str, bool], float] = field(
        default_factory=lambda: Kept("size_factor"), repr=False
    )  # of `vramsite.catalog.model_files`

    def architecture(self, model_id: str) -> Architecture:
        """Layers and tensors of a model. KeyError for an unknown id, else ArchitectureError."""
        found = self._architectures.get(model_id)
        if found is None:
            read = read_architecture(architecture_source(self.models[model_id]))
            found = replace(read, graph=model_graph(read, self.data_dir))
            self._architectures[model_id] = found
        return found

    def device(self, gpu_id: str) -> Device:
        """A device as the engine takes it. KeyError for an unknown id."""
        found = self._devices.get(gpu_id)
        if found is None:
            found = self._devices[gpu_id] = sizing_device(self.gpus[gpu_id])
        return found

    def offers_for(self, gpu_id: str) -> list[OfferRecord]:
        """Offers with this device, the cheapest per device first."""
        found = [offer for offer in self.offers if offer.gpu == gpu_id]
        return sorted(found, key=lambda offer: offer.usd_per_hour / offer.gpu_count)


def architecture_source(model: ModelRecord) -> ArchitectureSource:
    """What a reader of config.json gets for a model."""
    return ArchitectureSource(
        model_type=model.model_type or "",
        gguf_arch=model.gguf_arch or "",
        context_max_tokens=float(model.context_max_tokens),
        config=Keys(model.config),
    )


def load_catalog(data_dir: Path, *, today: date | None = None) -> Catalog:
    """Read and check the whole data folder. Raises CatalogError with all faults, or nothing."""
    from vramsite.catalog.rule_files import rule_file_faults  # late, as the rules below

    catalog, faults = read_catalog(data_dir, today=today, architectures=True)
    faults = sorted({*faults, *rule_file_faults(data_dir.resolve())})
    if catalog is None or faults:
        raise CatalogError(faults)
    return catalog


def read_catalog(
    data_dir: Path, *, today: date | None = None, architectures: bool = False
) -> tuple[Catalog | None, list[Fault]]:
    """The catalog (None where a file is missing or no record) and every fault found.

    `architectures` also runs the reader of every model, which a build does anyway.
    """
    # Imported here: who asks for one entry (`on_demand`) needs none of the rules.
    from vramsite.catalog.rules.architecture_rules import architecture_faults
    from vramsite.catalog.rules.file_rules import ASSUMPTION_RULES, ENGINE_RULES, QUANT_RULES
    from vramsite.catalog.rules.gpu_rules import GPU_RULES
    from vramsite.catalog.rules.model_rules import MODEL_RULES
    from vramsite.catalog.rules.offer_rules import OFFER_RULES
    from vramsite.catalog.rules.rule import Context, run_rules
    from vramsite.catalog.rules.tree_rules import ids_are_unique, names_are_unique

    data_dir = data_dir.resolve()
    faults: list[Fault] = []
    models = load_vendor_tree(data_dir, "models", ModelRecord, faults)
    gpus = load_vendor_tree(data_dir, "gpus", GpuRecord, faults)
    providers = load_flat(data_dir, "cloud", ProviderFile, faults)
    quants = load_file(data_dir / "quants.yaml", data_dir, QuantsFile, faults)
    engines = load_file(data_dir / "engines.yaml", data_dir, EnginesFile, faults)
    assumptions = load_file(data_dir / "assumptions.yaml", data_dir, AssumptionsRecord, faults)

    context = Context(
        today=today or latest_today(),
        gpu_ids=frozenset(entry_ids(data_dir, "gpus")),
        format_names=frozenset(item.name for item in quants.record.formats) if quants else None,
    )
    faults.extend(ids_are_unique(models))
    faults.extend(ids_are_unique(gpus))
    faults.extend(names_are_unique(models))
    faults.extend(names_are_unique(gpus))
    faults.extend(run_rules(models, MODEL_RULES, context))
    faults.extend(run_rules(gpus, GPU_RULES, context))
    faults.extend(run_rules([entry for _, entry in providers], OFFER_RULES, context))
    faults.extend(run_rules(_present(quants), QUANT_RULES, context))
    faults.extend(run_rules(_present(engines), ENGINE_RULES, context))
    faults.extend(run_rules(_present(assumptions), ASSUMPTION_RULES, context))
    if architectures:
        # What a house rule objected to, the reader need not object to again.
        told = {(fault.path, fault.line) for fault in faults}
        found = architecture_faults(models, architecture_source)
        faults.extend(fault for fault in found if (fault.path, fault.line) not in told)
    if quants is None or engines is None or assumptions is None:
        return None, sorted(set(faults))
    catalog = Catalog(
        data_dir=data_dir,
        models={entry.record.id: entry.record for entry in models},
        gpus={entry.record.id: entry.record for entry in gpus},
        offers=[
            OfferRecord.of(entry.record.provider, slug, offer)
            for slug, entry in providers
            for offer in entry.record.offers
        ],
        formats={item.name: item for item in quants.record.formats},
        block_types=quants.record.block_types,
        engines={item.id: item for item in engines.record.engines},
        assumptions=assumptions.record,
    )
    return catalog, sorted(set(faults))


def _present(entry: Entry[R] | None) -> list[Entry[R]]:
    return [] if entry is None else [entry]
