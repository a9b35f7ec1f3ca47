"""`vramsite add-measurement`: the figures of a benchmark's output as rows of data/measurements/."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.faults import shortened, visible
from vramsite.catalog.measurement_row import COLUMNS
from vramsite.catalog.measurements import read_row
from vramsite.contribute.gguf_facts import format_of
from vramsite.contribute.llama_bench import read_llama_bench
from vramsite.contribute.measured import Measured, MeasurementError, Output
from vramsite.contribute.plausible import Run, objection
from vramsite.contribute.server_log import device_count, read_server_log
from vramsite.contribute.vllm_bench import read_vllm_bench
from vramsite.report.sizer import Sizer

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

MOST_BYTES = 32 * 2**20
FILES = {
    "decode_tps": "decode.csv",
    "prefill_tps": "prefill.csv",
    "ttft_ms": "time_to_first_token.csv",
    "total_vram_mib": "memory.csv",
    "kv_mib": "memory.csv",
    "compute_mib": "memory.csv",
    "weights_mib": "memory.csv",
}
# Two rows that agree in all of these are one measurement.
_IDENTITY = (
    "model_id",
    "quant",
    "gpu_id",
    "gpu_count",
    "engine",
    "engine_version",
    "context_tokens",
    "prompt_tokens",
    "batch",
    "kv_type",
    "metric",
    "value",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the contributor states beside the output."""

    model_id: str
    gpu_id: str
    source: str
    gpu_count: int | None = None
    quant: str | None = None
    engine_version: str | None = None
    backend: str | None = None
    context_tokens: float | None = None
    kv_type: str | None = None
    offload: str | None = None
    speculative: bool = False
    power_limit_w: float | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class AddedRows:
    """Rows to write by file, and what was refused or left out, each with the reason."""

    kind: str
    rows: dict[str, list[dict[str, str]]]
    refused: list[str]
    left_out: list[str]


def read_output(path: Path) -> tuple[Output, str]:
    """The figures of a file of any known kind, and its text. Raises MeasurementError."""
    try:
        if not path.is_file():
            raise MeasurementError(f"{path}: no such file")
        if path.stat().st_size > MOST_BYTES:
            raise MeasurementError(f"{path}: bigger than {MOST_BYTES} bytes; cut it down")
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise MeasurementError(f"{path}: {error.strerror}") from error
    for read in (read_llama_bench, read_vllm_bench, read_server_log):
        try:
            found = read(text)
        except MeasurementError as error:
            raise MeasurementError(f"{path}: {shortened(visible(str(error)), 400)}") from error
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise MeasurementError(f"{path}: is garbled: {_garbled(error)}") from error
        except csv.Error as error:
            raise MeasurementError(f"{path}: is garbled: {error}") from error
        if found is not None:
            return found, text
    raise MeasurementError(
        f"{path}: is none of llama-bench output (md, csv, json, jsonl), a llama.cpp log with the "
        "memory breakdown, or the result of `vllm bench serve --save-result`"
    )


def _garbled(error: Exception) -> str:
    return shortened(visible(str(error)), 200) or type(error).__name__


def measured_rows(catalog: Catalog, path: Path, stated: Stated, today: date) -> AddedRows:
    """The rows of an output. Raises MeasurementError where nothing can be taken."""
    sizer = Sizer(catalog)
    for given, known, what in (
        (stated.model_id, set(catalog.models), "model"),
        (stated.gpu_id, set(catalog.gpus), "device"),
    ):
        if given not in known:
            near = get_close_matches(given.lower(), known, 3, 0.5)
            hint = f"did you mean {', '.join(near)}?" if near else "add it first"
            raise MeasurementError(f"no {what} {given!r} in the catalog; {hint}")
    output, text = read_output(path)
    count = stated.gpu_count or max(1, device_count(text))
    known_rows, highest = _known(catalog.data_dir)
    rows: dict[str, list[dict[str, str]]] = {}
    refused, left_out = [], list(output.left_out)
    for figure in output.figures:
        figure = _with_stated(catalog, figure, stated, today)
        label = f"{figure.metric} {figure.value:g} ({figure.notes})"
        if figure.quant is None:
            refused.append(f"{label}: the weight format is not stated; give --quant")
            continue
        if figure.quant not in catalog.formats:
            refused.append(f"{label}: no format {figure.quant} in data/quants.yaml; give --quant")
            continue
        if figure.metric.endswith("_mib") and figure.context_tokens is None:
            refused.append(f"{label}: the context is not stated; give --context")
            continue
        run = Run(
            model_id=stated.model_id,
            gpu_id=stated.gpu_id,
            gpu_count=count,
            quant=figure.quant,
            offload=_offload(catalog, stated, figure),
            speculative=stated.speculative,
        )
        reason = objection(sizer, run, figure)
        if reason is not None:
            refused.append(f"{label}: {reason}")
            continue
        cells = _cells(catalog, figure, stated, run, f"m{highest + 1:04d}")
        double = known_rows.get(tuple(cells[name] for name in _IDENTITY))
        if double is not None:
            refused.append(f"{label}: is there already, as {double}")
            continue
        _, faults = read_row(cells)
        if faults:
            refused.append(f"{label}: {'; '.join(f'{name} {why}' for name, why in faults)}")
            continue
        highest += 1
        known_rows[tuple(cells[name] for name in _IDENTITY)] = cells["id"]
        rows.setdefault(FILES[figure.metric], []).append(cells)
    return AddedRows(output.kind, rows, refused, left_out)


def write_rows(data_dir: Path, added: AddedRows) -> list[Path]:
    """Append the rows to their files, and bring the counts in README.md up to date."""
    written = []
    for name, rows in added.rows.items():
        path = data_dir / "measurements" / name
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([row[column] for column in COLUMNS] for row in rows)
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(stream.getvalue())
        written.append(path)
    update_counts(data_dir / "measurements")
    return written


def update_counts(folder: Path) -> None:
    """The number of rows of each CSV file, in the table of README.md."""
    readme = folder / "README.md"
    if not readme.is_file():
        return
    text = before = readme.read_text(encoding="utf-8")
    for path in folder.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            count = sum(1 for _ in csv.reader(file)) - 1
        text = re.sub(rf"(\| `{re.escape(path.name)}` \| )[\d,]+( \|)", rf"\g<1>{count:,}\2", text)
    if text != before:
        readme.write_text(text, encoding="utf-8", newline="\n")


def _known(data_dir: Path) -> tuple[dict[tuple[str, ...], str], int]:
    rows: dict[tuple[str, ...], str] = {}
    highest = 0
    for path in sorted((data_dir / "measurements").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for cells in csv.DictReader(file):
                rows[tuple(cells[name] for name in _IDENTITY)] = cells["id"]
                match = re.fullmatch(r"m(\d+)", cells["id"])
                highest = max(highest, int(match[1]) if match else 0)
    return rows, highest


def _with_stated(catalog: Catalog, figure: Measured, stated: Stated, today: date) -> Measured:
    named = format_of((figure.quant_published or "").split("/")[-1], catalog.formats)
    context = figure.context_tokens if figure.context_tokens is not None else stated.context_tokens
    backends = catalog.gpus[stated.gpu_id].backends
    return replace(
        figure,
        quant=stated.quant or named or figure.quant,
        backend=stated.backend or figure.backend or (backends[0] if backends else None),
        engine_version=stated.engine_version or figure.engine_version,
        context_tokens=context,
        kv_type=stated.kv_type or figure.kv_type,
        date=stated.date or figure.date or today.isoformat(),
    )


def _offload(catalog: Catalog, stated: Stated, figure: Measured) -> str:
    if stated.offload is not None:
        return stated.offload
    layers = catalog.architecture(stated.model_id).layer_count
    if figure.cpu_moe_layers:
        return "experts-on-cpu"
    if figure.gpu_layers is not None and 0 <= figure.gpu_layers < layers:
        return "partial" if figure.gpu_layers > 0 else "cpu"
    return "none"


def _cells(
    catalog: Catalog, figure: Measured, stated: Stated, run: Run, row_id: str
) -> dict[str, str]:
    model, gpu = catalog.models[stated.model_id], catalog.gpus[stated.gpu_id]
    params = model.params_total / 1e9 if model.params_total else model.params_headline_b
    weights = figure.weights_bytes
    counted = figure.params_total or params * 1e9
    values: dict[str, object] = {
        "id": row_id,
        "model_id": model.id,
        "same_shape": 0,
        "model_name": model.name,
        "params_total_b": round(params, 2),
        "params_active_b": model.params_active_b,
        "quant": figure.quant,
        "quant_published": figure.quant_published,
        "bits_per_weight": round(weights * 8 / counted, 3) if weights else None,
        "weights_bytes": round(weights) if weights else None,
        "gpu_id": gpu.id,
        "gpu_name": figure.gpu_name or gpu.name,
        "gpu_count": run.gpu_count,
        "engine": figure.engine,
        "backend": figure.backend,
        "engine_version": figure.engine_version,
        "context_tokens": figure.context_tokens,
        "prompt_tokens": figure.prompt_tokens,
        "batch": figure.batch,
        "kv_type": figure.kv_type,
        "flash_attention": None if figure.flash_attention is None else int(figure.flash_attention),
        "offload": run.offload,
        "speculative": int(stated.speculative),
        "power_limit_w": stated.power_limit_w,
        "metric": figure.metric,
        "value": figure.value,
        "per": figure.per,
        "usable": int(figure.usable),
        "unusable_reason": figure.unusable_reason,
        "source": stated.source,
        "date": figure.date,
        "notes": figure.notes,
    }
    return {name: _cell(values[name]) for name in COLUMNS}


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}" if value != int(value) else str(int(value))
    return visible(" ".join(str(value).split()))
