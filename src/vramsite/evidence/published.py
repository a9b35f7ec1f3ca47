"""Runs the engine on one published memory figure: a cache, a compute buffer, weights, or all.

What a row leaves open is taken as its engine does by default; what cannot be known (which tensors
an unnamed pattern moved to the host) refuses the row instead of guessing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.catalog.buffer_rules import load_buffer_rules, load_cache_rules
from vramsite.catalog.model_files import FormatError, model_file
from vramsite.catalog.quant_recipes import load_checkpoint_recipes
from vramsite.evidence.accounting import RowRefusedError
from vramsite.evidence.command_options import CommandOptions, read_options
from vramsite.evidence.conditions import read_conditions
from vramsite.evidence.row_weights import GGUF_ENGINES
from vramsite.sizing.buffers import compute_buffers
from vramsite.sizing.cache import cache_bytes
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.engine import EngineRules, ModelFile
from vramsite.sizing.memory import account, device_weights
from vramsite.sizing.records import Architecture, Memory, Settings
from vramsite.sizing.vllm_memory import account_paged, sequence_bytes, split_weight_bytes
from vramsite.sizing.weights import WeightBytes
from vramsite.sizing.weights_file import scaled_weights

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow

MIB = 2.0**20
MEMORY_METRICS = ("kv_mib", "compute_mib", "weights_mib", "total_vram_mib")
SAME_FILE_SHARE = 0.003  # a file differs so much from its tensors by its header
FIT_MARGIN_BYTES = 1024.0 * MIB  # llama.cpp leaves so much free where it chooses the layers itself
# llama-server reserves one row of logits a sequence: ggml-org/llama.cpp pull request 23861.
# It opens four slots by itself: ggml-org/llama.cpp pull requests 16736 and 17997.
FOUR_SLOTS_SINCE = "2025-12"
OUTPUTS_LIMITED_SINCE = "2026-06"
# Cache types as rows write them, where the engine calls them otherwise.
_CACHE_TYPES = {"q8": "q8_0", "q4": "q4_0", "auto": "f16", "": "f16", "fp16": "f16"}
# Formats of checkpoints as rows write them, where they are called otherwise here.
_CHECKPOINTS = {"FP4+FP8": "FP8+FP4", "INT8 (W8A8)": "INT8"}
_DEVICE = re.compile(r"CUDA(\d+) ")
_MLA = re.compile(r"mla_attn=(\d)")


@dataclass(frozen=True, slots=True)
class _Case:
    row: MeasurementRow
    arch: Architecture
    settings: Settings
    notes: str
    options: CommandOptions
    device: int | None  # the one that the figure is of, where the note names it


class PublishedMemory:
    """Predicts published figures in MiB."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._rules = EngineRules(
            cache=load_cache_rules(catalog.data_dir), buffers=load_buffer_rules(catalog.data_dir)
        )

    def predict(self, row: MeasurementRow) -> float:
        """The row's metric. Raises RowRefusedError or SizingError."""
        case = self._case(row)
        if row.engine not in GGUF_ENGINES:
            return self._of_profile(case) / MIB
        if row.metric == "kv_mib":
            return self._cache(case) / MIB
        if row.metric == "weights_mib":
            return self._weights(case) / MIB
        if row.metric == "compute_mib":
            return self._compute(case) / MIB
        return self._total(case) / MIB

    def _case(self, row: MeasurementRow) -> _Case:
        if row.model_id is None or row.model_id not in self._catalog.models:
            raise RowRefusedError(f"model {row.model_id or row.model_name} is not in the catalog")
        if row.gpu_id is not None and row.gpu_id not in self._catalog.gpus:
            raise RowRefusedError(f"device {row.gpu_id} is not in the catalog")
        notes = row.notes or ""
        found = _DEVICE.search(notes)
        options = read_options(notes)
        try:
            arch = self._catalog.architecture(row.model_id)
        except ArchitectureError as error:
            raise RowRefusedError(f"{row.model_id}: {error}") from error
        return _Case(
            row=row,
            arch=arch,
            settings=self._settings(row, arch, notes, options),
            notes=notes,
            options=options,
            device=int(found.group(1)) if found else None,
        )

    def _settings(
        self, row: MeasurementRow, arch: Architecture, notes: str, options: CommandOptions
    ) -> Settings:
        conditions = read_conditions(notes)
        backend = row.backend
        if backend is None:
            gpu = self._catalog.gpus.get(row.gpu_id or "")
            backend = gpu.backends[0] if gpu else "cuda"
        k_type, v_type = _types(row.kv_type or "")
        parallel = _sequences(row, options)
        ubatch = options.ubatch_tokens or conditions.ubatch_tokens or 512.0
        if options.batch_tokens is not None:
            ubatch = min(ubatch, options.batch_tokens)
        context = options.context_tokens or row.context_tokens or self._default_context(row)
        if not context:
            context = (row.prompt_tokens or 0.0) + conditions.generated_tokens
        gpus = float(row.gpu_count)
        cut = conditions.cut_matrices or "split tensor" in notes
        cut = cut or row.engine not in GGUF_ENGINES
        gpu_layers = 0.0 if backend == "cpu" else options.gpu_layers
        if gpu_layers is not None and gpu_layers > arch.layer_count:
            gpu_layers = None
        experts = options.cpu_moe_layers or 0.0
        if row.offload == "experts-on-cpu" and options.cpu_moe_layers is None:
            experts = arch.layer_count
        return Settings(
            engine=row.engine,
            backend=backend,
            format=row.quant or "",
            context_tokens=context,
            parallel=parallel,
            kv_unified=parallel > 1.0,
            kv_type_k=k_type,
            kv_type_v=v_type,
            ubatch_tokens=ubatch,
            outputs_max=_outputs(row, options, parallel, ubatch),
            flash_attention=row.flash_attention is not False,
            full_window_cache=row.engine == "ik_llama.cpp",
            kv_offload=options.kv_offload,
            gpus=gpus,
            split="tensor" if cut and gpus > 1.0 else "layer",
            gpu_layers=gpu_layers,
            cpu_moe_layers=arch.layer_count if options.all_experts_on_host else experts,
            vision=options.vision,
        )

    def _default_context(self, row: MeasurementRow) -> float | None:
        engine = self._catalog.engines.get(row.engine)
        if engine is None or row.gpu_id is None:
            return None
        capacity = self._catalog.device(row.gpu_id).capacity_bytes
        return None if capacity is None else engine.default_context(capacity)

    def _cache(self, case: _Case) -> float:
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

    def _weights(self, case: _Case) -> float:
        held = device_weights(self._file(case).weights, case.settings)
        limit = self._usable(case)
        if limit is not None and max(held) > limit:
            raise RowRefusedError("not said which tensors were left on the host")
        return self._of_device(case, held)

    def _compute(self, case: _Case) -> float:
        latent = any(group.kind == "latent" for group in case.arch.groups)
        if case.row.engine == "ik_llama.cpp" and (latent or case.settings.gpus > 1.0):
            raise RowRefusedError(
                "no profile of ik_llama.cpp's buffers for latent attention or several devices"
            )
        # Weights matter only where some of them are on the host.
        file = self._file(case, "" if case.row.quant else "Q4_K_M")
        buffers = compute_buffers(case.arch, case.settings, file.weights, self._rules.buffers)
        if case.settings.backend == "cpu":
            return buffers.host_bytes
        return self._of_device(
            case, [buffers.device_bytes for _ in range(round(case.settings.gpus))]
        )

    def _total(self, case: _Case) -> float:
        file = self._file(case)
        memory = self._memory(case, file)
        runtime = self._catalog.assumptions.sizing(case.settings.backend).runtime_bytes
        used = [held + runtime for held in memory.per_device_bytes]
        limit = self._usable(case)
        if limit is not None:
            used = [limit - FIT_MARGIN_BYTES if held > limit else held for held in used]
        return self._of_device(case, used)

    def _usable(self, case: _Case) -> float | None:
        if case.row.gpu_id is None or self._catalog.gpus[case.row.gpu_id].kind == "unified":
            return None
        return self._catalog.device(case.row.gpu_id).usable_bytes

    def _of_profile(self, case: _Case) -> float:
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

    def _checkpoint(self, case: _Case) -> WeightBytes:
        name = (case.row.quant or "").upper()
        recipe = load_checkpoint_recipes(self._catalog.data_dir).get(_CHECKPOINTS.get(name, name))
        if recipe is None:
            raise RowRefusedError(f"no recipe for checkpoints in {name or 'an unnamed format'}")
        weights = checkpoint_weights(case.arch, recipe)
        published = self._published_checkpoint(case, name)
        if published is None:
            return weights
        return scaled_weights(weights, published / weights.file_bytes)

    def _published_checkpoint(self, case: _Case, name: str) -> float | None:
        if case.row.weights_bytes is not None:
            return case.row.weights_bytes
        model = self._catalog.models[case.row.model_id or ""]
        own = [model.checkpoint] if model.checkpoint else []
        for checkpoint in [*own, *model.other_checkpoints]:
            if checkpoint.format.upper() == name and checkpoint.bytes is not None:
                return float(checkpoint.bytes)
        return None

    def _of_device(self, case: _Case, shares: list[float]) -> float:
        if case.row.per == "total":
            return sum(shares)
        if case.device is not None and case.device < len(shares):
            return shares[case.device]
        return max(shares)

    def _memory(self, case: _Case, file: ModelFile) -> Memory:
        return account(
            case.arch,
            file.weights,
            cache_bytes(case.arch, case.settings, self._rules.cache),
            case.settings,
            self._rules.buffers,
            file.weights_basis,
            file.vision_bytes if case.settings.vision else 0.0,
        )

    def _file(self, case: _Case, format_name: str = "") -> ModelFile:
        row = case.row
        wanted = format_name or row.quant
        if not wanted:
            raise RowRefusedError("the weight format is not stated")
        try:
            file = model_file(self._catalog, row.model_id or "", wanted)
        except FormatError as error:
            raise RowRefusedError(str(error)) from error
        stated = row.weights_bytes
        if stated is None or abs(stated / file.weights.file_bytes - 1.0) <= SAME_FILE_SHARE:
            return file
        return ModelFile(
            arch=file.arch,
            weights=scaled_weights(file.weights, stated / file.weights.file_bytes),
            weights_basis="published_file",
            file_bytes=stated,
            vision_bytes=file.vision_bytes,
        )


def _sequences(row: MeasurementRow, options: CommandOptions) -> float:
    """Slots: those stated, else those that llama-server opens by itself."""
    if options.parallel is not None:
        return options.parallel
    served = options.tool == "llama-server" or "server/endpoint run" in (row.notes or "")
    if row.engine == "llama.cpp" and served and (row.date or "") >= FOUR_SLOTS_SINCE:
        return max(row.batch or 1.0, 4.0)
    return max(row.batch or 1.0, 1.0)


def _outputs(row: MeasurementRow, options: CommandOptions, parallel: float, ubatch: float) -> float:
    """Rows of logits that are reserved: a whole micro-batch by benches and by older builds."""
    limited = row.engine == "llama.cpp" and (row.date or "") >= OUTPUTS_LIMITED_SINCE
    return parallel if limited and options.tool != "llama-bench" else ubatch


def _types(text: str) -> tuple[str, str]:
    parts = text.lower().replace("k=", "").replace("v=", "").split(",")
    names = [_CACHE_TYPES.get(name, name) for name in parts]
    if names[0] == "f32-recurrent":
        return "f16", "f16"
    return names[0], names[-1]
