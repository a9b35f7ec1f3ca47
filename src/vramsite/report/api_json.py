"""What the files for machines say: models, devices and verdicts as objects with stable keys.

A key carries its unit; a value that is not known is null, never left out. Like the pages, every
verdict is for the default configuration: one llama.cpp user, Q4_K_M, 8K of context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.choices import page_settings, short_context

if TYPE_CHECKING:
    from vramsite.report.book import Book, PairSummary
    from vramsite.sizing.records import Size

VERDICT_KEYS = (
    "model",
    "device",
    "engine",
    "backend",
    "format",
    "context_tokens",
    "verdict",
    "needed_bytes",
    "usable_bytes",
    "device_bytes",
    "host_bytes",
    "gpus_needed",
    "weights_file_bytes",
    "decode_tps",
    "decode_low_tps",
    "decode_high_tps",
    "decode_basis",
    "prefill_4096_tps",
    "ttft_4096_s",
)
"""The keys of a verdict, in the order of the columns of verdicts.csv."""

SHARED_KEYS = frozenset({"engine", "format"})
"""Keys that a model's or device's own file leaves to its `configuration`."""


def default_size(book: Book, model_id: str, gpu_id: str) -> Size:
    """The answer that the page of the pair is about."""
    model, gpu = book.catalog.models[model_id], book.catalog.gpus[gpu_id]
    return book.sizes.size(
        model_id, gpu_id, page_settings(gpu, context_tokens=short_context(model))
    )


def verdict_json(summary: PairSummary) -> dict[str, object]:
    """One pair in a line, `VERDICT_KEYS` in their order."""
    decode = summary.decode
    return {
        "model": summary.model_id,
        "device": summary.gpu_id,
        "engine": summary.engine,
        "backend": summary.backend,
        "format": summary.format,
        "context_tokens": summary.context_tokens,
        "verdict": summary.verdict,
        "needed_bytes": summary.needed_bytes,
        "usable_bytes": summary.usable_bytes,
        "device_bytes": summary.device_bytes,
        "host_bytes": summary.host_bytes,
        "gpus_needed": summary.gpus_needed,
        "weights_file_bytes": summary.weights_file_bytes,
        "decode_tps": decode.value,
        "decode_low_tps": decode.low,
        "decode_high_tps": decode.high,
        "decode_basis": decode.basis,
        "prefill_4096_tps": summary.prefill_tps,
        "ttft_4096_s": summary.ttft_s,
    }


def model_json(book: Book, model_id: str) -> dict[str, object]:
    """A model's facts, and its verdict on every device. KeyError for an unknown id."""
    record, card = book.catalog.models[model_id], book.model_card(model_id)
    return {
        "id": record.id,
        "name": record.name,
        "vendor": record.vendor,
        "hf_repo": record.hf_repo,
        "gguf_repo": record.gguf_repo,
        "license": record.license,
        "released": card.released,
        "modality": record.modality,
        "context_max_tokens": record.context_max_tokens,
        "params_total": record.params_total,
        "params_headline_billions": record.params_headline_b,
        "params_active_billions": record.params_active_b,
        "density": card.density,
        "attention": card.attention,
        "layer_count": card.layer_count,
        "expert_count": card.expert_count,
        "experts_used": card.experts_used,
        "layers": [
            {
                "kind": layer.kind,
                "count": layer.count,
                "window_tokens": layer.window_tokens,
                "k_width_values": layer.k_width,
                "v_width_values": layer.v_width,
            }
            for layer in card.layers
        ],
        "files": [
            {
                "format": file.format,
                "bytes": file.bytes,
                "exact": file.exact,
                "repo": file.repo,
                "kind": file.kind,
            }
            for file in record.files
        ],
        "confidence": record.confidence,
        "sources": dict(sorted(record.sources.items())),
        "devices": [_short(book, model_id, gpu_id) for gpu_id in book.catalog.gpus],
    }


def device_json(book: Book, gpu_id: str) -> dict[str, object]:
    """A device's facts, and the verdict of every model on it. KeyError for an unknown id."""
    record, card = book.catalog.gpus[gpu_id], book.device_card(gpu_id)
    rates, street = record.tflops, record.street_usd
    return {
        "id": record.id,
        "name": record.name,
        "vendor": record.vendor,
        "kind": record.kind,
        "status": record.status,
        "family": record.family,
        "backends": list(record.backends),
        "memory_gb": record.memory_gb,
        "memory_type": record.memory_type,
        "capacity_bytes": card.capacity_bytes,
        "capacity_basis": book.catalog.device(gpu_id).capacity_basis,
        "process_limit_bytes": card.usable_bytes,
        "bandwidth_gb_s": record.bandwidth_gb_s,
        "fp16_tflops": rates.fp16,
        "bf16_tflops": rates.bf16,
        "fp8_tflops": rates.fp8,
        "int8_tops": rates.int8,
        "fp4_tflops": rates.fp4,
        "tdp_w": record.tdp_w,
        "interconnect": record.interconnect.type,
        "interconnect_gb_s": record.interconnect.gb_s,
        "pcie": record.pcie,
        "msrp_usd": record.msrp_usd,
        "street_low_usd": street.low if street else None,
        "street_high_usd": street.high if street else None,
        "street_condition": street.condition if street else None,
        "street_as_of": str(street.as_of) if street else None,
        "launched": str(record.launched) if record.launched else None,
        "sources": dict(sorted(record.sources.items())),
        "models": [_short(book, model_id, gpu_id) for model_id in book.catalog.models],
    }


def _short(book: Book, model_id: str, gpu_id: str) -> dict[str, object]:
    """A verdict without what is the same in the whole file."""
    line = verdict_json(book.summary(model_id, gpu_id))
    return {key: value for key, value in line.items() if key not in SHARED_KEYS}
