"""Everything that is wrong with a data folder. It is the loader that a build uses."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vramsite.catalog.architectures import ArchitectureError
from vramsite.catalog.catalog import Catalog, read_catalog
from vramsite.catalog.faults import MOST_OF_A_KIND, Fault, shortened
from vramsite.catalog.finetune import read_finetune
from vramsite.catalog.loader import entry_ids
from vramsite.catalog.measurements import read_measurements
from vramsite.catalog.rule_files import rule_file_faults
from vramsite.catalog.side import read_side
from vramsite.catalog.yaml_source import shown_path


def check(data_dir: Path, *, today: date | None = None) -> list[Fault]:
    """All faults of catalog, architectures, measurements and side facts, by file and line."""
    catalog, faults = read_catalog(data_dir, today=today, architectures=True)
    # Ids are those of the files: a slip in one entry is one fault, not one a measurement of it.
    known = (set(entry_ids(data_dir, "models")), set(entry_ids(data_dir, "gpus")))
    _, row_faults = read_measurements(data_dir, known=known)
    gpu_ids = frozenset(entry_ids(data_dir, "gpus"))
    _, side_faults = read_side(data_dir, today=today, gpu_ids=gpu_ids)
    _, finetune_faults = read_finetune(data_dir)
    rules = rule_file_faults(data_dir.resolve())
    if catalog is not None and not rules:
        rules = _graph_faults(catalog)
    return sorted({*faults, *row_faults, *side_faults, *finetune_faults, *rules})


def _graph_faults(catalog: Catalog) -> list[Fault]:
    # A graph is read for the model that it is needed for; the build would be the first to do so.
    found = []
    for model_id in catalog.models:
        try:
            catalog.architecture(model_id)
        except ArchitectureError:
            continue  # a fault of the model, and found before
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            text = shortened(str(error) or type(error).__name__, 200)
            shown = shown_path(catalog.data_dir / "llama_cpp_graphs.yaml", catalog.data_dir)
            found.append(Fault(shown, 0, "", f"cannot be followed for {model_id}: {text}"))
    return found[:MOST_OF_A_KIND]
