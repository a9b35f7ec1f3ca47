"""How several devices share one model.

Layer split puts whole layers on each: one stream visits them in turn and is no faster. Tensor
split cuts every matrix: each device reads its share, and two all-reduces a layer join the results.
"""

from __future__ import annotations

from vramsite.sizing.model_work import ModelWork
from vramsite.sizing.records import Device, Settings

REDUCTIONS_PER_LAYER = 2.0  # after attention and after the feed-forward block
ACTIVATION_BYTES = 2.0  # activations travel as 16-bit numbers


def shares(settings: Settings) -> float:
    """Into how many parts each matrix is cut."""
    return settings.gpus if settings.split == "tensor" else 1.0


def reductions(work: ModelWork, settings: Settings) -> float:
    """All-reduces of one step."""
    if settings.split != "tensor" or settings.gpus <= 1.0:
        return 0.0
    return REDUCTIONS_PER_LAYER * work.layers


def handovers(settings: Settings) -> float:
    """Times that one step changes the device."""
    if settings.split == "tensor":
        return 0.0
    return settings.gpus - 1.0


def link_seconds(work: ModelWork, device: Device, settings: Settings, tokens: float) -> float:
    """Seconds of the all-reduces of one step over `tokens` tokens at the link's nominal rate.

    A ring all-reduce sends 2 (n - 1) / n of the message over each link. Without a figure for any
    link the part is zero and the cost of a reduction has to carry it.
    """
    rate = device.link_bytes_per_s
    if rate is None:
        rate = device.host_link_bytes_per_s
    count = reductions(work, settings)
    if rate is None or count <= 0.0:
        return 0.0
    sent = 2.0 * (settings.gpus - 1.0) / settings.gpus
    return count * tokens * work.embedding_width * ACTIVATION_BYTES * sent / rate
