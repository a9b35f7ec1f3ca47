"""Weight formats and block types: `data/quants.yaml`."""

from __future__ import annotations

from pydantic import Field

from vramsite.catalog.engine_record import FormatFamily
from vramsite.catalog.record import Count, FormatName, IsoDate, Label, Positive, Record, Text


class BlockType(Record):
    """How one storage type packs its elements."""

    elements: Count = Field(description="elements in a block")
    bytes: Count = Field(description="bytes of a block, scales included")

    @property
    def bits_per_element(self) -> float:
        """Bits that one element takes, scales included."""
        return self.bytes * 8 / self.elements


class FormatRecord(Record):
    """A weight format: what a file or a checkpoint of that name holds."""

    name: FormatName
    label: Label = Field(description="how pages write it")
    family: FormatFamily = Field(
        description="gguf-dynamic: mixes that differ per model (UD-...), known only by file size"
    )
    base_type: FormatName | None = Field(
        None, description="block type of most matrices, a key of block_types"
    )
    nominal_bits: Positive = Field(description="bits a weight, scales included, of most matrices")
    headline: bool = Field(False, description="whether pages offer it in their table of formats")
    note: Text | None = None


class QuantsFile(Record):
    """All of data/quants.yaml."""

    source: Text
    as_of: IsoDate
    block_types: dict[FormatName, BlockType]
    formats: list[FormatRecord] = Field(min_length=1)
