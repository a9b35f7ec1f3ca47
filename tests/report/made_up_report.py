"""Two made-up models, four made-up devices and a sizer of plain arithmetic, for report tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from types import SimpleNamespace
from typing import Any

from vramsite.catalog.gpu_record import GpuRecord
from vramsite.catalog.model_record import ModelRecord
from vramsite.catalog.quant_quality import QualityRow
from vramsite.report.book import Book
from vramsite.report.measured import Measured, MeasuredRow
from vramsite.report.nearest import Nearest, NearRow
from vramsite.sizing.brief import Brief
from vramsite.sizing.records import (
    Architecture,
    Assumptions,
    Device,
    Estimate,
    Fit,
    LayerGroup,
    Memory,
    Settings,
    Size,
    Term,
)

GIB = 2.0**30
BITS = {
    "BF16": 16.0,
    "Q8_0": 8.5,
    "Q6_K": 6.6,
    "Q5_K_M": 5.7,
    "Q4_K_M": 4.8,
    "IQ4_XS": 4.3,
    "Q3_K_M": 3.9,
    "Q2_K": 3.0,
}


def model(model_id: str, **changes: Any) -> ModelRecord:
    facts: dict[str, Any] = {
        "id": model_id,
        "vendor_slug": "acme",
        "vendor": "Acme",
        "name": f"Acme {model_id}",
        "hf_repo": f"acme/{model_id}",
        "gguf_repo": f"acme/{model_id}-GGUF",
        "license": "MIT",
        "released": "2026-05",
        "context_max_tokens": 131072,
        "modality": "text",
        "model_type": "acme",
        "gguf_arch": "acme",
        "params_total": 8_000_000_000,
        "params_headline_b": 8.0,
        "params_active_b": 8.0,
        "checkpoint": {"format": "bf16", "bytes": 16_000_000_000, "exact": True},
        "files": [{"format": "Q4_K_M", "bytes": 4_800_000_000, "exact": True}],
        "confidence": "exact",
        "sources": {"config": "made up"},
        "config": {},
    }
    return ModelRecord.model_validate(facts | changes)


def gpu(gpu_id: str, memory_gb: float, price: float | None, **changes: Any) -> GpuRecord:
    facts: dict[str, Any] = {
        "id": gpu_id,
        "vendor_slug": "acme",
        "vendor": "Acme",
        "name": f"Card {gpu_id}",
        "kind": "consumer",
        "family": "acme-one",
        "backends": ["cuda"],
        "memory_gb": memory_gb,
        "memory_mib_reported": int(memory_gb * 1024),
        "bandwidth_gb_s": 500.0,
        "tflops": {"fp16": 50.0},
        "interconnect": {"type": "PCIe only"},
        "msrp_usd": price,
        "sources": {"memory": "made up"},
    }
    return GpuRecord.model_validate(facts | changes)


def architecture(*, experts: float = 0.0) -> Architecture:
    group = LayerGroup(kind="full", count=32.0, k_width=1024.0, v_width=1024.0)
    return Architecture(
        model_type="acme",
        gguf_arch="acme",
        embedding_width=4096.0,
        vocabulary=128000.0,
        layer_count=32.0,
        context_max_tokens=131072.0,
        tied_embeddings=False,
        attention_heads=32.0,
        dense_ffn_width=14336.0,
        expert_count=experts,
        experts_used=experts / 8.0,
        expert_ffn_width=1024.0 if experts else 0.0,
        shared_expert_ffn_width=0.0,
        groups=[group],
        layer_order=[0.0] * 32,
        tensors=[],
    )


@dataclass
class MadeUpCatalog:
    models: dict[str, ModelRecord]
    gpus: dict[str, GpuRecord]
    architectures: dict[str, Architecture]
    engines: dict[str, Any] = field(default_factory=dict)
    offers: list[Any] = field(default_factory=list)
    assumptions: Any = field(default_factory=lambda: SimpleNamespace(money=None))
    formats: dict[str, Any] = field(
        default_factory=lambda: {
            name: SimpleNamespace(nominal_bits=bits) for name, bits in BITS.items()
        }
    )

    def architecture(self, model_id: str) -> Architecture:
        return self.architectures[model_id]

    def device(self, gpu_id: str) -> Device:
        record = self.gpus[gpu_id]
        capacity = (record.memory_mib_reported or 0) * 2.0**20
        return Device(
            kind=record.kind,
            vendor=record.vendor,
            family=record.family,
            capacity_bytes=capacity,
            usable_bytes=capacity * 0.9 if record.kind == "unified" else capacity,
            bandwidth_bytes_per_s=(record.bandwidth_gb_s or 0.0) * 1e9,
            fp16_flops=50e12,
            bf16_flops=50e12,
            fp8_flops=None,
            int8_ops=None,
            fp4_flops=None,
            link_bytes_per_s=None,
            host_link_bytes_per_s=None,
            power_w=None,
        )


def line(name: str, bytes_: float, host: float, basis: str) -> Term:
    return Term(
        name=name,
        device_bytes=bytes_,
        host_bytes=host,
        device_low_bytes=bytes_,
        device_high_bytes=bytes_,
        basis=basis,
    )


class MadeUpSizes:
    """Weights = parameters x bits / 8, cache = 4 KiB a layer and token, no runtime use."""

    def __init__(self, catalog: MadeUpCatalog) -> None:
        self.catalog = catalog
        self.calls = 0

    def load(self, model_id: str, settings: Settings) -> MadeUpWhole:
        """As on a device that holds anything."""
        weights, kv = self._needs(model_id, settings)
        terms = [
            line("weights", weights, 0.0, "exact_tensors"),
            line("kv_cache", kv, 0.0, "engine_formula"),
            line("compute_buffer", 0.5 * GIB, 0.0, "engine_formula"),
        ]
        total = weights + kv + 0.5 * GIB
        return MadeUpWhole(
            Memory(
                terms=terms,
                device_bytes=total,
                device_low_bytes=total,
                device_high_bytes=total,
                host_bytes=0.0,
                per_device_bytes=[total],
            )
        )

    def whole_speed(self, model_id: str, gpu_id: str, settings: Settings) -> Estimate:
        return self.size(model_id, gpu_id, settings).decode_tps

    def _needs(self, model_id: str, settings: Settings) -> tuple[float, float]:
        record = self.catalog.models[model_id]
        weights = float(record.params_total or 0) * BITS[settings.format] / 8.0
        kv = settings.context_tokens * 32.0 * 4096.0
        return weights, kv * 34.0 / 64.0 if settings.kv_type_k == "q8_0" else kv

    def size(self, model_id: str, gpu_id: str, settings: Settings) -> Size:
        self.calls += 1
        record = self.catalog.models[model_id]
        device = self.catalog.device(gpu_id)
        usable = device.usable_bytes or 0.0
        weights, kv = self._needs(model_id, settings)
        whole = weights + kv + 0.5 * GIB
        moved = max(0.0, whole - usable)
        verdict = "unified" if device.kind == "unified" else "fits"
        if usable - whole < 0.08 * usable:
            verdict = "tight"
        if moved > 0:
            verdict = "offload" if moved < 64 * GIB else "exceeds"
        on_device = weights - moved

        terms = [
            line("weights", on_device, moved, "exact_tensors"),
            line("kv_cache", kv, 0.0, "engine_formula"),
            line("compute_buffer", 0.5 * GIB, 0.0, "engine_formula"),
        ]
        speed = 500e9 / weights / (20.0 if moved else 1.0)
        decode = Estimate(
            value=speed, low=speed * 0.8, high=speed * 1.2, basis="device", device_measurements=3.0
        )
        return Size(
            settings=settings,
            memory=Memory(
                terms=terms,
                device_bytes=whole - moved,
                device_low_bytes=whole - moved,
                device_high_bytes=whole - moved,
                host_bytes=moved,
                per_device_bytes=[whole - moved],
            ),
            fit=Fit(
                verdict=verdict,
                usable_bytes=usable,
                runtime_bytes=0.0,
                reserve_bytes=usable - whole + moved,
                utilization=(whole - moved) / usable,
                offloaded_bytes=moved,
                gpu_layers=20.0 if moved else 33.0,
                cpu_moe_layers=0.0,
                host_ram_bytes=moved,
                gpus_needed=float(int(whole / usable) + 1),
                needed_bytes=whole,
            ),
            decode_tps=decode,
            decode_total_tps=decode,
            prefill_tps=Estimate(value=2000.0, low=1500.0, high=2500.0, basis="family"),
            ttft_s=Estimate(value=2.05, low=1.6, high=2.7, basis="family"),
            ttft_short_s=Estimate(value=0.26, low=0.2, high=0.34, basis="family"),
            ttft_full_s=Estimate(value=16.4, low=12.8, high=21.6, basis="family"),
            weights_file_bytes=weights,
            active_bytes_per_token=weights / (8.0 if record.params_active_b < 8 else 1.0),
        )

    def brief(self, model_id: str, gpu_id: str, settings: Settings) -> Brief:
        found = self.size(model_id, gpu_id, settings)
        return Brief(
            verdict=found.fit.verdict,
            needed_bytes=found.fit.needed_bytes,
            usable_bytes=found.fit.usable_bytes,
            memory=found.memory,
            decode_tps=found.decode_tps,
            weights_file_bytes=found.weights_file_bytes,
        )


class MadeUpWhole:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory


class MadeUpBook(Book):
    """A book that assumes 8 % reserve, 64 GiB of RAM at 60 GB/s."""

    def measured(self, gpu_id: str) -> Measured:
        row = MeasuredRow(
            model_id="small-8b",
            model_name="Acme small-8b",
            format="Q4_K_M",
            engine="llama.cpp",
            context_tokens=0.0,
            decode_tps=101.5,
            url="https://example.org/run",
            host="example.org",
            date="2026-07",
        )
        return Measured([row], 3) if gpu_id == "mid-12gb" else Measured([], 0)

    def nearest(self, model_id: str, gpu_id: str) -> Nearest:
        row = NearRow(
            model_id="small-8b",
            gpu_id="mid-12gb",
            other="",
            format="Q4_K_M",
            engine="llama.cpp",
            backend="vulkan",
            context_tokens=0.0,
            decode_tps=101.5,
            prompt_tps=2100.0,
            url="https://example.org/run",
            host="example.org",
            date="2026-07",
        )
        own = (model_id, gpu_id) == ("small-8b", "mid-12gb")
        return Nearest([row], 1) if own else Nearest([], 0)

    def quality_rows(self) -> list[QualityRow]:
        seen = {"source": "https://example.org/study", "as_of": date(2026, 3, 1)}
        return [
            QualityRow(model="Acme-7B", format=name, dataset="a text", ppl_ratio=ratio, **seen)
            for name, ratio in (("Q8_0", 1.0), ("Q6_K", 1.004), ("Q4_K_M", 1.02), ("Q2_K", 1.25))
        ]

    def assumptions(self, gpu_id: str, backend: str | None = None) -> Assumptions:
        return Assumptions(
            runtime_bytes=0.0,
            runtime_low_bytes=0.0,
            runtime_high_bytes=0.0,
            display_bytes=0.0,
            tight_fraction=0.08,
            host_ram_bytes=64 * GIB,
            ram_bandwidth_bytes_per_s=60e9,
        )


def made_up_book() -> MadeUpBook:
    models = {
        "small-8b": model("small-8b"),
        "sparse-30b": model(
            "sparse-30b", params_total=30_000_000_000, params_headline_b=30.0, params_active_b=3.0
        ),
    }
    gpus = {
        "big-48gb": gpu("big-48gb", 48.0, 4000.0),
        "mid-12gb": gpu("mid-12gb", 12.0, 400.0),
        "shared-64gb": gpu("shared-64gb", 64.0, 2000.0, kind="unified", backends=["metal"]),
        "soon-96gb": gpu("soon-96gb", 96.0, 100.0, status="announced"),
    }
    catalog = MadeUpCatalog(
        models,
        gpus,
        {"small-8b": architecture(), "sparse-30b": architecture(experts=64.0)},
    )
    return MadeUpBook(catalog, MadeUpSizes(catalog))  # type: ignore[arg-type]
