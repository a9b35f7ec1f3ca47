"""data/llama_cpp_buffers.yaml -> the engine's records for caches and compute buffers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from vramsite.catalog.rule_yaml import read_rules
from vramsite.sizing.buffers import BufferRules
from vramsite.sizing.cache import CacheRules, CacheType


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Cache(_Strict):
    types: dict[str, tuple[float, float]]
    cell_multiple: float
    padded_row_elements: float
    device_alignment_bytes: float
    host_alignment_bytes: float
    state_element_bytes: float
    rollback_archs: list[str]

    def record(self) -> CacheRules:
        return CacheRules(
            types=[
                CacheType(
                    name=name,
                    block_elements=block[0],
                    block_bytes=block[1],
                    quantised=block[0] > 1,
                )
                for name, block in self.types.items()
            ],
            cell_multiple=self.cell_multiple,
            padded_row_elements=self.padded_row_elements,
            device_alignment_bytes=self.device_alignment_bytes,
            host_alignment_bytes=self.host_alignment_bytes,
            state_element_bytes=self.state_element_bytes,
            rollback_archs=self.rollback_archs,
        )


class _BufferFile(_Strict):
    cache: _Cache


@cache
def load_cache_rules(data_dir: Path) -> CacheRules:
    """How llama.cpp rounds its caches. Raises pydantic's ValidationError for a faulty file."""
    return _read(data_dir).cache.record()


@cache
def load_buffer_rules(data_dir: Path) -> BufferRules:
    """What llama.cpp's compute buffers depend on. Raises ValidationError for a faulty file."""
    return BufferRules(cache=load_cache_rules(data_dir))


def _read(data_dir: Path) -> _BufferFile:
    return _BufferFile.model_validate(read_rules(data_dir / "llama_cpp_buffers.yaml"))
