"""The files of rules and coefficients beside the catalog: a fault in one has file and line too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import yaml
from pydantic import ValidationError

from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.calibration import load_calibration
from vramsite.catalog.faults import Fault
from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.catalog.quant_recipes import load_quant_scheme
from vramsite.catalog.speed_model import load_speed_model
from vramsite.catalog.yaml_source import dotted, read_document, shown_path

# File -> what reads it. Their loaders keep what they read, so a build reads nothing twice.
LOADERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "calibration.yaml": (load_calibration,),
    "finetune_rules.yaml": (load_finetune_rules,),
    "llama_cpp_buffers.yaml": (load_cache_rules, load_buffer_rules),
    "quant_recipes.yaml": (load_quant_scheme,),
    "speed_model.yaml": (load_speed_model,),
}


def rule_file_faults(data_dir: Path) -> list[Fault]:
    """Faults of those files that are there; a made-up catalog does without them."""
    faults: list[Fault] = []
    for name, loaders in LOADERS.items():
        path = data_dir / name
        if not path.is_file():
            continue
        for load in loaders:
            try:
                load(data_dir)
            except ValidationError as error:
                faults += _validation_faults(path, data_dir, error)
            except (OSError, ValueError, KeyError, yaml.YAMLError) as error:
                text = " ".join(str(error).split()) or type(error).__name__
                faults.append(Fault(shown_path(path, data_dir), 0, "", text))
    return sorted(set(faults))


def _validation_faults(path: Path, data_dir: Path, error: ValidationError) -> list[Fault]:
    # Some of these files share parts by anchors, which entries of the catalog may not: then the
    # key has to do without its line.
    document = read_document(path, data_dir, [])
    found = []
    for details in error.errors(include_url=False, include_input=False):
        keys = details["loc"]
        if document is not None:
            found.append(document.fault(keys, details["msg"]))
        else:
            found.append(Fault(shown_path(path, data_dir), 0, dotted(keys), details["msg"]))
    return found
