"""Exact sizes from a safetensors index (model.safetensors.index.json)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from vramsite.contribute.config_source import SourceError

MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class CheckpointSize:
    """What the index states; bytes of all tensors, without the headers of the files."""

    tensor_bytes: int
    params_total: int | None


def read_index(path: Path) -> CheckpointSize:
    """Read the index. Raises SourceError for another file."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SourceError(f"{path}: too big for an index")
        metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
        tensor_bytes = metadata["total_size"]
        params = metadata.get("total_parameters")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise SourceError(
            f"{path}: is no safetensors index; give model.safetensors.index.json, which has "
            "metadata.total_size"
        ) from error
    if not isinstance(tensor_bytes, int | float) or not 0 < tensor_bytes < 2**53:
        raise SourceError(f"{path}: metadata.total_size is {tensor_bytes!r}; bytes are needed")
    return CheckpointSize(int(tensor_bytes), int(params) if isinstance(params, int) else None)
