"""Everything that is wrong with a data folder. It is the loader that a build uses."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from vramsite.catalog.architectures import ArchitectureError, read_architecture
from vramsite.catalog.architectures.unread import unread_keys
from vramsite.catalog.catalog import Catalog, architecture_source, read_catalog
from vramsite.catalog.config_key_rules import config_key_rules
from vramsite.catalog.faults import MOST_OF_A_KIND, Fault, shortened
from vramsite.catalog.finetune import read_finetune
from vramsite.catalog.loader import entry_ids
from vramsite.catalog.measurements import read_measurements
from vramsite.catalog.rule_files import rule_file_faults
from vramsite.catalog.side import read_side
from vramsite.catalog.yaml_source import shown_path


def check(data_dir: Path, *, today: date | None = None) -> list[Fault]:
    """All faults of catalog, architectures, measurements and side facts, by file and line."""
    return check_with_notes(data_dir, today=today)[0]


def check_with_notes(data_dir: Path, *, today: date | None = None) -> tuple[list[Fault], list[str]]:
    """The same, and what is no fault but worth a look: keys of a config that nothing reads."""
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
    found = sorted({*faults, *row_faults, *side_faults, *finetune_faults, *rules})
    return found, _unread_notes(catalog) if catalog is not None and not found else []


def _unread_notes(catalog: Catalog) -> list[str]:
    rules = config_key_rules(catalog.data_dir)
    notes = []
    for model in catalog.models.values():
        source = architecture_source(model)
        read_architecture(source)
        keys = unread_keys(rules, source.config, source.model_type)
        if keys:
            path = catalog.data_dir / "models" / model.vendor_slug / f"{model.id}.yaml"
            notes.append(
                f"{shown_path(path, catalog.data_dir)}: config: the reader of {model.model_type} "
                f"does not look at {', '.join(keys[:MOST_OF_A_KIND])}: where one changes what "
                "layers hold, teach the reader; else name it in data/config_keys.yaml"
            )
    return notes


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
