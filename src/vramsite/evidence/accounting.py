"""Runs the engine on one row of llama.cpp's memory breakdown, term by term."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.quant_recipes import load_quant_scheme
from vramsite.evidence.rows import AccountingRow, WeightRow
from vramsite.sizing.buffers import KnownBuffers, compute_buffers, keeping
from vramsite.sizing.cache import cache_bytes
from vramsite.sizing.records import Architecture, Settings
from vramsite.sizing.weights import WeightBytes, WeightSplit, quantised_weights, split_weights

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

_ALL_LAYERS = re.compile(r"all layers on 1 \w+ device")
_GPU_LAYERS = re.compile(r"-ngl (\d+)")
_CPU_MOE_LAYERS = re.compile(r"--n-cpu-moe (\d+)")


class RowRefusedError(Exception):
    """The row cannot be judged; the message says why."""


class Accountant:
    """Predicts the terms of rows; weights and architectures are made once and kept."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._scheme, self._recipes = load_quant_scheme(catalog.data_dir)
        self._cache_rules = load_cache_rules(catalog.data_dir)
        self._buffer_rules = load_buffer_rules(catalog.data_dir)
        self._weights: dict[tuple[str, str, bool], WeightBytes] = {}
        self._buffers: tuple[str, list[KnownBuffers]] = ("", [])  # of the last row's model
        self._splits: dict[tuple[str, str, float | None, float | None], WeightSplit] = {}

    def architecture(self, model_id: str) -> Architecture:
        """The layers of a model. Raises RowRefusedError for an id that the catalog lacks."""
        if model_id not in self._catalog.models:
            raise RowRefusedError(f"model {model_id} is not in the catalog")
        try:
            return self._catalog.architecture(model_id)
        except ArchitectureError as error:
            raise RowRefusedError(f"{model_id}: {error}") from error

    def weights(self, model_id: str, quant: str, imatrix: bool = False) -> WeightBytes:
        """The model in one llama-quantize format. Raises RowRefusedError for an unknown one."""
        key = (model_id, quant, imatrix)
        found = self._weights.get(key)
        if found is None:
            arch = self.architecture(model_id)
            recipe = self._recipes.get(quant)
            if recipe is None:
                raise RowRefusedError(f"no recipe for the format {quant}")
            found = quantised_weights(arch, recipe, self._scheme, imatrix)
            self._weights[key] = found
        return found

    def settings(self, row: AccountingRow) -> Settings:
        """The row's configuration. Raises RowRefusedError for an unknown model or placement."""
        arch = self.architecture(row.model)
        placement = row.placement
        gpu_layers: float | None = None
        cpu_moe_layers = 0.0
        cpu = placement == "CPU only"
        found = _GPU_LAYERS.search(placement)
        moved = _CPU_MOE_LAYERS.search(placement)
        if cpu:
            gpu_layers = 0.0
        elif found:
            gpu_layers = float(found.group(1))
        elif moved:
            cpu_moe_layers = float(moved.group(1))
        elif "--cpu-moe" in placement:
            cpu_moe_layers = arch.layer_count
        elif not _ALL_LAYERS.match(placement):
            raise RowRefusedError(f"unknown placement {placement!r}")
        return Settings(
            backend="cpu" if cpu else "cuda",
            format=row.quant,
            context_tokens=row.n_ctx,
            parallel=row.n_seq,
            kv_unified=row.kv_unified,
            kv_type_k=row.type_k,
            kv_type_v=row.type_v,
            ubatch_tokens=row.n_ubatch,
            outputs_max=row.n_outputs_max,
            flash_attention=row.flash_attention,
            full_window_cache=row.swa_full,
            kv_offload="--no-kv-offload" not in placement,
            gpu_layers=gpu_layers,
            cpu_moe_layers=cpu_moe_layers,
        )

    def predict(self, row: AccountingRow) -> dict[str, float]:
        """The measured terms. Raises RowRefusedError, or SizingError as llama.cpp does."""
        settings = self.settings(row)
        arch = self.architecture(row.model)
        weights = self.weights(row.model, row.quant)
        split = self._split(row, weights, settings)
        found = {
            "weights_device_bytes": split.device_bytes,
            "weights_host_bytes": split.host_bytes,
        }
        if row.error or not found.keys() >= row.measured.keys():
            cache = cache_bytes(arch, settings, self._cache_rules)
            if self._buffers[0] != row.model:
                self._buffers = (row.model, [])
            rules = keeping(self._buffer_rules, self._buffers[1])
            buffers = compute_buffers(arch, settings, weights, rules)
            found["kv_bytes"] = cache.kv_bytes
            found["recurrent_bytes"] = cache.recurrent_bytes
            found["compute_device_bytes"] = buffers.device_bytes
            found["compute_host_bytes"] = buffers.host_bytes
            found["output_bytes"] = buffers.output_bytes
        return found

    def predict_weights(self, row: WeightRow) -> dict[str, float]:
        """Bytes and counts of the file. Raises RowRefusedError."""
        weights = self.weights(row.model, row.quant, row.imatrix)
        return {
            "bytes": weights.file_bytes,
            "n_params": weights.parameters,
            "n_tensors": weights.tensor_count,
            "fallback_tensors": weights.fallback_tensors,
        }

    def _split(self, row: AccountingRow, weights: WeightBytes, settings: Settings) -> WeightSplit:
        key = (row.model, row.quant, settings.gpu_layers, settings.cpu_moe_layers)
        found = self._splits.get(key)
        if found is None:
            found = split_weights(weights, settings.gpu_layers, settings.cpu_moe_layers)
            self._splits[key] = found
        return found
