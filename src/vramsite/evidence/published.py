"""Runs the engine on one published memory figure: a cache, a compute buffer, weights, or all.

What a row leaves open is taken as its engine does by default; what cannot be known (which tensors
an unnamed pattern moved to the host) refuses the row instead of guessing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.model_files import FormatError, model_file
from vramsite.catalog.quant_recipes import load_checkpoint_recipes
from vramsite.evidence.accounting import RowRefusedError
from vramsite.evidence.published_case import MemoryCase, read_case
from vramsite.evidence.row_weights import GGUF_ENGINES
from vramsite.sizing.buffers import F32_BYTES, compute_buffers
from vramsite.sizing.cache import cache_bytes
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.engine import EngineRules, ModelFile
from vramsite.sizing.memory import account, device_weights
from vramsite.sizing.records import Memory
from vramsite.sizing.vllm_memory import account_paged, sequence_bytes, split_weight_bytes
from vramsite.sizing.weights import WeightBytes
from vramsite.sizing.weights_file import scaled_weights

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow

MIB = 2.0**20
MEMORY_METRICS = ("kv_mib", "compute_mib", "weights_mib", "total_vram_mib")
SAME_FILE_SHARE = 0.003  # a file differs so much from its tensors by its header
FIT_MARGIN_BYTES = 1024.0 * MIB  # llama.cpp leaves so much free where it chooses the layers itself
# Formats of checkpoints as rows write them, where they are called otherwise here.
_CHECKPOINTS = {"FP4+FP8": "FP8+FP4", "INT8 (W8A8)": "INT8"}
# GGUF formats as rows write them, where they are called otherwise here.
_GGUF_NAMES = {"MXFP4": "MXFP4_MOE", "Q5_K": "Q5_K_M", "Q4_K": "Q4_K_M", "Q3_K": "Q3_K_M"}
_PLAIN_FORMATS = ("Q2_K", "Q3_K_M", "Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0", "BF16")
_MLA = re.compile(r"mla_attn=(\d)")


class PublishedMemory:
    """Predicts published figures in MiB."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._files: dict[tuple[str, str], ModelFile] = {}
        self._rules = EngineRules(
            cache=load_cache_rules(catalog.data_dir), buffers=load_buffer_rules(catalog.data_dir)
        )

    def predict(self, row: MeasurementRow) -> float:
        """The row's metric. Raises RowRefusedError or SizingError."""
        case = read_case(self._catalog, row)
        if row.engine not in GGUF_ENGINES:
            return self._of_profile(case) / MIB
        if row.metric == "kv_mib":
            return self._cache(case) / MIB
        if row.metric == "weights_mib":
            return self._weights(case) / MIB
        if row.metric == "compute_mib":
            return self._compute(case) / MIB
        return self._total(case) / MIB

    def _cache(self, case: MemoryCase) -> float:
        mode = _MLA.search(case.notes)
        latent = any(group.kind == "latent" for group in case.arch.groups)
        if latent and mode and mode.group(1) in "01":
            raise RowRefusedError("cache of another attention mode than the latent one")
        cache = cache_bytes(case.arch, case.settings, self._rules.cache)
        if case.row.kv_type == "f32-recurrent":
            return cache.recurrent_bytes
        if "not in excerpt" in case.notes:
            raise RowRefusedError("a part of the cache only")
        total = cache.kv_bytes
        if "RS share" in case.notes:
            total += cache.recurrent_bytes
        return total / case.settings.gpus if case.row.per == "per_gpu" else total

    def _weights(self, case: MemoryCase) -> float:
        held = device_weights(self._file(case).weights, case.settings)
        limit = self._usable(case)
        if limit is not None and max(held) > limit:
            raise RowRefusedError("not said which tensors were left on the host")
        return self._of_device(case, held)

    def _compute(self, case: MemoryCase) -> float:
        latent = any(group.kind == "latent" for group in case.arch.groups)
        if case.row.engine == "ik_llama.cpp" and (latent or case.settings.gpus > 1.0):
            raise RowRefusedError(
                "no profile of ik_llama.cpp's buffers for latent attention or several devices"
            )
        # Weights matter only where some of them are on the host.
        file = self._file(case, "" if case.row.quant else "Q4_K_M")
        engine = self._catalog.engines.get(case.row.engine)
        full = engine.full_logits if engine else None
        settings = case.settings
        if full is not None:
            settings = replace(settings, outputs_max=settings.parallel)
        buffers = compute_buffers(case.arch, settings, file.weights, self._rules.buffers)
        if full is not None:
            row = case.arch.vocabulary + full.embedding_rows * case.arch.embedding_width
            tokens = min(settings.ubatch_tokens, settings.context_tokens)
            return max(buffers.device_bytes, F32_BYTES * tokens * row)
        if case.settings.backend == "cpu":
            return buffers.host_bytes
        later = [buffers.later_device_bytes for _ in range(round(case.settings.gpus) - 1)]
        return self._of_device(case, [buffers.device_bytes, *later])

    def _total(self, case: MemoryCase) -> float:
        file = self._file(case)
        memory = self._memory(case, file)
        runtime = self._catalog.assumptions.sizing(case.settings.backend).runtime_bytes
        used = [held + runtime for held in memory.per_device_bytes]
        limit = self._usable(case)
        if limit is not None:
            used = [limit - FIT_MARGIN_BYTES if held > limit else held for held in used]
        return self._of_device(case, used)

    def _usable(self, case: MemoryCase) -> float | None:
        if case.row.gpu_id is None or self._catalog.gpus[case.row.gpu_id].kind == "unified":
            return None
        return self._catalog.device(case.row.gpu_id).usable_bytes

    def _of_profile(self, case: MemoryCase) -> float:
        row = case.row
        engine = self._catalog.engines.get(row.engine)
        profile = engine.profile() if engine else None
        if profile is None:
            raise RowRefusedError(f"no memory profile for the engine {row.engine}")
        if row.metric == "kv_mib":
            # The context of such a row is the tokens that its pool holds.
            tokens = case.settings.context_tokens
            each = sequence_bytes(case.arch, case.settings, profile, tokens)
            return each * (1.0 if row.per == "per_gpu" else case.settings.gpus)
        weights = self._checkpoint(case)
        if row.metric == "weights_mib":
            share = split_weight_bytes(case.arch, weights, case.settings, profile)
            return share * (1.0 if row.per == "per_gpu" else case.settings.gpus)
        capacity = self._catalog.device(row.gpu_id).capacity_bytes if row.gpu_id else None
        memory = account_paged(case.arch, weights, case.settings, profile, "", capacity)
        if row.metric == "compute_mib":
            return sum(term.device_bytes for term in memory.terms if term.name == "compute_buffer")
        runtime = self._catalog.assumptions.sizing(case.settings.backend).runtime_bytes
        return self._of_device(case, [held + runtime for held in memory.per_device_bytes])

    def _checkpoint(self, case: MemoryCase) -> WeightBytes:
        name = (case.row.quant or "").upper()
        recipe = load_checkpoint_recipes(self._catalog.data_dir).get(_CHECKPOINTS.get(name, name))
        if recipe is None:
            raise RowRefusedError(f"no recipe for checkpoints in {name or 'an unnamed format'}")
        weights = checkpoint_weights(case.arch, recipe)
        published = self._published_checkpoint(case, name)
        if published is None:
            return weights
        return scaled_weights(weights, published / weights.file_bytes)

    def _published_checkpoint(self, case: MemoryCase, name: str) -> float | None:
        if case.row.weights_bytes is not None:
            return case.row.weights_bytes
        model = self._catalog.models[case.row.model_id or ""]
        own = [model.checkpoint] if model.checkpoint else []
        for checkpoint in [*own, *model.other_checkpoints]:
            if checkpoint.format.upper() == name and checkpoint.bytes is not None:
                return float(checkpoint.bytes)
        return None

    def _of_device(self, case: MemoryCase, shares: list[float]) -> float:
        if case.row.per == "total":
            return sum(shares)
        if case.device is not None and case.device < len(shares):
            return shares[case.device]
        return max(shares)

    def _memory(self, case: MemoryCase, file: ModelFile) -> Memory:
        return account(
            case.arch,
            file.weights,
            cache_bytes(case.arch, case.settings, self._rules.cache),
            case.settings,
            self._rules.buffers,
            file.weights_basis,
            file.vision_bytes if case.settings.vision else 0.0,
        )

    def _model_file(self, model_id: str, format_name: str) -> ModelFile:
        key = (model_id, format_name)
        if key not in self._files:
            self._files[key] = model_file(self._catalog, model_id, format_name)
        return self._files[key]

    def _nearest(self, case: MemoryCase, file_bytes: float) -> ModelFile:
        """A mix that no recipe here describes: the recipe nearest to the file's size."""
        model = case.row.model_id or ""
        known = [self._model_file(model, name) for name in _PLAIN_FORMATS]
        return min(known, key=lambda file: abs(file.weights.file_bytes - file_bytes))

    def _file(self, case: MemoryCase, format_name: str = "") -> ModelFile:
        row = case.row
        wanted = format_name or _GGUF_NAMES.get(row.quant or "", row.quant)
        if not wanted:
            raise RowRefusedError("the weight format is not stated")
        stated = row.weights_bytes
        try:
            file = self._model_file(row.model_id or "", wanted)
        except FormatError as error:
            if stated is None:
                raise RowRefusedError(str(error)) from error
            file = self._nearest(case, stated)
        if stated is None or abs(stated / file.weights.file_bytes - 1.0) <= SAME_FILE_SHARE:
            return file
        return ModelFile(
            arch=file.arch,
            weights=scaled_weights(file.weights, stated / file.weights.file_bytes),
            weights_basis="published_file",
            file_bytes=stated,
            vision_bytes=file.vision_bytes,
        )
