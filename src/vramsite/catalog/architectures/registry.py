"""Which reader understands which `model_type`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.catalog.architectures.source import ArchitectureSource
from vramsite.sizing.records import Architecture

Reader = Callable[[ArchitectureSource], Architecture]
_readers: dict[str, Reader] = {}


def reader(*model_types: str) -> Callable[[Reader], Reader]:
    """Register a function as the reader of these `model_type` values."""

    def register(function: Reader) -> Reader:
        for model_type in model_types:
            if model_type in _readers:
                raise RuntimeError(f"two readers for model_type {model_type}")
            _readers[model_type] = function
        return function

    return register


@cache
def _load_readers() -> None:
    # Every module of readers/ registers itself when imported: a new family is one new file.
    from vramsite.catalog.architectures import readers

    for module in sorted(info.name for info in pkgutil.iter_modules(readers.__path__)):
        importlib.import_module(f"{readers.__name__}.{module}")


def known_model_types() -> list[str]:
    """All `model_type` values that a reader is registered for, sorted."""
    _load_readers()
    return sorted(_readers)


def read_architecture(source: ArchitectureSource) -> Architecture:
    """Turn config.json keys into layers and tensors.

    Raises ArchitectureError for an unknown `model_type` and for missing or contradictory keys.
    """
    _load_readers()
    function = _readers.get(source.model_type)
    if function is None:
        raise ArchitectureError("model_type", _unknown(source.model_type))
    return function(source)


def _unknown(model_type: str) -> str:
    near = get_close_matches(model_type, known_model_types(), n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? If not, run" if near else "run"
    return (
        f"no reader for {model_type!r}; {meant} `vramsite add-model config.json`, which compares"
        " it with all readers, and see docs/adding-an-architecture.md"
    )
