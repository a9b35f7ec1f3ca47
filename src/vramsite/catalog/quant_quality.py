"""Published quality of weight formats: the rows of `data/side/quant_quality.yaml`."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from vramsite.catalog.faults import CatalogError, Fault
from vramsite.catalog.loader import load_file
from vramsite.catalog.record import Label, Positive, Record, Slug, Text
from vramsite.catalog.side_records import SideRow, Sourced
from vramsite.catalog.trace import note


class QualityRow(Sourced):
    """One format of one model as somebody measured it; compare within one source only.

    `kld` is in nats against the unquantised model, `kld_statistic` what it is of all tokens.
    """

    model: Label = Field(description="the model as the source names it")
    model_id: Slug | None = Field(None, description="the catalog's id of it, if it has one")
    format: Label
    dataset: Label
    engine: Label | None = None
    imatrix: Label | None = Field(None, description="text of its importance matrix, if any")
    bpw: Positive | None = Field(None, description="bits a weight")
    bpw_basis: Text | None = None
    file_gib: Positive | None = None
    file_gb: Positive | None = None
    ppl: Positive | None = Field(None, description="perplexity")
    ppl_baseline: Positive | None = Field(None, description="that of the source's own baseline")
    ppl_ratio: Positive | None = None
    ln_ppl_ratio: float | None = Field(None, description="natural logarithm of the ratio")
    kld: float | None = Field(None, ge=0, description="KL divergence")
    kld_statistic: Label | None = None
    accuracy_recovery_pct: Positive | None = Field(None, description="score in % of the baseline's")


class QualityFile(Record):
    """data/side/quant_quality.yaml."""

    rows: list[QualityRow]
    kv_cache: list[SideRow]
    bpw_table: list[SideRow]
    not_found: list[Text] = Field(default_factory=list)


def load_quant_quality(data_dir: Path) -> list[QualityRow]:
    """The rows of the file. Raises CatalogError with all faults."""
    note(("side", "quant_quality"))
    data_dir = data_dir.resolve()
    faults: list[Fault] = []
    entry = load_file(data_dir / "side" / "quant_quality.yaml", data_dir, QualityFile, faults)
    if entry is None or faults:
        raise CatalogError(faults)
    return entry.record.rows
