"""Time to process a prompt: matrix products, attention over what came before, weight passes."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.model_work import ModelWork, Routing, experts_touched_share
from vramsite.sizing.multi_gpu import link_seconds, reductions, shares
from vramsite.sizing.numeric import ceil_to
from vramsite.sizing.records import Architecture, Device, Settings
from vramsite.sizing.speed_records import PrefillCosts, PrefillParts


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionFlops:
    """Products of queries with keys and of weights with values."""

    attended: float
    passed_over: float  # of what sparse attention does not select, in engines that mask it


def attention_flops(
    arch: Architecture, prompt_tokens: float, depth_tokens: float
) -> AttentionFlops:
    """The products for all tokens of the prompt.

    Token i of the prompt attends to `depth_tokens` + i tokens, a windowed layer to no more than
    its window, sparse attention to no more than it selects (index scores are not counted).
    """
    mean = depth_tokens + prompt_tokens / 2.0
    total = 0.0
    masked = 0.0
    for group in arch.groups:
        if group.query_heads <= 0.0:
            continue
        entries = mean / group.tokens_per_entry
        attended = entries
        if group.selected_entries > 0.0:
            attended = min(attended, group.selected_entries)
        beyond = entries - attended
        if group.window_tokens > 0.0:
            windowed = min(mean, group.window_tokens)
            # A layer with a window and compressed entries attends to both.
            attended = windowed + attended if group.compressed_k_width > 0.0 else windowed
        widths = group.query_heads * (group.k_head_size + group.v_head_size)
        total = total + group.count * 2.0 * widths * attended * prompt_tokens
        masked = masked + group.count * 2.0 * widths * beyond * prompt_tokens
    return AttentionFlops(attended=total, passed_over=masked)


def prefill_parts(
    arch: Architecture,
    work: ModelWork,
    device: Device,
    settings: Settings,
    prompt_tokens: float,
    depth_tokens: float,
    pass_tokens: float,
    compute_flops: float | None,
    ram_bytes_per_s: float,
    routing: Routing,
) -> PrefillParts | None:
    """The parts of a prompt of `prompt_tokens` after `depth_tokens` that are cached already.

    None where bandwidth or matrix throughput are unknown.
    """
    bandwidth = device.bandwidth_bytes_per_s
    if bandwidth is None or compute_flops is None:
        return None
    cut = shares(settings)
    width = min(pass_tokens, prompt_tokens)
    passes = ceil_to(prompt_tokens, width) / width
    touched = experts_touched_share(work, width, routing)
    read = (work.dense_bytes + work.routed_bytes * touched) * passes
    host = (work.host_dense_bytes + work.host_routed_bytes * touched) * passes
    used = 0.0
    if work.expert_count > 0.0:
        used = work.routed_parameters * work.experts_used / work.expert_count
    host_link = device.host_link_bytes_per_s
    rate = compute_flops * cut
    attention = attention_flops(arch, prompt_tokens, depth_tokens)
    return PrefillParts(
        dense_compute_s=2.0 * work.dense_parameters * prompt_tokens / rate,
        expert_compute_s=2.0 * used * prompt_tokens / rate,
        attention_compute_s=attention.attended / rate,
        masked_compute_s=attention.passed_over / rate,
        weight_read_s=read / bandwidth / cut,
        recurrent_tokens=work.recurrent_layers * prompt_tokens,
        layer_passes=work.layers * passes,
        prompts=1.0,
        reductions=reductions(work, settings) * passes,
        link_s=link_seconds(work, device, settings, prompt_tokens),
        host_copy_s=host / host_link if host_link is not None else 0.0,
        host_compute_s=host / ram_bytes_per_s,
    )


def prefill_seconds(parts: PrefillParts, costs: PrefillCosts) -> float:
    """Seconds of the whole prompt."""
    return (
        parts.dense_compute_s * costs.dense_compute_s
        + parts.expert_compute_s * costs.expert_compute_s
        + parts.attention_compute_s * costs.attention_compute_s
        + parts.masked_compute_s * costs.masked_compute_s
        + parts.weight_read_s * costs.weight_read_s
        + parts.recurrent_tokens * costs.recurrent_tokens
        + parts.layer_passes * costs.layer_passes
        + parts.prompts * costs.prompts
        + parts.reductions * costs.reductions
        + parts.link_s * costs.link_s
        + parts.host_copy_s * costs.host_copy_s
        + parts.host_compute_s * costs.host_compute_s
    )
