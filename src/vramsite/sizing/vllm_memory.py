"""Memory of engines with a paged cache (vLLM, SGLang) or growing arrays (MLX, ExLlama).

A token takes one row in every attention layer, in pages; a layer with a window keeps its window
and one step, a recurrent layer one state a sequence. Tensor parallelism deals out KV heads, at
least one to each device; a latent is kept whole on each.
Source: vLLM, vllm/v1/kv_cache_interface.py and vllm/v1/worker/gpu_worker.py; SGLang,
srt/model_executor (memory pool).
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.cache import CacheType, row_bytes
from vramsite.sizing.errors import SizingError
from vramsite.sizing.numeric import ceil_to, floor
from vramsite.sizing.profiles import EngineProfile
from vramsite.sizing.records import Architecture, LayerGroup, Memory, Settings, Term
from vramsite.sizing.tensor_sums import tensor_sums
from vramsite.sizing.weights import WeightBytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Working memory of a step on one device, with its interval."""

    bytes: float
    low_bytes: float
    high_bytes: float


def shards(settings: Settings) -> float:
    """Devices that each layer is cut over."""
    return settings.gpus if settings.split == "tensor" else 1.0


def head_share(group: LayerGroup, gpus: float) -> float:
    """The part of a layer's KV heads that one device keeps; a latent cannot be cut."""
    if gpus <= 1.0 or group.v_width <= 0.0:
        return 1.0
    heads = max(group.kv_heads, 1.0)
    return ceil_to(heads, gpus) / gpus / heads


def state_bytes(group: LayerGroup, profile: EngineProfile, gpus: float) -> float:
    """One recurrent state of one layer on one device."""
    return (
        group.recurrent_elements * profile.state_element_bytes
        + group.conv_elements * profile.conv_element_bytes
    ) / gpus


def page_tokens(arch: Architecture, settings: Settings, profile: EngineProfile) -> float:
    """Tokens of a page: the engine's own, or as many as hold the largest recurrent state."""
    if not profile.states_in_pages:
        return profile.page_tokens
    k_type = _cache_type(profile, settings.kv_type_k)
    v_type = _cache_type(profile, settings.kv_type_v)
    gpus = shards(settings)
    state = 0.0
    row = 0.0
    for group in arch.groups:
        state = max(state, state_bytes(group, profile, gpus))
        wide = row_bytes(k_type, group.k_width) + row_bytes(v_type, group.v_width)
        row = max(row, wide * head_share(group, gpus))
    if row <= 0.0:
        return profile.page_tokens
    return max(profile.page_tokens, ceil_to(state / row, profile.page_tokens))


def sequence_bytes(
    arch: Architecture, settings: Settings, profile: EngineProfile, tokens: float
) -> float:
    """Cache and states of one sequence of that length on one device of a tensor split."""
    k_type = _cache_type(profile, settings.kv_type_k)
    v_type = _cache_type(profile, settings.kv_type_v)
    gpus = shards(settings)
    total = 0.0
    page = page_tokens(arch, settings, profile)
    for group in arch.groups:
        kept = tokens
        if group.window_tokens > 0.0 and not profile.full_windows:
            kept = min(tokens, group.window_tokens + profile.step_tokens)
        rows = ceil_to(kept, page)
        pages = ceil_to(tokens, page)
        row = row_bytes(k_type, group.k_width) + row_bytes(v_type, group.v_width)
        index = row_bytes(k_type, group.index_k_width) + row_bytes(v_type, group.index_v_width)
        entry = row_bytes(k_type, group.compressed_k_width)
        attention = 0.0
        if group.kind != "shared":
            attention = (
                rows * row * head_share(group, gpus)
                + pages / group.tokens_per_entry * entry
                + pages / group.index_tokens_per_entry * index
            )
        state = profile.states_per_sequence * state_bytes(group, profile, gpus)
        compressor = group.compressor_elements * profile.state_element_bytes
        total = total + group.count * (attention + state + compressor)
    return total / (settings.gpus if settings.split == "layer" else 1.0)


def pool_tokens(
    arch: Architecture,
    settings: Settings,
    profile: EngineProfile,
    pool_bytes: float,
    sequence_tokens: float,
) -> float:
    """Tokens that a pool of that size on each device holds, in sequences of that length."""
    one = sequence_bytes(arch, settings, profile, sequence_tokens)
    if one <= 0.0 or pool_bytes <= 0.0:
        return 0.0
    return floor(pool_bytes / one * sequence_tokens / profile.page_tokens) * profile.page_tokens


def work(
    arch: Architecture, settings: Settings, profile: EngineProfile, device_bytes: float | None
) -> Work:
    """What a step of the largest size needs beside weights and cache.

    Values of 16 bits for each token of the step, rows of logits for each sequence, CUDA graphs
    and, with several devices, the buffers of the collective library.
    """
    tokens = profile.step_tokens
    sequences = profile.step_sequences
    if device_bytes is not None and device_bytes >= profile.large_device_bytes:
        tokens = profile.step_tokens_large
        sequences = profile.step_sequences_large
    gpus = shards(settings)
    # Every expert used takes the token's embedding beside its own feed-forward values
    experts = arch.experts_used * (arch.expert_ffn_width / gpus + arch.embedding_width / 3.0)
    ffn = max(arch.dense_ffn_width / gpus, experts)
    token = 2.0 * (profile.embedding_copies * arch.embedding_width + profile.ffn_copies * ffn)
    logits = profile.logits_copies * arch.vocabulary * 4.0
    step = tokens * token + sequences * logits
    fixed = profile.graph_bytes
    if settings.gpus > 1.0:
        fixed = fixed + profile.link_bytes
    return Work(
        bytes=step + fixed,
        low_bytes=step * profile.work_low + fixed * profile.work_low,
        high_bytes=step * profile.work_high + fixed * profile.work_high,
    )


def split_weight_bytes(
    arch: Architecture, weights: WeightBytes, settings: Settings, profile: EngineProfile
) -> float:
    """Weights on one device: an equal share, and whole what cannot be cut.

    Norms, routers, latent projections and the vision tower are kept on every device.
    """
    gpus = settings.gpus
    whole = weights.vision_bytes if settings.vision else 0.0
    cut = weights.device_bytes + padding_bytes(arch, weights, settings, profile)
    if profile.host_embedding and not arch.tied_embeddings:
        cut = cut - arch.vocabulary * arch.embedding_width * 2.0
    if gpus <= 1.0:
        return cut + whole
    if settings.split != "tensor":
        return cut / gpus + whole
    kept = tensor_sums(arch).whole_parameters
    each = weights.device_bytes / max(weights.parameters, 1.0)
    return cut / gpus + kept * each * (1.0 - 1.0 / gpus) + whole


def padding_bytes(
    arch: Architecture, weights: WeightBytes, settings: Settings, profile: EngineProfile
) -> float:
    """What the experts' matrices grow by, on all devices, where their format is padded."""
    if settings.format not in profile.padded_formats or arch.expert_ffn_width <= 0.0:
        return 0.0
    experts = 0.0
    for layer in weights.layer_expert_bytes:
        experts = experts + layer
    gpus = shards(settings)
    width = ceil_to(arch.embedding_width, profile.padded_embedding) / arch.embedding_width
    ffn = ceil_to(arch.expert_ffn_width / gpus, profile.padded_ffn) * gpus / arch.expert_ffn_width
    return experts * (width * ffn - 1.0)


def pool_bytes(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    profile: EngineProfile,
    capacity_bytes: float,
    runtime_bytes: float,
) -> float:
    """What is left for the cache on one device once the engine has taken its share of it."""
    limit = capacity_bytes * profile.utilization
    needed = split_weight_bytes(arch, weights, settings, profile) + runtime_bytes
    if profile.counts_work:
        needed = needed + work(arch, settings, profile, capacity_bytes).bytes
    elif settings.gpus > 1.0:
        needed = needed + profile.link_bytes
    return max(limit - needed, 0.0)


def account_paged(
    arch: Architecture,
    weights: WeightBytes,
    settings: Settings,
    profile: EngineProfile,
    weights_basis: str,
    capacity_bytes: float | None,
) -> Memory:
    """What the sequences asked for need on each device; `capacity_bytes` of one device.

    The engine itself takes its whole share of the device at start and fills the rest with cache.
    """
    held = split_weight_bytes(arch, weights, settings, profile)
    vision = weights.vision_bytes if settings.vision else 0.0
    tokens = settings.context_tokens / settings.parallel
    cache = settings.parallel * sequence_bytes(arch, settings, profile, tokens)
    needed = work(arch, settings, profile, capacity_bytes)
    terms = [
        _term("weights", held - vision, weights_basis),
        _term("kv_cache", cache, "engine_formula"),
        Term(
            name="compute_buffer",
            device_bytes=needed.bytes,
            host_bytes=0.0,
            device_low_bytes=needed.low_bytes,
            device_high_bytes=needed.high_bytes,
            basis="estimate",
        ),
        _term("vision", vision, "exact_tensors"),
    ]
    total = 0.0
    low = 0.0
    high = 0.0
    for term in terms:
        total = total + term.device_bytes
        low = low + term.device_low_bytes
        high = high + term.device_high_bytes
    devices: list[float] = []
    while len(devices) * 1.0 < settings.gpus:
        devices.append(total)
    return Memory(
        terms=[term for term in terms if term.device_bytes > 0.0],
        device_bytes=total,
        device_low_bytes=low,
        device_high_bytes=high,
        host_bytes=0.0,
        per_device_bytes=devices,
    )


def _cache_type(profile: EngineProfile, name: str) -> CacheType:
    for entry in profile.cache_types:
        if entry.name == name:
            return entry
    raise SizingError("unknown_cache_type")


def _term(name: str, device_bytes: float, basis: str) -> Term:
    return Term(
        name=name,
        device_bytes=device_bytes,
        host_bytes=0.0,
        device_low_bytes=device_bytes,
        device_high_bytes=device_bytes,
        basis=basis,
    )
