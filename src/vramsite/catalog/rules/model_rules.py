"""House rules for models."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from vramsite.catalog.model_record import ModelRecord
from vramsite.catalog.rules.rule import Context, Finding, Rule, future_dates, unknown_source_keys


def dates_are_past(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(model, context.today)


def active_at_most_total(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """A token cannot use more parameters than there are."""
    if model.params_active_b > model.params_headline_b:
        yield (
            ("params_active_b",),
            f"found {model.params_active_b:g}; must be at most "
            f"params_headline_b ({model.params_headline_b:g})",
        )


def headline_near_total(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """The headline and the exact count speak of the same model."""
    if model.params_total is None:
        return
    ratio = model.params_total / 1e9 / model.params_headline_b
    if not 0.8 <= ratio <= 1.6:
        yield (
            ("params_total",),
            f"found {model.params_total}; is {ratio:.2f} times params_headline_b "
            f"({model.params_headline_b:g} x 10**9): one of the two is wrong",
        )


def format_names_known(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """Every file has a format that data/quants.yaml lists."""
    for name in ("files", "vision_files", "draft_files"):
        for index, file in enumerate(getattr(model, name)):
            if context.format_names is not None and file.format not in context.format_names:
                near = difflib.get_close_matches(file.format, sorted(context.format_names), n=1)
                hint = f"did you mean {near[0]}?" if near else "add it there"
                yield (
                    (name, index, "format"),
                    f"found {file.format}; is not in data/quants.yaml; {hint}",
                )


def own_files_once(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """One exact size for each format of the plain recipe and repository."""
    seen: set[tuple[str, str | None]] = set()
    for index, file in enumerate(model.files):
        if file.kind != "model" or not file.exact:
            continue
        if (file.format, file.repo) in seen:
            yield (
                ("files", index, "format"),
                f"found {file.format} a second time; mark other recipes with `kind: variant`",
            )
        seen.add((file.format, file.repo))


def exact_files_are_aligned(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """GGUF pads its tensors to 32 bytes, so a size to the byte is a multiple of 32."""
    for index, file in enumerate(model.files):
        if file.exact and file.bytes % 32 != 0:
            yield (
                ("files", index, "bytes"),
                f"found {file.bytes}; a GGUF file is a multiple of 32 bytes long: "
                "correct it, or say `exact: false`",
            )


def layer_types_cover_layers(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """`layer_types` has one entry a layer."""
    types, layers = model.config.get("layer_types"), model.config.get("num_hidden_layers")
    if isinstance(types, list) and isinstance(layers, int) and len(types) != layers:
        yield (
            ("config", "layer_types"),
            f"found {len(types)} entries; num_hidden_layers is {layers}",
        )


def heads_divide(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """Query heads are spread evenly over key/value heads, the width over heads."""
    config = model.config
    heads, kv_heads = config.get("num_attention_heads"), config.get("num_key_value_heads")
    if isinstance(heads, int) and isinstance(kv_heads, int):
        if heads <= 0 or kv_heads <= 0 or heads % kv_heads:
            yield (
                ("config", "num_key_value_heads"),
                f"found {kv_heads}; must divide num_attention_heads ({heads})",
            )
    width = config.get("hidden_size")
    if isinstance(width, int) and isinstance(heads, int) and heads > 0 and width % heads:
        if config.get("head_dim") is None and config.get("kv_lora_rank") is None:
            yield (
                ("config", "num_attention_heads"),
                f"found {heads}; must divide hidden_size ({width}) where there is no head_dim",
            )


def experts_used_at_most_all(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """A token cannot use more experts than a layer has."""
    config = model.config
    used = config.get("num_experts_per_tok")
    for key in ("num_experts", "n_routed_experts", "num_local_experts"):
        experts = config.get(key)
        if isinstance(experts, int) and isinstance(used, int) and used > experts:
            yield ("config", "num_experts_per_tok"), f"found {used}; {key} is only {experts}"


def main_values_have_sources(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """The main values each have a source."""
    for key in ("config", "params_total", "files"):
        if key not in model.sources and getattr(model, key):
            own = [file for file in model.files if file.kind == "model"]
            if key != "files" or own:
                yield ("sources",), f"names no source for {key}; add `{key}: where you found it`"


def source_keys_known(model: ModelRecord, context: Context) -> Iterator[Finding]:
    """A source belongs to a key of the file."""
    yield from unknown_source_keys(model, model.sources)


MODEL_RULES: list[Rule[ModelRecord]] = [
    dates_are_past,
    active_at_most_total,
    headline_near_total,
    format_names_known,
    own_files_once,
    exact_files_are_aligned,
    layer_types_cover_layers,
    heads_divide,
    experts_used_at_most_all,
    main_values_have_sources,
    source_keys_known,
]
