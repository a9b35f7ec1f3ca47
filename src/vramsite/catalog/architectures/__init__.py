"""config.json -> Architecture: one reader a family, chosen by `model_type`."""

from vramsite.catalog.architectures.keys import ArchitectureError, Keys
from vramsite.catalog.architectures.registry import (
    known_model_types,
    read_architecture,
    reader,
)
from vramsite.catalog.architectures.source import ArchitectureSource

__all__ = [
    "ArchitectureError",
    "ArchitectureSource",
    "Keys",
    "known_model_types",
    "read_architecture",
    "reader",
]
