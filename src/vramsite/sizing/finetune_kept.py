"""What stays on a device through a training step: weights, gradients, optimizer states.

Split over the devices in the stages of ZeRO: states, then gradients, then weights (Rajbhandari
et al., arXiv 1910.02054; FSDP is the third). Model parallelism splits the layers themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.errors import SizingError
from vramsite.sizing.finetune_records import (
    Adapters,
    BaseRule,
    FineTune,
    FineTuneRules,
    OptimizerRule,
    PrecisionRule,
    TrainShape,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Bytes of one device that stay through a step, and what the step itself adds."""

    weights: float
    adapters: float  # and whole modules trained beside them
    gradients: float
    head_gradients: float  # those of the head, which exist when the loss has just been computed
    states: float
    step: float
    paged: float  # states outside the allocator that can move to the host
    host: float
    trained: float  # parameters, of the whole model


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What share of a thing one device holds."""

    dense: float  # by tensor and pipeline parallelism
    experts: float
    everyone: float  # of what is sharded over all devices, by whatever means
    weights_sharded: bool
    gradients_sharded: bool
    states_sharded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """Bytes of one device for one set of trained parameters."""

    weights: float
    gradients: float
    states: float
    step: float


def kept(shape: TrainShape, added: Adapters, choice: FineTune, rules: FineTuneRules) -> Kept:
    """Raises SizingError for a base, precision or optimizer that the rules do not know."""
    base = find_base(rules, choice.base)
    optimizer = find_optimizer(rules, choice.optimizer)
    precision = find_precision(rules, choice.precision)
    share = _shares(choice)
    others = shape.outside_parameters + shape.other_parameters
    head_share = share.everyone if share.gradients_sharded else share.dense
    head = shape.head_parameters * head_share * precision.gradient_bytes
    if choice.method == "full":
        matrices = shape.matrix_parameters + shape.expert_parameters
        held = (shape.matrix_parameters + others) * share.dense
        held += shape.expert_parameters * share.experts
        first = _trained(matrices, others, held, optimizer, precision, share)
        second = _trained(0.0, 0.0, 0.0, optimizer, precision, share)
        frozen = 0.0
        count = matrices + others
    else:
        low_rank = added.parameters + added.expert_parameters
        held = added.parameters * share.dense + added.expert_parameters * share.experts
        adapter_precision = find_precision(rules, choice.adapter_precision)
        first = _trained(low_rank, 0.0, held, optimizer, adapter_precision, share)
        # Modules trained whole are copies; the originals stay.
        whole = shape.outside_parameters if choice.train_embeddings else 0.0
        second = _trained(0.0, whole, whole * share.dense, optimizer, precision, share)
        dense_share = share.everyone if share.weights_sharded else share.dense
        experts_share = share.everyone if share.weights_sharded else share.experts
        frozen = dense_share * shape.matrix_parameters * base.matrix_bits / 8.0
        frozen += experts_share * shape.expert_parameters * base.matrix_bits / 8.0
        frozen += dense_share * others * base.other_bits / 8.0
        count = low_rank + whole
        if not choice.train_embeddings:
            head = 0.0
    weights = first.weights + second.weights
    gradients = first.gradients + second.gradients
    states = first.states + second.states
    step = first.step + second.step
    if choice.sharding == "ddp":
        gradients *= 1.0 + rules.sharding.ddp_bucket_share
    if choice.step_in_backward and choice.method == "full":
        one_layer = min(1.0, shape.layer_parameters / max(count, 1.0))
        gradients *= one_layer
        step *= one_layer
    paged = 0.0
    if optimizer.paged:
        paged = states
        states = 0.0
    host = 0.0
    if choice.offload_parameters:
        host = weights + frozen + gradients + states + step + paged
        paged = 0.0
        weights = 0.0
        frozen = 0.0
        gradients = 0.0
        states = 0.0
        step = 0.0
    elif choice.offload_optimizer:
        host = states + step
        states = 0.0
        step = 0.0
    full = choice.method == "full"
    return Kept(
        weights=frozen + (weights if full else 0.0),
        adapters=0.0 if full else weights,
        gradients=gradients,
        head_gradients=min(gradients, head),
        states=states,
        step=step,
        paged=paged,
        host=host,
        trained=count,
    )


def _shares(choice: FineTune) -> Shares:
    split = choice.sharding
    third = split == "zero3" or split == "fsdp"
    second = third or split == "zero2"
    # Experts are spread whole over data-parallel devices, else split like other matrices.
    spread = choice.expert_parallel > 1.0
    expert_devices = choice.expert_parallel if spread else choice.tensor_parallel
    return Shares(
        dense=1.0 / (choice.tensor_parallel * choice.pipeline_parallel),
        experts=1.0 / (choice.pipeline_parallel * expert_devices),
        everyone=1.0 / choice.devices,
        weights_sharded=third,
        gradients_sharded=second,
        states_sharded=second or split == "zero1" or split == "megatron",
    )


def _trained(
    matrices: float,
    others: float,
    held: float,
    optimizer: OptimizerRule,
    precision: PrecisionRule,
    share: Shares,
) -> Trained:
    """Bytes for so many parameters in matrices and others, `held` of them by model parallelism."""
    element = precision.state_element_bytes
    always = optimizer.state_bytes + precision.master_bytes
    states = matrices * (always + optimizer.matrix_elements * element)
    states += others * (always + optimizer.other_elements * element)
    count = matrices + others
    sharded = count * share.everyone
    kept_states = sharded if share.states_sharded else held
    part = kept_states / max(count, 1.0)
    passing = precision.step_bytes + optimizer.step_elements * precision.step_element_bytes
    return Trained(
        weights=(sharded if share.weights_sharded else held) * precision.weight_bytes,
        gradients=(sharded if share.gradients_sharded else held) * precision.gradient_bytes,
        states=states * part,
        step=kept_states * passing,
    )


def find_base(rules: FineTuneRules, name: str) -> BaseRule:
    """How weights stored under that name are kept."""
    for rule in rules.bases:
        if rule.name == name:
            return rule
    raise SizingError("unknown_base")


def find_precision(rules: FineTuneRules, name: str) -> PrecisionRule:
    """Bytes of a trained parameter under that name."""
    for rule in rules.precisions:
        if rule.name == name:
            return rule
    raise SizingError("unknown_precision")


def find_optimizer(rules: FineTuneRules, name: str) -> OptimizerRule:
    """States of that optimizer."""
    for rule in rules.optimizers:
        if rule.name == name:
            return rule
    raise SizingError("unknown_optimizer")
