"""The numbers that new pages would show, as a short table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.sizer import Sizer, SizerError

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.catalog.gpu_record import GpuRecord
    from vramsite.sizing.records import Estimate

GIB = 2.0**30
DEVICE_SIZES_GB = (12.0, 24.0, 80.0, 128.0)
MODEL_SIZES_B = (8.0, 32.0, 70.0, 120.0)


def model_numbers(catalog: Catalog, model_id: str) -> str:
    """A model on some devices of the catalog, at Q4_K_M and 8,192 tokens."""
    return _table(catalog, [(model_id, device) for device in some_devices(catalog)])


def device_numbers(catalog: Catalog, gpu_id: str) -> str:
    """A device with some models of the catalog, at Q4_K_M and 8,192 tokens."""
    return _table(catalog, [(model, gpu_id) for model in some_models(catalog)])


def some_devices(catalog: Catalog) -> list[str]:
    """The released device nearest to each of some memory sizes."""
    known = [
        gpu for gpu in catalog.gpus.values() if gpu.status == "released" and gpu.bandwidth_gb_s
    ]
    picked = [
        min(known, key=lambda gpu: _distance(gpu, size)).id for size in DEVICE_SIZES_GB if known
    ]
    return list(dict.fromkeys(picked))


def _distance(gpu: GpuRecord, size_gb: float) -> tuple[float, bool, int, str]:
    # Of devices of one size a common one: consumer cards first, the newest first.
    year = int((gpu.launched or "0")[:4])
    return abs(gpu.memory_gb - size_gb), gpu.kind not in ("consumer", "unified"), -year, gpu.id


def some_models(catalog: Catalog) -> list[str]:
    """The model nearest to each of some sizes."""
    known = list(catalog.models.values())
    picked = [
        min(known, key=lambda model: (abs(model.params_headline_b - size), model.id)).id
        for size in MODEL_SIZES_B
        if known
    ]
    return list(dict.fromkeys(picked))


def _table(catalog: Catalog, pairs: list[tuple[str, str]]) -> str:
    sizer = Sizer(catalog)
    lines = [f"{'model':32}{'device':28}{'GiB':>8}  {'verdict':10}{'tok/s':>8}{'TTFT s':>9}"]
    for model_id, gpu_id in pairs:
        try:
            answer = sizer.size(model_id, gpu_id, sizer.settings(model_id, gpu_id))
        except SizerError as error:
            lines.append(f"{model_id:32}{gpu_id:28}{error}")
            continue
        lines.append(
            f"{model_id[:31]:32}{gpu_id[:27]:28}{answer.memory.device_bytes / GIB:8.2f}  "
            f"{answer.fit.verdict:10}{_value(answer.decode_tps):>8}{_value(answer.ttft_s):>9}"
        )
    return "\n".join(lines)


def _value(estimate: Estimate) -> str:
    if estimate.value is None:
        return "-"
    return f"{estimate.value:.0f}" if estimate.value >= 100 else f"{estimate.value:.3g}"
