"""Work of training one token, to relate published throughput to a device's matrix rate."""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.finetune_records import FineTune, TrainShape


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSpan:
    """Tokens a second, from the lower to the upper end of an interval."""

    low_tps: float
    high_tps: float


def training_flops_per_token(
    shape: TrainShape, experts_used_share: float, choice: FineTune
) -> float:
    """Floating-point operations: 2 a weight forward, 2 for the gradient of its input, 2 for its
    own where it is trained, 2 more to recompute (arXiv 2205.05198, appendix A)."""
    active = (
        shape.matrix_parameters
        + shape.expert_parameters * experts_used_share
        + shape.head_parameters
    )
    passes = 4.0
    if choice.method == "full":
        passes += 2.0
    if choice.checkpointing != "none":
        passes += 2.0
    return passes * active


def training_span(
    low_share: float, high_share: float, flops: float | None, work: float | None
) -> TrainingSpan | None:
    """Throughput at these shares of a device's matrix rate; None where rate or work is missing."""
    if flops is None or work is None or work <= 0.0:
        return None
    return TrainingSpan(low_tps=low_share * flops / work, high_tps=high_share * flops / work)
