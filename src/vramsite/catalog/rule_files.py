"""The files of rules and coefficients beside the catalog: a fault in one has file and line too."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.calibration import load_calibration
from vramsite.catalog.compute_graphs import load_graph_rules
from vramsite.catalog.config_key_rules import config_key_rules
from vramsite.catalog.faults import MOST_OF_A_KIND, Fault, shortened
from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.catalog.quant_recipes import load_checkpoint_recipes, load_quant_scheme
from vramsite.catalog.rule_yaml import RuleFileError
from vramsite.catalog.speed_model import load_speed_model
from vramsite.catalog.yaml_source import Document, dotted, read_document, shown_path

# File -> what reads it. Their loaders keep what they read, so a build reads nothing twice.
LOADERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "calibration.yaml": (load_calibration,),
    "config_keys.yaml": (config_key_rules,),
    "finetune_rules.yaml": (load_finetune_rules,),
    "llama_cpp_buffers.yaml": (load_cache_rules, load_buffer_rules),
    "llama_cpp_graphs.yaml": (load_graph_rules,),
    "quant_recipes.yaml": (load_quant_scheme, load_checkpoint_recipes),
    "speed_model.yaml": (load_speed_model,),
}
# A file that is read as a part of another one: (that one, the key) -> its name.
PARTS = {("finetune_rules.yaml", "calibration"): "finetune_calibration.yaml"}


def rule_file_faults(data_dir: Path) -> list[Fault]:
    """Faults of those files that are there; a made-up catalog does without them."""
    faults: list[Fault] = []
    for name, loaders in LOADERS.items():
        path = data_dir / name
        if not os.path.lexists(path):  # a link to itself does not exist, and is there
            continue
        for load in loaders:
            try:
                load(data_dir)
            except ValidationError as error:
                faults += _validation_faults(path, data_dir, error)
            except RuleFileError as error:  # of this file, or of one that goes with it
                shown = shown_path(error.path, data_dir)
                faults.append(Fault(shown, error.line, "", error.message))
            except (OSError, ValueError, TypeError, LookupError, OverflowError) as error:
                text = " ".join(str(error).split()) or type(error).__name__
                faults.append(Fault(shown_path(path, data_dir), 0, "", shortened(text, 200)))
    return sorted(set(faults))


def _validation_faults(path: Path, data_dir: Path, error: ValidationError) -> list[Fault]:
    found = []
    documents: dict[Path, Document | None] = {}
    for details in error.errors(include_url=False, include_input=False)[:MOST_OF_A_KIND]:
        keys, file = details["loc"], path
        part = PARTS.get((path.name, str(keys[0]) if keys else ""))
        if part is not None:
            keys, file = keys[1:], data_dir / part
        # Some of these files share parts by anchors, which entries of the catalog may not: then
        # the key has to do without its line.
        if file not in documents:
            documents[file] = read_document(file, data_dir, [])
        document = documents[file]
        if document is not None:
            found.append(document.fault(keys, details["msg"]))
        else:
            found.append(Fault(shown_path(file, data_dir), 0, dotted(keys), details["msg"]))
    return found
