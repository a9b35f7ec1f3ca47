"""Reads the result of `vllm bench serve --save-result` (and SGLang's and others' of its form)."""

from __future__ import annotations

import json
from typing import Any

from vramsite.contribute.measured import Measured, MeasurementError, Output


def read_vllm_bench(text: str) -> Output | None:
    """The figures, None where the text is no such result."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    if not isinstance(found, dict) or "num_prompts" not in found or "mean_ttft_ms" not in found:
        if isinstance(found, dict) and ("requests_per_second" in found or "avg_latency" in found):
            raise MeasurementError(
                "is a result of `vllm bench throughput` or `latency`; its figures mix prompt and "
                "generation. Run `vllm bench serve --save-result` instead"
            )
        return None
    left_out = []
    completed, prompts = _number(found, "completed"), _number(found, "num_prompts")
    if completed < prompts:
        left_out.append(f"{prompts - completed:.0f} of {prompts:.0f} requests failed")
    if completed < 1:
        raise MeasurementError("no request was completed")
    batch = _number(found, "max_concurrency") if found.get("max_concurrency") else None
    if batch is None:
        raise MeasurementError(
            "was run without --max-concurrency, so nobody knows how many requests ran at once"
        )
    prompt = round(_number(found, "total_input_tokens") / completed)
    output = round(_number(found, "total_output_tokens") / completed)
    shared: dict[str, Any] = {
        "engine": str(found.get("backend") or found.get("endpoint_type") or "vllm"),
        "batch": batch,
        "prompt_tokens": float(prompt),
        "date": _date(found.get("date")),
        "quant_published": str(found.get("model_id") or "") or None,
        "per": "per_user",
    }
    shared["engine"] = "vllm" if shared["engine"] in ("openai", "openai-chat") else shared["engine"]
    note = f"bench serve, {completed:.0f} requests, about {prompt} tokens in and {output} out"
    figures = [
        Measured(
            metric="decode_tps",
            value=1000.0 / _number(found, "median_tpot_ms"),
            context_tokens=float(prompt),
            notes=f"{note}; 1 / median TPOT",
            **shared,
        ),
        Measured(
            metric="ttft_ms",
            value=_number(found, "median_ttft_ms"),
            context_tokens=0.0,
            notes=f"{note}; median",
            usable=batch == 1,
            unusable_reason=None if batch == 1 else "requests wait for each other",
            **shared,
        ),
    ]
    return Output("vllm bench serve", figures, left_out)


def _number(found: dict[str, Any], key: str) -> float:
    value = found.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise MeasurementError(f"{key} is {value!r}; a number is needed")
    if key.startswith("median") and value == 0:
        raise MeasurementError(f"{key} is 0")
    return float(value)


def _date(value: object) -> str | None:
    text = str(value or "")
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}" if text[:8].isdigit() else None
