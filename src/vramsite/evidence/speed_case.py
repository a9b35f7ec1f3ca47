"""A published speed as the engine sees it: one case to predict, or the reason why not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from vramsite.catalog import Catalog, MeasurementRow
from vramsite.catalog.buffer_rules import load_cache_rules
from vramsite.catalog.calibration import speed_groups
from vramsite.catalog.calibration_groups import SpeedGroups
from vramsite.catalog.device import sizing_device
from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.speed_model import load_speed_model
from vramsite.evidence.conditions import Conditions, read_conditions
from vramsite.evidence.outside_catalog import OutsideCatalog
from vramsite.evidence.row_weights import GGUF_ENGINES, WeightSource
from vramsite.sizing.model_work import ModelWork, model_work
from vramsite.sizing.records import Architecture, Device, Settings

SPEED_METRICS = ("decode_tps", "prefill_tps", "ttft_ms")
# Cache types as rows write them -> as the engine names them, where they differ.
_CACHE_TYPES = {"q8": "q8_0", "fp8": "q8_0", "auto": "f16", "": "f16", "q4": "q4_0"}


@dataclass(frozen=True, slots=True)
class SpeedCase:
    """One row with everything needed to predict it."""

    row: MeasurementRow
    gpu: GpuRecord
    arch: Architecture
    device: Device
    work: ModelWork
    settings: Settings
    groups: SpeedGroups
    conditions: Conditions
    sequences: float
    depth_tokens: float  # in each sequence's cache, on average over the measured tokens
    prompt_tokens: float  # of the prompt that is processed or that the rate includes
    ram_bytes_per_s: float

    @property
    def kind(self) -> str:
        """Which interval applies: offload, several, batch or single."""
        if self.work.host_layers > 0.0:
            return "offload"
        if self.settings.gpus > 1.0:
            return "several"
        return "batch" if self.sequences > 1.0 else "single"


class CaseRefusedError(Exception):
    """The row cannot be predicted; the message says why."""


class CaseReader:
    """Turns measurement rows into cases."""

    def __init__(
        self, catalog: Catalog, data_dir: Path, outside: OutsideCatalog | None = None
    ) -> None:
        self.catalog = catalog
        self._outside = outside
        self.model = load_speed_model(data_dir)
        self.rules = load_cache_rules(data_dir)
        self._weights = WeightSource(data_dir, self.model.dense_floor_bits)
        self._cache_types = {entry.name for entry in self.rules.types}

    def read(self, row: MeasurementRow) -> SpeedCase:
        """Raises CaseRefusedError."""
        arch = self._architecture(row)
        gpu, device = self._device(row)
        if device.bandwidth_bytes_per_s is None:
            raise CaseRefusedError("the device's bandwidth is not known")
        conditions = read_conditions(row.notes or "")
        settings = self._settings(row, gpu, conditions)
        weights = self._weights.find(row.model_id or row.model_name, arch, row)
        if weights is None:
            raise CaseRefusedError("neither format nor bits a weight are stated")
        settings = _offloaded(settings, row, arch, device, weights.weights.file_bytes)
        work = model_work(
            arch, weights.weights, settings, weights.dense_scale, weights.routed_scale
        )
        context = row.context_tokens or 0.0
        prompt = row.prompt_tokens or context
        depth = context
        if row.metric == "decode_tps":
            depth = context + conditions.generated_tokens / 2.0
        elif row.metric == "ttft_ms":
            depth = 0.0
        return SpeedCase(
            row=row,
            gpu=gpu,
            arch=arch,
            device=device,
            work=work,
            settings=settings,
            groups=speed_groups(self.model, gpu, settings, arch, row.power_limit_w, row.date),
            conditions=conditions,
            sequences=max(row.batch or 1.0, 1.0),
            depth_tokens=depth,
            prompt_tokens=prompt,
            ram_bytes_per_s=self._ram_bytes_per_s(settings, work),
        )

    def _architecture(self, row: MeasurementRow) -> Architecture:
        if row.model_id in self.catalog.models:
            return self.catalog.architecture(row.model_id)
        if self._outside is not None and row.model_name in self._outside.architectures:
            return self._outside.architectures[row.model_name]
        raise CaseRefusedError(f"model {row.model_id or row.model_name} is not in the catalog")

    def _device(self, row: MeasurementRow) -> tuple[GpuRecord, Device]:
        if row.gpu_id in self.catalog.gpus:
            return self.catalog.gpus[row.gpu_id], self.catalog.device(row.gpu_id)
        if self._outside is not None and row.gpu_name in self._outside.gpus:
            gpu = self._outside.gpus[row.gpu_name]
            return gpu, sizing_device(gpu)
        raise CaseRefusedError(f"device {row.gpu_id or row.gpu_name} is not in the catalog")

    def _ram_bytes_per_s(self, settings: Settings, work: ModelWork) -> float:
        """Rows do not state the host's memory; a desktop's is assumed while the weights fit it."""
        rule = self.model.hosts
        on_host = (work.host_dense_bytes + work.host_routed_bytes) / 1e9
        platform = None if on_host <= rule.desktop_gb else rule.server_platform
        found = self.catalog.assumptions.sizing(settings.backend, ram_platform=platform)
        return found.ram_bandwidth_bytes_per_s

    def _settings(self, row: MeasurementRow, gpu: GpuRecord, conditions: Conditions) -> Settings:
        k_type, v_type = self._types(row.kv_type or "")
        tensor = row.engine not in GGUF_ENGINES or conditions.cut_matrices
        gpus = float(row.gpu_count)
        return Settings(
            engine=_engine(row),
            backend=row.backend or gpu.backends[0],
            format=row.quant or "",
            kv_type_k=k_type,
            kv_type_v=v_type,
            ubatch_tokens=conditions.ubatch_tokens or 512.0,
            flash_attention=row.flash_attention is not False,
            gpus=gpus,
            split="tensor" if tensor and gpus > 1.0 else "layer",
        )

    def _types(self, text: str) -> tuple[str, str]:
        both = text.lower().replace("k=", "").replace("v=", "").split(",")
        names = [_CACHE_TYPES.get(name, name) for name in both]
        known = [name if name in self._cache_types else "f16" for name in names]
        return known[0], known[-1]


def _engine(row: MeasurementRow) -> str:
    """The program that ran: rows of MLX are of MLX LM or of MLX VLM, as their version says."""
    if row.engine == "mlx" and (row.engine_version or "").startswith("mlx-vlm"):
        return "mlx-vlm"
    return row.engine


def _offloaded(
    settings: Settings, row: MeasurementRow, arch: Architecture, device: Device, file_bytes: float
) -> Settings:
    """The placement of an offload row: all experts on the host, or as much as does not fit."""
    if row.offload == "experts-on-cpu":
        return replace(settings, cpu_moe_layers=arch.layer_count)
    if row.offload == "cpu":
        return replace(settings, gpu_layers=0.0)
    if row.offload == "partial" and device.usable_bytes is not None:
        room = device.usable_bytes * settings.gpus * 0.85
        share = max(1.0 - room / file_bytes, 0.0)
        if arch.expert_count > 0.0:
            return replace(settings, cpu_moe_layers=max(round(arch.layer_count * share), 1.0))
        return replace(settings, gpu_layers=max(round(arch.layer_count * (1.0 - share)), 0.0))
    return settings
