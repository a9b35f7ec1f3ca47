"""Which keys of a config.json go into a model file: all that may have to do with its size."""

from __future__ import annotations

from typing import Any

# Nothing about sizes: names of code, tokens, training, generation.
_DROPPED = frozenset(
    {
        "_attn_implementation",
        "_name_or_path",
        "architectures",
        "attention_dropout",
        "auto_map",
        "bad_words_ids",
        "classifier_dropout",
        "dropout",
        "embd_pdrop",
        "hidden_act",
        "hidden_activation",
        "hidden_dropout",
        "id2label",
        "initializer_range",
        "label2id",
        "language_model_only",
        "model_type",
        "output_router_logits",
        "pad_token",
        "pretraining_tp",
        "problem_type",
        "processor_class",
        "resid_pdrop",
        "router_aux_loss_coef",
        "router_jitter_noise",
        "task_specific_params",
        "tokenizer_class",
        "transformers_version",
        "use_cache",
        "vision_start_token_id",
    }
)
_DROPPED_ENDS = ("_token_id", "_token_ids", "_token_index", "_loss_coef")
_TOWERS = ("vision_config", "audio_config")


def text_config(config: dict[str, Any]) -> dict[str, Any]:
    """The nested text_config, or the config itself where it has none."""
    nested = config.get("text_config")
    return nested if isinstance(nested, dict) else config


def kept_keys(config: dict[str, Any]) -> dict[str, Any]:
    """The keys for `config:`, values verbatim, `text_config` flattened over the keys beside it."""
    merged = {key: value for key, value in config.items() if key != "text_config"}
    merged |= {} if text_config(config) is config else text_config(config)
    kept = {key: value for key, value in merged.items() if not _dropped(key)}
    for tower in _TOWERS:
        if isinstance(kept.get(tower), dict):
            kept[tower] = {
                key: value
                for key, value in kept[tower].items()
                if key == "model_type" or not _dropped(key)
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


def _dropped(key: str) -> bool:
    return key in _DROPPED or key.endswith(_DROPPED_ENDS)
