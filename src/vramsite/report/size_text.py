"""The answer of `vramsite size`: stable JSON keys with units, and plain text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.report.capacity import Capacity
    from vramsite.report.nearest import Nearest, NearRow
    from vramsite.sizing.records import Estimate, Size, Term

GIB = 2.0**30

VERDICTS = {
    "fits": "fits with reserve",
    "tight": "fits, but tightly",
    "unified": "fits in unified memory, bound by its bandwidth",
    "raised": "fits once the system's limit on memory is raised",
    "offload": "does not fit; runs with a part in system memory",
    "exceeds": "does not run",
    "unknown": "not known: the device's memory is not published",
}


def size_json(model_id: str, gpu_id: str, size: Size) -> dict[str, object]:
    """One object with stable keys; bytes, tokens a second, seconds, shares; null is not known."""
    settings = size.settings
    fit = size.fit
    return {
        "model": model_id,
        "device": gpu_id,
        "engine": settings.engine,
        "backend": settings.backend,
        "format": settings.format,
        "context_tokens": settings.context_tokens,
        "parallel": settings.parallel,
        "kv_type_k": settings.kv_type_k,
        "kv_type_v": settings.kv_type_v,
        "gpus": settings.gpus,
        "split": settings.split,
        "gpu_layers": fit.gpu_layers,
        "cpu_moe_layers": fit.cpu_moe_layers,
        "verdict": fit.verdict,
        "device_bytes": size.memory.device_bytes,
        "device_low_bytes": size.memory.device_low_bytes,
        "device_high_bytes": size.memory.device_high_bytes,
        "host_bytes": size.memory.host_bytes,
        "per_device_bytes": size.memory.per_device_bytes,
        "terms": [_term_json(term) for term in size.memory.terms],
        "usable_bytes": fit.usable_bytes,
        "raised_usable_bytes": fit.raised_bytes,
        "runtime_bytes": fit.runtime_bytes,
        "reserve_bytes": fit.reserve_bytes,
        "utilization_of_usable": fit.utilization,
        "offloaded_bytes": fit.offloaded_bytes,
        "host_ram_bytes": fit.host_ram_bytes,
        "gpus_needed": fit.gpus_needed,
        "weights_file_bytes": size.weights_file_bytes,
        "active_bytes_per_token": size.active_bytes_per_token,
        "decode_tps": _estimate_json(size.decode_tps),
        "decode_total_tps": _estimate_json(size.decode_total_tps),
        "prefill_4096_tps": _estimate_json(size.prefill_tps),
        "ttft_512_s": size.ttft_short_s.value,
        "ttft_4096_s": _estimate_json(size.ttft_s),
        "ttft_context_s": size.ttft_full_s.value,
    }


def _term_json(term: Term) -> dict[str, object]:
    return {
        "name": term.name,
        "device_bytes": term.device_bytes,
        "device_low_bytes": term.device_low_bytes,
        "device_high_bytes": term.device_high_bytes,
        "host_bytes": term.host_bytes,
        "basis": term.basis,
    }


def _estimate_json(estimate: Estimate) -> dict[str, object]:
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "basis": estimate.basis,
        "device_measurements": estimate.device_measurements,
        "family_measurements": estimate.family_measurements,
    }


def capacity_json(room: Capacity) -> dict[str, object]:
    """What fits whole at most; null is not known, or nothing does."""
    return {"largest_context_tokens": room.context_tokens, "most_sequences": room.sequences}


def run_json(row: NearRow) -> dict[str, object]:
    """One published run of `nearest_measurements`."""
    return {
        "model": row.model_id,
        "device": row.gpu_id,
        "engine": row.engine,
        "format": row.format,
        "context_tokens": row.context_tokens,
        "decode_tps": row.decode_tps,
        "prefill_tps": row.prompt_tps,
        "source": row.url,
        "date": row.date,
    }


def size_text(
    catalog: Catalog, model_id: str, gpu_id: str, size: Size, room: Capacity, nearest: Nearest
) -> str:
    """A short report in English."""
    settings = size.settings
    fit = size.fit
    model = catalog.models[model_id]
    gpu = catalog.gpus[gpu_id]
    count = "" if settings.gpus == 1 else f"{settings.gpus:.0f} × "
    lines = [
        f"{model.name} · {settings.format} on {count}{gpu.name}: {VERDICTS[fit.verdict]}",
        f"  {settings.engine}/{settings.backend}, context {settings.context_tokens:,.0f}, "
        f"KV {settings.kv_type_k}, {settings.parallel:.0f} parallel",
        "",
        f"  {'':16}{'device GiB':>12}{'host GiB':>12}  basis",
    ]
    for term in size.memory.terms:
        lines.append(
            f"  {term.name:16}{term.device_bytes / GIB:12.2f}{term.host_bytes / GIB:12.2f}"
            f"  {term.basis}"
        )
    lines.append(
        f"  {'total':16}{size.memory.device_bytes / GIB:12.2f}{size.memory.host_bytes / GIB:12.2f}"
    )
    if fit.usable_bytes is not None and fit.utilization is not None:
        lines.append(
            f"  usable {fit.usable_bytes / GIB:.2f} GiB a device "
            f"(runtime takes {fit.runtime_bytes / GIB:.2f}); {fit.utilization:.1%} of it used"
        )
    if fit.verdict == "raised" and fit.raised_bytes is not None:
        how = catalog.gpus[gpu_id].usable_default
        lines.append(
            f"  {fit.raised_bytes / GIB:.2f} GiB with the limit raised"
            + (f": {how.raise_command}" if how is not None and how.raise_command else "")
        )
    if fit.offloaded_bytes > 0.0:
        lines.append(
            f"  {fit.offloaded_bytes / GIB:.2f} GiB offloaded: -ngl {fit.gpu_layers:.0f} "
            f"--n-cpu-moe {fit.cpu_moe_layers:.0f}, RAM needed {fit.host_ram_bytes / GIB:.2f} GiB"
        )
    if fit.gpus_needed is not None and fit.gpus_needed > settings.gpus:
        lines.append(f"  held whole by {fit.gpus_needed:.0f} of these devices")
    if room.context_tokens is not None:
        many = ""
        if room.sequences is not None:
            each = settings.context_tokens / settings.parallel
            many = f", or {room.sequences:,.0f} sequences of {each:,.0f}"
        lines.append(f"  whole on the device up to a context of {room.context_tokens:,.0f}{many}")
    lines += [
        "",
        f"  decode  {_speed(size.decode_tps)} tok/s",
        f"  prefill {_speed(size.prefill_tps)} tok/s (4,096-token prompt)",
        f"  TTFT    {_speed(size.ttft_s)} s (4,096-token prompt)",
        f"          {_seconds(size.ttft_short_s)} (512 tokens), "
        f"{_seconds(size.ttft_full_s)} (a prompt that fills the context)",
    ]
    if settings.parallel > 1:
        lines.append(f"  decode, all streams {_speed(size.decode_total_tps)} tok/s")
    if not nearest.none:
        lines += ["", "  nearest published runs of one stream"]
        lines += [_run(row) for row in nearest.rows]
    return "\n".join(lines)


def _run(row: NearRow) -> str:
    context = "" if row.context_tokens is None else f" at {row.context_tokens:,.0f} tokens"
    of = ", ".join(part for part in (row.other, row.format, row.engine, row.backend) if part)
    where = " ".join(part for part in (row.url, row.date) if part)
    return f"  {_digits(row.decode_tps):>8} tok/s  {of}{context}  {where}"


def _speed(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "not known"
    return (
        f"{_digits(estimate.value)} ({_digits(estimate.low)} to {_digits(estimate.high)}; "
        f"{_evidence(estimate)})"
    )


def _seconds(estimate: Estimate) -> str:
    return "not known" if estimate.value is None else f"{_digits(estimate.value)} s"


def _evidence(estimate: Estimate) -> str:
    if estimate.basis in ("engine", "all"):
        return "measured on other devices only"
    if estimate.basis == "family":
        return f"measured {estimate.family_measurements:.0f} times in the device's family"
    return (
        f"measured {estimate.device_measurements:.0f} times on the device, "
        f"{estimate.family_measurements:.0f} in its family"
    )


def _digits(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
