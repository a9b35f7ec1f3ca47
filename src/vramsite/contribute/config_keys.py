"""Which keys of a config.json go into a model file: all that may have to do with its size."""

from __future__ import annotations

from typing import Any

from vramsite.catalog.config_key_rules import NamesAndEnds

_TOWERS = ("vision_config", "audio_config")


def text_config(config: dict[str, Any]) -> dict[str, Any]:
    """The nested text_config, or the config itself where it has none."""
    nested = config.get("text_config")
    return nested if isinstance(nested, dict) else config


def kept_keys(config: dict[str, Any], left_out: NamesAndEnds) -> dict[str, Any]:
    """The keys for `config:`, values verbatim, `text_config` flattened over the keys beside it.

    `left_out` are those that say nothing about sizes (data/config_keys.yaml: about_code).
    """
    merged = {key: value for key, value in config.items() if key != "text_config"}
    merged |= {} if text_config(config) is config else text_config(config)
    kept = {key: value for key, value in merged.items() if not left_out.holds(key)}
    for tower in _TOWERS:
        if isinstance(kept.get(tower), dict):
            kept[tower] = {
                key: value
                for key, value in kept[tower].items()
                if key == "model_type" or not left_out.holds(key)
            }
    # The quantised checkpoint's list of modules is long and says nothing about sizes.
    if isinstance(kept.get("quantization_config"), dict):
        kept["quantization_config"] = {
            key: value
            for key, value in kept["quantization_config"].items()
            if not isinstance(value, list) or len(value) <= 8
        }
    return kept


def checkpoint_format(config: dict[str, Any]) -> str | None:
    """The storage format that config.json states: bf16, fp8, ...; None if it says nothing."""
    quantisation = config.get("quantization_config")
    if isinstance(quantisation, dict):
        method = quantisation.get("quant_method")
        return str(method) if method in ("fp8", "mxfp4", "nvfp4", "awq", "gptq") else None
    named = text_config(config).get("torch_dtype") or config.get("torch_dtype")
    named = named or text_config(config).get("dtype") or config.get("dtype")
    return {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}.get(str(named))
