"""How far a device goes with a model: the longest context and the most sequences that fit whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.sizing.accounts import own_profile
from vramsite.sizing.inverse import largest_context, most_sequences

if TYPE_CHECKING:
    from vramsite.report.sizer import Sizer
    from vramsite.sizing.records import Size


@dataclass(frozen=True, slots=True)
class Capacity:
    """None where the device's memory is not known, or not even the least fits."""

    context_tokens: float | None  # of each sequence, in steps of 256
    sequences: float | None  # each as long as the one asked about


def capacity(sizer: Sizer, model_id: str, answer: Size) -> Capacity:
    """Both, under the settings of an answer, with nothing on the host."""
    settings = answer.settings
    limit = answer.fit.usable_bytes
    whole = sizer.load(model_id, settings)
    if limit is None:
        return Capacity(None, None)
    file = whole.file
    # `whole.buffers` keeps replays of one context.
    rules = (
        sizer.rules.cache,
        sizer.rules.buffers,
        own_profile(sizer.rules.profiles, settings.engine),
    )
    vision_bytes = file.vision_bytes if settings.vision else 0.0
    asked = whole.held
    context = largest_context(file.arch, file.weights, asked, *rules, vision_bytes, limit)
    each = asked.context_tokens / asked.parallel
    most = most_sequences(file.arch, file.weights, asked, *rules, vision_bytes, limit, each)
    return Capacity(context, most if most > 0.0 else None)
