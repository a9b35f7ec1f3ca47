"""What a GGUF file says about a model: its format, exact length, and whether it is this model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from vramsite.catalog.format_record import FormatRecord
from vramsite.contribute.gguf_header import GgufError, GgufHeader, read_header
from vramsite.contribute.parameters import elements
from vramsite.sizing.records import Architecture

_SHARD = re.compile(r"-\d{5}-of-\d{5}$")
MOST_DIFFERENCES = 6


def published_file(
    path: Path, header: GgufHeader, formats: dict[str, FormatRecord], repo: str | None
) -> dict[str, Any]:
    """The entry for `files:`. Raises GgufError where the name does not tell a known format."""
    if header.split:
        raise GgufError(
            f"{path.name} is one part of several; add up the sizes of the parts and write the "
            "entry under files: by hand"
        )
    name = format_of(path.name, formats)
    if name is None:
        raise GgufError(
            f"{path.name}: no format of data/quants.yaml in the name; rename the file to "
            "<model>-<FORMAT>.gguf, such as model-Q4_K_M.gguf"
        )
    entry: dict[str, Any] = {"format": name, "bytes": header.file_bytes, "exact": True}
    return entry | ({"repo": repo} if repo else {})


def format_of(file_name: str, formats: dict[str, FormatRecord]) -> str | None:
    """The longest known format that ends the file's name."""
    stem = _SHARD.sub("", file_name.removesuffix(".gguf")).upper()
    for name in sorted(formats, key=len, reverse=True):
        if re.search(rf"(^|[-._]){re.escape(name.upper())}$", stem):
            return name
    return None


def differences(header: GgufHeader, arch: Architecture) -> list[str]:
    """Tensors that differ between the file and the reader: nothing for the same model."""
    ours: dict[str, float] = {}
    for tensor in arch.tensors:
        if not tensor.in_gguf:
            continue
        size = elements(tensor) / max(1, len(tensor.layers))
        role = tensor.role.removesuffix(".bias")
        suffix = "weight" if role == tensor.role else "bias"
        for layer in tensor.layers or [-1.0]:
            base = f"blk.{layer:.0f}.{role}" if layer >= 0 else role
            ours[f"{base}.{suffix}"] = size
    theirs = {tensor.name: float(tensor.elements) for tensor in header.tensors}
    found = [f"only in the file: {name}" for name in theirs if not _has(ours, name)]
    found += [f"only in the reader: {name}" for name in ours if not _has(theirs, name)]
    found += [
        f"{name}: {theirs[name]:,.0f} elements in the file, {size:,.0f} in the reader"
        for name, size in ours.items()
        if name in theirs and theirs[name] != size
    ]
    if len(found) > MOST_DIFFERENCES:
        return [*found[:MOST_DIFFERENCES], f"and {len(found) - MOST_DIFFERENCES} more"]
    return found


def _has(tensors: dict[str, float], name: str) -> bool:
    # A few GGUF tensors have no ending (blk.0.ssm_a).
    return name in tensors or name.removesuffix(".weight") in tensors or f"{name}.weight" in tensors


def read(path: Path) -> GgufHeader:
    """The header of a file, with the path in every error. Raises GgufError."""
    try:
        return read_header(path)
    except GgufError as error:
        raise GgufError(f"{path}: {error}") from error
