"""What the pages show by default: the configuration, the contexts and the formats asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from vramsite.sizing.records import Settings

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord, ModelRecord

SHORT_CONTEXT_TOKENS = 8192
LONG_CONTEXT_TOKENS = 32768
CURVE_CONTEXTS_TOKENS = (4096, 8192, 16384, 32768, 65536, 131072)
MATRIX_FORMATS = ("Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K")
DEFAULT_FORMAT = "Q4_K_M"
KEPT_SETTINGS = 1024


def short_context(model: ModelRecord) -> int:
    """8K, or the model's whole context where that is shorter."""
    return min(SHORT_CONTEXT_TOKENS, model.context_max_tokens)


def long_context(model: ModelRecord) -> int:
    """32K, or the model's whole context where that is shorter."""
    return min(LONG_CONTEXT_TOKENS, model.context_max_tokens)


def native_format(model: ModelRecord) -> str:
    """The format the vendor publishes the weights in, by its name in data/quants.yaml.

    A checkpoint in MXFP4 keeps its experts when it becomes a GGUF file, which is then named
    MXFP4_MOE. A mixture of formats gives its own description, which data/quants.yaml lacks.
    """
    name = checkpoint_format(model)
    if name == "MXFP4" and model.published_file("MXFP4_MOE") is not None:
        return "MXFP4_MOE"
    return name


def checkpoint_format(model: ModelRecord) -> str:
    """The same as engines load it that take the vendor's own files: MXFP4 stays MXFP4."""
    return model.checkpoint.format.upper() if model.checkpoint else "BF16"


def curve_contexts(model: ModelRecord) -> list[int]:
    """The contexts of the memory chart: 4K to 128K, ended by the model's own limit."""
    limit = model.context_max_tokens
    steps = [tokens for tokens in CURVE_CONTEXTS_TOKENS if tokens <= limit]
    if not steps or (limit < CURVE_CONTEXTS_TOKENS[-1] and steps[-1] != limit):
        steps.append(limit)
    return steps


def page_settings(
    gpu: GpuRecord,
    *,
    format_name: str = DEFAULT_FORMAT,
    context_tokens: int = SHORT_CONTEXT_TOKENS,
    kv_type: str = "f16",
) -> Settings:
    """One llama.cpp user on one device, through the backend that is the device's default."""
    backends = gpu.backends
    backend = backends[0] if backends else "cuda"
    return _one_user(backend, format_name, float(context_tokens), kv_type)


# A worker asks for the same few settings ten thousand times, and a record of twenty fields is slow
# to make.


@lru_cache(KEPT_SETTINGS)
def _one_user(backend: str, format_name: str, context_tokens: float, kv_type: str) -> Settings:
    return Settings(
        backend=backend,
        format=format_name,
        context_tokens=context_tokens,
        kv_type_k=kv_type,
        kv_type_v=kv_type,
    )


@lru_cache(KEPT_SETTINGS)
def with_context(settings: Settings, tokens: float) -> Settings:
    """The same settings at another context, all sequences together."""
    return replace(settings, context_tokens=float(tokens))


@lru_cache(KEPT_SETTINGS)
def with_format(settings: Settings, name: str) -> Settings:
    """The same settings with the weights in another format."""
    return replace(settings, format=name)


@lru_cache(KEPT_SETTINGS)
def with_cache_type(settings: Settings, name: str) -> Settings:
    """The same settings with keys and values cached in another type."""
    return replace(settings, kv_type_k=name, kv_type_v=name)
