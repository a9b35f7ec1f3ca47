"""How an inference engine reserves memory: one record an engine, filled from data.

Three layouts: "slots" (llama.cpp and its kin: cells for the whole context, see `memory`), "pages"
(vLLM, SGLang, TensorRT-LLM: a pool of pages beside weights and working memory) and "arrays"
(MLX, ExLlama: arrays as long as the tokens in them).
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.cache import CacheType
from vramsite.sizing.errors import SizingError


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineProfile:
    """Coefficients of one engine; each is data with a source."""

    engine: str
    layout: str  # slots, pages, arrays
    cache_types: list[CacheType]
    # The cache is allocated in multiples of so many tokens
    page_tokens: float
    # Share of the device that weights, cache and (where `counts_work`) working memory may take;
    # 1: no such limit
    utilization: float
    counts_work: bool
    # Share of the usable memory that weights alone may take before the engine slows down; 1: all
    weights_share: float = 1.0
    # Layers with a window keep the whole context (no allocator for mixed layers)
    full_windows: bool
    host_embedding: bool  # the token embedding stays in host memory
    state_element_bytes: float  # of a recurrent state
    conv_element_bytes: float  # of the state of its convolutions
    states_per_sequence: float  # recurrent states kept for each sequence (2: to reuse a prefix)
    # States lie in pages of the same pool: pages grow until one holds the state of a layer
    states_in_pages: bool
    # Working memory is reserved for a step of so many tokens and sequences; the second figures
    # hold on devices of `large_device_bytes` and more
    step_tokens: float
    step_sequences: float
    step_tokens_large: float
    step_sequences_large: float
    large_device_bytes: float
    # 16-bit values a token that live at once: so many of the embedding's width, and of the widest
    # feed-forward (of the experts used)
    embedding_copies: float
    ffn_copies: float
    logits_copies: float  # F32 rows of logits a sequence that sampling needs at once
    work_low: float  # interval of the working memory, as factors
    work_high: float
    graph_bytes: float  # CUDA graphs
    link_bytes: float  # buffers of the collective library, with several devices
    # Formats whose experts are padded for the kernels: to multiples of the embedding's width and
    # of the feed-forward width of one device
    padded_formats: list[str]
    padded_embedding: float
    padded_ffn: float


def profile_of(profiles: list[EngineProfile], engine: str) -> EngineProfile:
    """The profile of that engine; SizingError "engine_without_profile"."""
    for profile in profiles:
        if profile.engine == engine:
            return profile
    raise SizingError("engine_without_profile")
