"""A published memory figure as the engine sees it: architecture, settings, and which device.

What a row leaves open is taken as its engine does by default at the time of the row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.catalog.architectures.keys import ArchitectureError
from vramsite.evidence.accounting import RowRefusedError
from vramsite.evidence.command_options import CommandOptions, read_options
from vramsite.evidence.conditions import read_conditions
from vramsite.evidence.row_weights import GGUF_ENGINES
from vramsite.sizing.records import Architecture, Settings

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow

# llama-server reserves one row of logits a sequence: ggml-org/llama.cpp pull request 23861.
OUTPUTS_LIMITED_SINCE = "2026-06"
# It opens four slots by itself: ggml-org/llama.cpp pull requests 16736 and 17997.
FOUR_SLOTS_SINCE = "2025-12"
MOST_DEVICES = 1024
# Cache types as rows write them, where the engine calls them otherwise.
_CACHE_TYPES = {"q8": "q8_0", "q4": "q4_0", "auto": "f16", "": "f16", "fp16": "f16"}
_DEVICE = re.compile(r"CUDA(\d+) ")


@dataclass(frozen=True, slots=True)
class MemoryCase:
    """One row with what is needed to predict it."""

    row: MeasurementRow
    arch: Architecture
    settings: Settings
    notes: str
    device: int | None  # the one that the figure is of, where the note names it


def read_case(catalog: Catalog, row: MeasurementRow) -> MemoryCase:
    """Raises RowRefusedError where the catalog lacks the model or the device."""
    if row.model_id is None or row.model_id not in catalog.models:
        raise RowRefusedError(f"model {row.model_id or row.model_name} is not in the catalog")
    if row.gpu_id is not None and row.gpu_id not in catalog.gpus:
        raise RowRefusedError(f"device {row.gpu_id} is not in the catalog")
    if row.gpu_count > MOST_DEVICES:
        raise RowRefusedError(f"{row.gpu_count} devices are more than {MOST_DEVICES}")
    notes = row.notes or ""
    found = _DEVICE.search(notes)
    options = read_options(notes)
    if options.cut:
        raise RowRefusedError("the command is cut off within an option that memory depends on")
    try:
        arch = catalog.architecture(row.model_id)
    except ArchitectureError as error:
        raise RowRefusedError(f"{row.model_id}: {error}") from error
    return MemoryCase(
        row=row,
        arch=arch,
        settings=_settings(catalog, row, arch, notes, options),
        notes=notes,
        device=int(found.group(1)) if found else None,
    )


def _settings(
    catalog: Catalog,
    row: MeasurementRow,
    arch: Architecture,
    notes: str,
    options: CommandOptions,
) -> Settings:
    conditions = read_conditions(notes)
    backend = row.backend
    if backend is None:
        gpu = catalog.gpus.get(row.gpu_id or "")
        backend = gpu.backends[0] if gpu else "cuda"
    k_type, v_type = _types(row.kv_type or "")
    parallel = _sequences(row, options)
    ubatch = options.ubatch_tokens or conditions.ubatch_tokens or 512.0
    if options.batch_tokens is not None:
        ubatch = min(ubatch, options.batch_tokens)
    context = options.context_tokens or row.context_tokens or _default_context(catalog, row)
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


def _default_context(catalog: Catalog, row: MeasurementRow) -> float | None:
    engine = catalog.engines.get(row.engine)
    if engine is None or row.gpu_id is None:
        return None
    capacity = catalog.device(row.gpu_id).capacity_bytes
    return None if capacity is None else engine.default_context(capacity)


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
