"""What the configurator needs to judge training runs: needs of a model, rates of a device."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.report.finetune_view import has_tool, training_peaks, training_work
from vramsite.report.training_table import method_table

if TYPE_CHECKING:
    from vramsite.report.book import Book


def model_training(book: Book, model_id: str) -> dict[str, Any] | None:
    """The table of a model, and each method's needs by devices; None without a tensor list."""
    table = method_table(book, model_id)
    if table is None:
        return None
    rules = load_finetune_rules(book.catalog.data_dir)
    rows = []
    for row in table.rows:
        rows.append(
            {
                "name": row.name,
                "total_bytes": row.total_bytes,
                "weights_bytes": row.weights_bytes,
                "training_bytes": row.training_bytes,
                "activation_bytes": row.activation_bytes,
                "recommended": [
                    {
                        "devices": found.devices,
                        "device": {"id": found.device.id, "name": found.device.name},
                    }
                    for found in row.recommended
                ],
                "method": rules.methods[row.name].method,
                "work": training_work(book, model_id, row.name),
                "peaks": [asdict(peak) for peak in training_peaks(book, model_id, row.name)],
            }
        )
    return {
        "rows": rows,
        "sequence_tokens": table.sequence_tokens,
        "rank": table.rank,
        "judged": table.judged,
        "median_error": table.median_error,
        "experts_bytes": table.experts_bytes,
    }


def device_training(book: Book, gpu_id: str) -> dict[str, Any]:
    """Whether tools run on a device, and which shares of its matrix rate published runs reach."""
    rules = load_finetune_rules(book.catalog.data_dir)
    known = rules.calibration.throughput.get(book.catalog.gpus[gpu_id].family, {})
    return {
        "tool": has_tool(book, gpu_id),
        "rates": {method: [rate.low, rate.high] for method, rate in known.items()},
    }
