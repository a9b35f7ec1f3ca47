"""Reads the header of a GGUF file (extra `gguf`): metadata, tensors, and how long the file is.

Nothing is allocated by what the file declares: every count and length is checked against what is
left of the file first, so a truncated or hostile file gives a clear error. The first megabytes of a
file are enough, as long as they hold the whole header. Format: the GGUF specification of ggml.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
MOST_KEYS = 20_000
MOST_TENSORS = 200_000
MOST_NAME = 1024
MOST_DIMENSIONS = 4
MOST_SHOWN_TEXT = 4096
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _ARRAY = 8, 9


class GgufError(ValueError):
    """A file whose header cannot be read; the message says where and why."""


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """One tensor of the header."""

    name: str
    type_name: str
    shape: tuple[int, ...]
    bytes: int
    offset: int

    @property
    def elements(self) -> int:
        """Product of its shape."""
        product = 1
        for size in self.shape:
            product *= size
        return product


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a header says. `values` holds numbers and texts; arrays are left out."""

    values: dict[str, str | int | float | bool]
    tensors: list[GgufTensor]
    file_bytes: int  # length of the whole file, even where only its beginning is here
    complete: bool = field(default=True)

    @property
    def architecture(self) -> str | None:
        """`general.architecture`."""
        found = self.values.get("general.architecture")
        return found if isinstance(found, str) else None

    @property
    def elements(self) -> int:
        """Elements of all tensors."""
        return sum(tensor.elements for tensor in self.tensors)

    @property
    def split(self) -> bool:
        """Whether this is one part of several."""
        count = self.values.get("split.count", 0)
        return isinstance(count, int) and count > 1


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.size = size

    def take(self, count: int, what: str) -> bytes:
        at = self.file.tell()
        if count > self.size - at:
            raise GgufError(
                f"ends inside {what} (byte {at} of {self.size}); the header is cut off: "
                "download more of the file"
            )
        return self.file.read(count)

    def skip(self, count: int, what: str) -> None:
        at = self.file.tell()
        if count > self.size - at:
            raise GgufError(
                f"{what} would be {count} bytes long, but only {self.size - at} are left; the "
                "header is cut off or damaged"
            )
        self.file.seek(count, 1)

    def number(self, code: str, what: str) -> int:
        found = struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}"), what))[0]
        return int(found)

    def text(self, most: int, what: str) -> str:
        length = self.number("Q", what)
        if length > most:
            raise GgufError(f"{what} is {length} bytes long; at most {most} are plausible")
        try:
            return self.take(length, what).decode("utf-8")
        except UnicodeDecodeError as error:
            raise GgufError(f"{what} is no text") from error


def read_header(path: Path) -> GgufHeader:
    """The header of a file. Raises GgufError."""
    block_types = _block_types()
    try:
        if not path.is_file():
            raise GgufError(f"{path}: no such file")
        size = path.stat().st_size
        with path.open("rb") as file:
            return _read(_Reader(file, size), block_types)
    except OSError as error:
        raise GgufError(f"cannot be read: {error.strerror}") from error


def _block_types() -> dict[int, tuple[str, int, int]]:
    try:
        from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
    except ImportError as error:
        raise GgufError(
            "to read GGUF headers, install the extra: pip install 'vramsite[gguf]'"
        ) from error
    return {
        int(kind): (kind.name, *GGML_QUANT_SIZES[kind])
        for kind in GGMLQuantizationType
        if kind in GGML_QUANT_SIZES
    }


def _read(reader: _Reader, block_types: dict[int, tuple[str, int, int]]) -> GgufHeader:
    if reader.take(4, "its first bytes") != MAGIC:
        raise GgufError("is no GGUF file: it does not start with GGUF")
    version = reader.number("I", "its version")
    if version not in (2, 3):
        raise GgufError(f"has GGUF version {version}; 2 and 3 are known (big-endian is not)")
    tensor_count = _plausible(reader.number("Q", "the tensor count"), MOST_TENSORS, "tensors")
    key_count = _plausible(reader.number("Q", "the key count"), MOST_KEYS, "keys")
    values: dict[str, str | int | float | bool] = {}
    for _ in range(key_count):
        key = reader.text(MOST_NAME, "the name of a key")
        found = _value(reader, key)
        if found is not None:
            values[key] = found
    tensors = [_tensor(reader, block_types) for _ in range(tensor_count)]
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 1 <= alignment <= 2**20:
        raise GgufError(f"general.alignment is {alignment!r}")
    start = -(-reader.file.tell() // alignment) * alignment
    end = max(
        (item.offset + -(-item.bytes // alignment) * alignment for item in tensors), default=0
    )
    return GgufHeader(values, tensors, start + end, reader.size >= start + end)


def _plausible(count: int, most: int, what: str) -> int:
    if count > most:
        raise GgufError(f"declares {count} {what}; at most {most} are plausible")
    return count


def _value(reader: _Reader, key: str) -> str | int | float | bool | None:
    kind = reader.number("I", f"the type of {key}")
    if kind in _SCALARS:
        code = f"<{_SCALARS[kind]}"
        found = struct.unpack(code, reader.take(struct.calcsize(code), key))[0]
        return found if isinstance(found, bool | int | float) else None
    if kind == _TEXT:
        length = reader.number("Q", key)
        if length <= MOST_SHOWN_TEXT:
            return reader.take(length, key).decode("utf-8", "replace")
        reader.skip(length, key)  # chat templates
        return None
    if kind == _ARRAY:
        _skip_array(reader, key)
        return None
    raise GgufError(f"{key} has the unknown type {kind}")


def _skip_array(reader: _Reader, key: str) -> None:
    kind = reader.number("I", f"the element type of {key}")
    count = reader.number("Q", f"the length of {key}")
    if kind in _SCALARS:
        reader.skip(count * struct.calcsize(f"<{_SCALARS[kind]}"), key)
    elif kind == _TEXT:
        if count * 8 > reader.size - reader.file.tell():
            raise GgufError(f"{key} declares {count} texts, more than the file has room for")
        for _ in range(count):
            reader.skip(reader.number("Q", key), key)
    else:
        raise GgufError(f"{key} is an array of the unknown type {kind}")


def _tensor(reader: _Reader, block_types: dict[int, tuple[str, int, int]]) -> GgufTensor:
    name = reader.text(MOST_NAME, "the name of a tensor")
    dimensions = reader.number("I", f"the shape of {name}")
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise GgufError(f"{name} has {dimensions} dimensions; 1 to {MOST_DIMENSIONS} are plausible")
    shape = tuple(reader.number("Q", f"the shape of {name}") for _ in range(dimensions))
    kind = reader.number("I", f"the type of {name}")
    offset = reader.number("Q", f"the place of {name}")
    if kind not in block_types:
        raise GgufError(f"{name} has the unknown type {kind}; is the package gguf up to date?")
    type_name, block, block_bytes = block_types[kind]
    elements = 1
    for size in shape:
        elements *= size
    if not 0 < elements < 2**53 or offset >= 2**53:
        raise GgufError(f"{name} has the shape {shape} at {offset}; that is not plausible")
    if shape[0] % block:
        raise GgufError(f"{name} has rows of {shape[0]} elements, no multiple of {block}")
    return GgufTensor(name, type_name, shape, elements // block * block_bytes, offset)
