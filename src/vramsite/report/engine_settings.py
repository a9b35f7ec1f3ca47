"""What a user asks of an engine, checked: with the engine's own defaults for what is left open.

Each refusal says what was found and what to type instead.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from vramsite.report.choices import DEFAULT_FORMAT, SHORT_CONTEXT_TOKENS, checkpoint_format
from vramsite.sizing.accounts import cache_rules_under, own_profile
from vramsite.sizing.records import Settings

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.catalog.engine_record import EngineRecord
    from vramsite.sizing.engine import EngineRules

SPLITS = ("layer", "tensor")
GGUF = ("gguf", "gguf-dynamic")
DEFAULT_BITS = 4.8  # of a weight, where an engine has formats of its own

_BLOCKS = (
    "the heads of this model cannot be cut into blocks of that cache type; cache in f16 or bf16"
)
WORDS = {
    "quantised_v_needs_flash_attention": (
        "a value cache below 16 bits needs flash attention; switch it on, or cache values in f16"
    ),
    "mla_kv_types_differ": (
        "this model keeps keys and values in one latent row; give both caches the same type"
    ),
    "k_head_size_not_whole_blocks": _BLOCKS,
    "v_head_size_not_whole_blocks": _BLOCKS,
    "graph_too_large": (
        "with these cache types and a cache for each sequence, this model's graph has more nodes"
        " than it makes room for, and it aborts; use one unified cache (--kv-unified), a single"
        " sequence, or cache in f16"
    ),
    "engine_without_profile": (
        "how this engine reserves memory is not known; ask for another engine, such as llama.cpp"
    ),
    "unknown_cache_type": "the engine has no such cache type; f16 works everywhere",
    "unknown_backend": "the device has no such back end; leave the back end at its default",
    "unknown_format": "the model is not offered in that format; choose one that its page lists",
}
"""The engine's refusals for people."""


class SettingsError(ValueError):
    """A question that cannot be asked like this; the message says what to type instead."""


def engine_settings(
    catalog: Catalog,
    rules: EngineRules,
    model_id: str,
    gpu_id: str,
    *,
    engine: str,
    format_name: str | None,
    context_tokens: int | None,
    kv_type: str | None,
    parallel: int,
    gpus: int,
    split: str | None,
) -> Settings:
    """Settings of `engine`, of ids that the catalog has. Raises SettingsError."""
    record = _record(catalog, rules, engine)
    model = catalog.models[model_id]
    longest = model.context_max_tokens
    tokens = context_tokens
    if tokens is None:
        tokens = min(_default_context(catalog, record, gpu_id, gpus), longest) * parallel
    if tokens > longest * parallel:
        raise SettingsError(f"--context {tokens}: {model_id} takes at most {longest} a sequence")
    cuts = not set(record.formats).intersection(GGUF)  # such engines split matrices
    chosen = split or ("tensor" if cuts and gpus > 1 else "layer")
    if chosen not in SPLITS:
        raise SettingsError(f"--split {chosen}: use layer or tensor")
    cache = kv_type or "f16"
    known = cache_rules_under(own_profile(rules.profiles, engine), rules.cache).types
    if cache not in [entry.name for entry in known]:
        names = ", ".join(entry.name for entry in known)
        raise SettingsError(f"--kv {cache}: {record.name} caches in {names}")
    outputs = float(parallel)
    if record.full_logits is not None:
        outputs = Settings().ubatch_tokens
    return Settings(
        engine=engine,
        backend=_backend(catalog, record, gpu_id),
        format=_format(catalog, record, model_id, format_name),
        context_tokens=float(tokens),
        parallel=float(parallel),
        outputs_max=outputs,
        kv_type_k=cache,
        kv_type_v=cache,
        gpus=float(gpus),
        split=chosen,
    )


def _record(catalog: Catalog, rules: EngineRules, engine: str) -> EngineRecord:
    record = catalog.engines.get(engine)
    if record is None:
        near = get_close_matches(engine, catalog.engines, 1, 0.3)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise SettingsError(f"--engine {engine}: use {', '.join(catalog.engines)}{hint}")
    if own_profile(rules.profiles, engine) is None and not set(record.formats).intersection(GGUF):
        raise SettingsError(f"--engine {engine}: {WORDS['engine_without_profile']}")
    return record


def _backend(catalog: Catalog, record: EngineRecord, gpu_id: str) -> str:
    has = catalog.gpus[gpu_id].backends
    for backend in has:
        if backend in record.backends:
            return backend
    raise SettingsError(
        f"--engine {record.id}: runs on {', '.join(record.backends)}; {gpu_id} has {', '.join(has)}"
    )


def _default_context(catalog: Catalog, record: EngineRecord, gpu_id: str, gpus: int) -> int:
    capacity = catalog.device(gpu_id).capacity_bytes
    own = None if capacity is None else record.default_context(capacity * gpus)
    return SHORT_CONTEXT_TOKENS if own is None else int(own)


def _format(catalog: Catalog, record: EngineRecord, model_id: str, format_name: str | None) -> str:
    families = set(record.formats)
    if format_name is None:
        if families.intersection(GGUF):
            return DEFAULT_FORMAT
        if "checkpoint" in families:
            return checkpoint_format(catalog.models[model_id])
        own = [name for name, entry in catalog.formats.items() if entry.family in families]
        return min(own, key=lambda name: abs(catalog.formats[name].nominal_bits - DEFAULT_BITS))
    entry = catalog.formats.get(format_name)
    if format_name == checkpoint_format(catalog.models[model_id]) and "checkpoint" in families:
        return format_name
    if entry is not None and entry.family not in families:
        own = [name for name, other in catalog.formats.items() if other.family in families]
        raise SettingsError(f"--quant {format_name}: {record.name} loads {', '.join(own)}")
    return format_name
