"""Peak memory of fine-tuning: full, LoRA and QLoRA, on one device or sharded over several.

Trained parameters cost weights, gradients and optimizer states, split over the devices as ZeRO
does (Rajbhandari et al., arXiv 1910.02054); frozen ones only their storage, 4 bits a weight under
QLoRA (Dettmers et al., arXiv 2305.14314). The peak is the fullest of three moments: the optimizer
step, the loss with all logits, and the differentiation of one layer.
"""

from __future__ import annotations

from vramsite.sizing.finetune_activations import Activations, activations
from vramsite.sizing.finetune_adapters import adapters
from vramsite.sizing.finetune_kept import Kept, find_base, kept
from vramsite.sizing.finetune_records import (
    Adapters,
    FineTune,
    FineTuneMemory,
    FineTuneRules,
    TrainShape,
)
from vramsite.sizing.finetune_shape import train_shape
from vramsite.sizing.records import Architecture, Term


def fine_tune(arch: Architecture, choice: FineTune, rules: FineTuneRules) -> FineTuneMemory:
    """Peak memory of that run. Raises SizingError for a name that the rules do not know."""
    return fine_tune_shape(
        train_shape(arch), adapters(arch, choice.rank, choice.targets), choice, rules
    )


def fine_tune_shape(
    shape: TrainShape, added: Adapters, choice: FineTune, rules: FineTuneRules
) -> FineTuneMemory:
    """The same from a model that is summed up already."""
    fixed = kept(shape, added, choice, rules)
    quantised = find_base(rules, choice.base).quantised
    acts = activations(shape, added, choice, quantised, rules.activation)
    buffers = _gathered(shape, fixed, choice, rules)
    early = fixed.gradients if choice.accumulation > 1.0 else fixed.head_gradients
    resident = fixed.weights + fixed.adapters + fixed.states
    step = resident + fixed.gradients + fixed.step
    loss = resident + early + buffers + acts.waiting_bytes + acts.logits_bytes
    # First layer to be differentiated: all inputs wait; last one: all gradients are there.
    first = early + acts.waiting_bytes + acts.doubled_bytes
    last = fixed.gradients + acts.doubled_bytes
    layer = resident + buffers + acts.layer_bytes + max(first, last)
    peak = max(step, max(loss, layer))
    if peak == step:
        terms = _terms(fixed, 0.0, 0.0, fixed.step, fixed.gradients)
        moment = "step"
        held = 0.0
    elif peak == loss:
        terms = _terms(fixed, acts.waiting_bytes, acts.logits_bytes, buffers, early)
        moment = "loss"
        held = acts.waiting_bytes
    else:
        gradients = early if first > last else fixed.gradients
        waiting = acts.doubled_bytes + (acts.waiting_bytes if first > last else 0.0)
        terms = _terms(fixed, waiting + acts.layer_bytes, 0.0, buffers, gradients)
        moment = "layer"
        held = waiting + acts.layer_bytes
    return _result(shape, fixed, acts, choice, rules, terms, moment, peak, held)


def _gathered(shape: TrainShape, fixed: Kept, choice: FineTune, rules: FineTuneRules) -> float:
    """Weights that are put together for a while: gathered shards, an expanded matrix."""
    base = find_base(rules, choice.base)
    full = choice.method == "full"
    sixteen = rules.activation.element_bytes
    matrix_bytes = sixteen if full else min(sixteen, base.matrix_bits / 8.0)
    buffers = 0.0
    if not full and base.quantised:
        buffers += shape.biggest_matrix * sixteen / choice.tensor_parallel
    gathers = choice.sharding == "zero3" or choice.sharding == "fsdp"
    if gathers and (choice.devices > 1.0 or choice.offload_parameters):
        layer = (
            shape.layer_matrix_parameters * matrix_bytes
            + (shape.layer_parameters - shape.layer_matrix_parameters) * sixteen
        )
        buffers += rules.sharding.gathered_layers * layer
        buffers += rules.sharding.gathered_outside * shape.outside_parameters * sixteen
        if full:
            buffers += rules.sharding.gathered_gradients * layer
    # F32 weights go through products in 16 bits; the copies wait for the backward pass.
    wide = choice.precision == "fp32" if full else base.matrix_bits > 16.0
    if wide and not gathers:
        whole = full or choice.checkpointing == "none"
        matrices = shape.matrix_parameters + shape.expert_parameters
        buffers += (matrices if whole else shape.layer_matrix_parameters) * sixteen
    if choice.sharding == "zero2" or choice.sharding == "zero3":
        buffers += min(rules.sharding.zero_bucket_bytes, fixed.trained * 2.0 * sixteen)
    return buffers


def _terms(
    fixed: Kept, waiting: float, logits: float, buffers: float, gradients: float
) -> list[Term]:
    return [
        _term("weights", fixed.weights, "exact_tensors"),
        _term("adapters", fixed.adapters, "exact_tensors"),
        _term("gradients", gradients, "exact_tensors"),
        _term("optimizer", fixed.states, "exact_tensors"),
        _term("activations", waiting, "estimate"),
        _term("logits", logits, "estimate"),
        _term("buffers", buffers, "estimate"),
    ]


def _term(name: str, amount: float, basis: str) -> Term:
    return Term(
        name=name,
        device_bytes=amount,
        host_bytes=0.0,
        device_low_bytes=amount,
        device_high_bytes=amount,
        basis=basis,
    )


def _result(
    shape: TrainShape,
    fixed: Kept,
    acts: Activations,
    choice: FineTune,
    rules: FineTuneRules,
    terms: list[Term],
    moment: str,
    peak: float,
    held: float,
) -> FineTuneMemory:
    reading = rules.reading
    # The allocator keeps what was freed, so what it holds follows the activations of every
    # moment, not only of the fullest one.
    reserved = peak + (
        reading.held_activation_share * max(held, acts.waiting_bytes)
        + reading.held_logits_share * acts.logits_bytes
        + reading.held_static_share * (fixed.weights + fixed.adapters + fixed.states)
    )
    return FineTuneMemory(
        terms=terms,
        peak_moment=moment,
        allocated_bytes=peak,
        allocated_low_bytes=peak * reading.low,
        allocated_high_bytes=peak * reading.high,
        reserved_bytes=reserved,
        shown_bytes=reserved
        + fixed.paged
        + reading.context_bytes
        + (reading.link_bytes if choice.devices > 1.0 else 0.0),
        host_bytes=fixed.host + acts.host_bytes,
        parameters=shape.matrix_parameters
        + shape.expert_parameters
        + shape.outside_parameters
        + shape.other_parameters,
        trained_parameters=fixed.trained,
    )
