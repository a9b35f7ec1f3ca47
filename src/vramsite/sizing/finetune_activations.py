"""Activations of training: what waits for the backward pass.

After Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models"
(arXiv 2205.05198): per token and layer a multiple of each width; with recomputation only the
layer's input waits and one layer at a time is kept whole; without flash attention the scores of
every pair of tokens too.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.finetune_records import ActivationRule, Adapters, FineTune, TrainShape


@dataclass(frozen=True, slots=True, kw_only=True)
class Activations:
    """Bytes on one device."""

    waiting_bytes: float  # kept from the forward pass until the backward pass reaches the layer
    doubled_bytes: float  # further copies that pile up while the backward pass runs
    layer_bytes: float  # on top while one layer is differentiated
    logits_bytes: float
    host_bytes: float


def activations(
    shape: TrainShape, added: Adapters, choice: FineTune, quantised: bool, rule: ActivationRule
) -> Activations:
    """Activations of one micro-batch on the fullest device; `quantised`: of a base so stored."""
    tokens = choice.sequence_tokens * choice.micro_batch / choice.sequence_parallel
    element = rule.element_bytes / choice.tensor_parallel
    low_rank = choice.method != "full"
    # A pipeline's first stage holds as many micro-batches as there are stages: together one model.
    saved = element * (
        rule.saved_hidden * shape.hidden * shape.layers
        + rule.saved_attention * shape.attention_width
        + rule.saved_inner * (shape.inner_width + shape.expert_inner_width)
        + rule.routed_hidden * shape.routed_width
        + (rule.adapter_inputs * added.input_width if low_rank else 0.0)
    )
    layer_saved = element * (
        rule.saved_hidden * shape.hidden
        + rule.saved_attention * shape.layer_attention_width
        + rule.saved_inner * (shape.layer_inner_width + shape.layer_expert_inner_width)
        + rule.routed_hidden * shape.layer_routed_width
        + (rule.adapter_inputs * added.layer_input_width if low_rank else 0.0)
    )
    experts_at_once = rule.expert_backward_share * shape.layer_expert_inner_width
    backward = element * (
        rule.backward_hidden * shape.hidden
        + rule.backward_inner * (shape.layer_inner_width + experts_at_once)
    )
    if not choice.flash_attention:
        pairs = choice.sequence_tokens * shape.heads * rule.score_bytes / choice.tensor_parallel
        saved += pairs * shape.layers
        layer_saved += pairs
    per_logit = rule.logits_bytes * choice.logits_share
    if choice.fused_cross_entropy:
        per_logit = rule.fused_logits_bytes
    logits = per_logit * shape.vocabulary / choice.tensor_parallel
    if choice.checkpointing == "none":
        factor = rule.quantised_saved if low_rank and quantised else 1.0
        return Activations(
            waiting_bytes=tokens * saved * factor,
            doubled_bytes=0.0,
            layer_bytes=tokens * backward,
            logits_bytes=tokens * logits * factor,
            host_bytes=0.0,
        )
    inputs = tokens * element * shape.hidden * shape.layers
    if choice.checkpointing == "selective":
        return Activations(
            waiting_bytes=tokens * saved * rule.selective_share,
            doubled_bytes=0.0,
            layer_bytes=tokens * (layer_saved * (1.0 - rule.selective_share) + backward),
            logits_bytes=tokens * logits,
            host_bytes=0.0,
        )
    offloaded = choice.checkpointing == "offload"
    sharded = choice.sharding == "fsdp" and low_rank
    return Activations(
        waiting_bytes=0.0 if offloaded else inputs,
        doubled_bytes=rule.sharded_adapter_copies * inputs if sharded and not offloaded else 0.0,
        layer_bytes=tokens * (layer_saved + backward),
        logits_bytes=tokens * logits,
        host_bytes=inputs if offloaded else 0.0,
    )
