"""Reads a log of llama-server or llama-cli: the memory breakdown at its end, and the context."""

from __future__ import annotations

import re

from vramsite.contribute.llama_bench import backend_name
from vramsite.contribute.measured import Measured, Output

# | - CUDA0 (RTX 4090) | 24080 = 9436 + (14193 = 13169 + 38 + 985) + 451 |
_DEVICE = re.compile(
    r"\|\s*-\s*(\w+)\s*\(([^|]*)\)\s*\|\s*\d+\s*=\s*\d+\s*\+\s*\(\s*(\d+)\s*=\s*(\d+)\s*\+\s*(\d+)"
    r"\s*\+\s*(\d+)\s*\)"
)
_BUILD = re.compile(r"^build:\s*(\d+)\s*\(([0-9a-f]+)\)", re.MULTILINE)
_CONTEXT = re.compile(r"(?:llama_context|llama_new_context\w*):\s*n_ctx\s*=\s*(\d+)")
_PARALLEL = re.compile(r"(?:llama_context|llama_new_context\w*):\s*n_seq_max\s*=\s*(\d+)")
_FLASH = re.compile(r"flash_attn\s*=\s*(enabled|disabled|0|1)")
_CACHE = re.compile(r"K \((\w+)\):.*?V \((\w+)\):")
_FILE = re.compile(r"loaded meta data .* from (\S+\.gguf)")
_TYPE = re.compile(r"print_info: file type\s*=\s*(.+)")
_LAYERS = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")


def read_server_log(text: str) -> Output | None:
    """The figures of the last breakdown, summed over devices; None where there is none."""
    devices: dict[str, tuple[str, list[float]]] = {}
    for match in _DEVICE.finditer(text):
        if match[1].lower() != "host":
            devices[match[1]] = (match[2].strip(), [float(match[i]) for i in range(3, 7)])
    if not devices:
        return None
    context, parallel = _last(_CONTEXT, text), _last(_PARALLEL, text)
    left_out = []
    if context is None:
        left_out.append("no `n_ctx` in the log: give --context")
    build, cache, file, layers = (
        _BUILD.search(text),
        _CACHE.search(text),
        _FILE.search(text),
        _LAYERS.search(text),
    )
    kind, flash = _TYPE.search(text), _FLASH.search(text)
    sums = [sum(values[index] for _, values in devices.values()) for index in range(4)]
    names = ("total_vram_mib", "weights_mib", "kv_mib", "compute_mib")
    figures = []
    for name, value in zip(names, sums, strict=True):
        if value <= 0:
            left_out.append(f"{name}: nothing on the devices")
            continue
        figures.append(
            Measured(
                metric=name,  # type: ignore[arg-type]
                value=value,
                backend=backend_name(next(iter(devices))),
                engine_version=f"{build[2]} ({build[1]})" if build else None,
                quant=_format(kind[1]) if kind else None,
                quant_published=file[1].split("/")[-1] if file else None,
                gpu_name=next(iter(devices.values()))[0],
                context_tokens=context,
                batch=parallel or 1.0,
                kv_type=_cache_type(cache),
                flash_attention=flash[1] in ("enabled", "1") if flash else None,
                gpu_layers=float(layers[1]) if layers else None,
                notes=f"llama.cpp memory breakdown, {len(devices)} devices added up"
                if len(devices) > 1
                else "llama.cpp memory breakdown",
            )
        )
    return Output("llama.cpp log", figures, left_out)


def device_count(text: str) -> int:
    """How many devices the breakdown lists."""
    return len({match[1] for match in _DEVICE.finditer(text) if match[1].lower() != "host"})


def _last(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.findall(text)
    return float(found[-1]) if found else None


def _cache_type(match: re.Match[str] | None) -> str | None:
    if match is None:
        return None
    return match[1] if match[1] == match[2] else f"{match[1]}/{match[2]}"


def _format(printed: str) -> str | None:
    from vramsite.contribute.llama_bench import format_name

    return format_name(printed)
