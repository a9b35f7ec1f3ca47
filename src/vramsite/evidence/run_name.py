"""What a row of evidence ran, in parts that a page can put into any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow
    from vramsite.evidence.rows import AccountingRow, WeightRow


@dataclass(frozen=True, slots=True)
class RunName:
    """Names are the catalog's, or as the row writes them; None: the row does not say.

    `host` says how much of it the host holds: none, all or some. `devices` is 0 where the row is of
    no device in particular.
    """

    model: str
    format: str | None
    context_tokens: float | None = None
    sequences: float | None = None
    flash_attention: bool = True
    host: str = "none"
    devices: float = 0.0
    device: str | None = None


def model_name(catalog: Catalog, model_id: str) -> str:
    """The catalog's name of a model, or the id itself."""
    model = catalog.models.get(model_id)
    return model.name if model else model_id


def device_name(catalog: Catalog, gpu_id: str | None, written: str) -> str:
    """The catalog's name of a device, or what the row writes."""
    gpu = catalog.gpus.get(gpu_id or "")
    return gpu.name if gpu else written


def accounting_run(catalog: Catalog, row: AccountingRow) -> RunName:
    """A row of llama.cpp's own breakdown."""
    if row.placement == "CPU only":
        host = "all"
    else:
        host = "none" if row.placement.startswith("all layers") else "some"
    return RunName(
        model=model_name(catalog, row.model),
        format=row.quant,
        context_tokens=row.n_ctx,
        sequences=row.n_seq,
        flash_attention=row.flash_attention,
        host=host,
    )


def weight_run(catalog: Catalog, row: WeightRow) -> RunName:
    """A row of tensor bytes."""
    return RunName(model=model_name(catalog, row.model), format=row.quant)


def published_run(catalog: Catalog, row: MeasurementRow) -> RunName:
    """A published reading."""
    return RunName(
        model=model_name(catalog, row.model_id) if row.model_id else row.model_name,
        format=row.quant,
        context_tokens=row.context_tokens,
        devices=float(row.gpu_count),
        device=device_name(catalog, row.gpu_id, row.gpu_name),
    )
