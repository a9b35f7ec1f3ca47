"""Reads the output of llama-bench: Markdown tables, CSV, JSON and JSON lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from typing import Any

from vramsite.contribute.measured import Measured, MeasurementError, Output

_TEST = re.compile(r"^(pp|tg)(\d+)(?:\s*@\s*d(\d+))?$")
_BUILD = re.compile(r"^build:\s*([0-9a-f]+)\s*\((\d+)\)", re.MULTILINE)
_UNITS = {"KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40}
_PARAMETERS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_BACKENDS = {
    "cuda": "cuda",
    "rocm": "rocm",
    "hip": "rocm",
    "vulkan": "vulkan",
    "metal": "metal",
    "mtl": "metal",
    "sycl": "sycl",
    "cann": "cann",
    "musa": "musa",
    "blas": None,
    "cpu": None,
    "rpc": None,
}
# How llama.cpp prints a file type -> the name of the format.
_SIZES = {"small": "S", "medium": "M", "large": "L"}


def read_llama_bench(text: str) -> Output | None:
    """The figures, None where the text is no output of llama-bench."""
    stripped = text.lstrip()
    if stripped.startswith(("[", "{")):
        return _records(_json(stripped))
    first = stripped.split("\n", 1)[0]
    if "avg_ts" in first and "n_gen" in first:
        return _records(list(csv.DictReader(io.StringIO(stripped))))
    if re.search(r"^\|\s*model\s*\|.*\|\s*t/s\s*\|", text, re.MULTILINE):
        return _markdown(text)
    return None


def format_name(printed: str) -> str | None:
    """`Q4_K - Medium` as Q4_K_M, `IQ4_XS - 4.25 bpw` as IQ4_XS, `MXFP4 MoE` as MXFP4."""
    match = re.search(
        r"((?:IQ|TQ|Q|MXFP|NVFP|BF|F)\d\w*)(?:\s*-\s*(Small|Medium|Large)\b)?", printed
    )
    if match is None:
        return None
    ending = _SIZES.get((match[2] or "").lower(), "")
    return f"{match[1]}_{ending}" if ending else match[1]


def backend_name(printed: str) -> str | None:
    """`CUDA`, `Metal,BLAS`, `ROCm` as the catalog names them."""
    for part in re.split(r"[,+ ]", printed.lower()):
        found = _BACKENDS.get(re.sub(r"\d+$", "", part))
        if found:
            return found
    return None


def _json(text: str) -> list[dict[str, Any]] | None:
    try:
        found = json.loads(text)
    except ValueError:
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return None
    rows = found if isinstance(found, list) else [found]
    good = rows and all(isinstance(row, dict) and "avg_ts" in row for row in rows)
    return rows if good else None


def _records(rows: Iterable[dict[str, Any]] | None) -> Output | None:
    if rows is None:
        return None
    figures, left_out = [], []
    for row in rows:
        try:
            prompt, generated = _number(row, "n_prompt"), _number(row, "n_gen")
            if (prompt > 0) == (generated > 0):
                left_out.append(f"pp{prompt:.0f}+tg{generated:.0f}: prompt and generation mixed")
                continue
            type_k, type_v = str(row.get("type_k", "f16")), str(row.get("type_v", "f16"))
            printed = str(row.get("model_type", ""))
            figures.append(
                Measured(
                    metric="prefill_tps" if prompt > 0 else "decode_tps",
                    value=_number(row, "avg_ts"),
                    backend=backend_name(str(row.get("backends", ""))),
                    engine_version=f"{row.get('build_commit')} ({row.get('build_number')})",
                    quant=format_name(printed),
                    quant_published=str(row.get("model_filename") or printed).split("/")[-1],
                    weights_bytes=_number(row, "model_size"),
                    params_total=_number(row, "model_n_params"),
                    gpu_name=str(row["gpu_info"]) if row.get("gpu_info") else None,
                    context_tokens=_number(row, "n_depth") if row.get("n_depth") else 0.0,
                    prompt_tokens=prompt or None,
                    kv_type=type_k if type_k == type_v else f"{type_k}/{type_v}",
                    flash_attention=_flag(row.get("flash_attn")),
                    gpu_layers=_optional(row, "n_gpu_layers"),
                    cpu_moe_layers=_optional(row, "n_cpu_moe"),
                    date=str(row["test_time"])[:10] if row.get("test_time") else None,
                    notes=f"llama-bench {'pp' if prompt else 'tg'}{prompt or generated:.0f}"
                    f"; n_ubatch={row.get('n_ubatch')}",
                )
            )
        except (KeyError, TypeError, ValueError) as error:
            raise MeasurementError(f"a row of llama-bench lacks or garbles {error}") from error
    return Output("llama-bench", figures, left_out)


def _markdown(text: str) -> Output:
    build = _BUILD.search(text)
    version = f"{build[1]} ({build[2]})" if build else None
    figures: list[Measured] = []
    left_out: list[str] = []
    columns: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = [] if line.strip() else columns
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if "t/s" in cells and "test" in cells:
            columns = cells
        elif columns and len(cells) == len(columns) and not set(cells[0]) <= set("-: "):
            figure = _table_row(dict(zip(columns, cells, strict=True)), version)
            if isinstance(figure, str):
                left_out.append(figure)
            else:
                figures.append(figure)
    return Output("llama-bench", figures, left_out)


def _table_row(row: dict[str, str], version: str | None) -> Measured | str:
    test = _TEST.match(row["test"].replace("\\", ""))
    if test is None:
        return f"{row['test']}: neither pp nor tg alone"
    value = re.match(r"[\d.]+", row["t/s"])
    if value is None:
        return f"{row['test']}: no figure ({row['t/s']})"
    type_k, type_v = row.get("type_k", "f16"), row.get("type_v", "f16")
    return Measured(
        metric="prefill_tps" if test[1] == "pp" else "decode_tps",
        value=float(value[0]),
        backend=backend_name(row.get("backend", "")),
        engine_version=version,
        quant=format_name(row["model"]),
        quant_published=row["model"],
        weights_bytes=_printed(row.get("size", ""), _UNITS),
        params_total=_printed(row.get("params", ""), _PARAMETERS),
        context_tokens=float(test[3] or 0),
        prompt_tokens=float(test[2]) if test[1] == "pp" else None,
        kv_type=type_k if type_k == type_v else f"{type_k}/{type_v}",
        flash_attention=_flag(row.get("fa")),
        gpu_layers=float(row["ngl"]) if row.get("ngl", "").lstrip("-").isdigit() else None,
        cpu_moe_layers=float(row["n_cpu_moe"]) if row.get("n_cpu_moe", "").isdigit() else None,
        notes=f"llama-bench {test[1]}{test[2]}",
    )


def _printed(text: str, units: dict[str, float]) -> float | None:
    match = re.match(r"([\d.]+)\s*(\w+)$", text)
    return float(match[1]) * units[match[2]] if match and match[2] in units else None


def _number(row: dict[str, Any], key: str) -> float:
    try:
        return float(row[key])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{key}={row[key]!r}") from error


def _optional(row: dict[str, Any], key: str) -> float | None:
    return _number(row, key) if row.get(key) not in (None, "") else None


def _flag(value: object) -> bool | None:
    if value in (None, "", -1, "-1", "auto"):
        return None
    return str(value).lower() in ("1", "true", "on")
