"""The short answer that tables hold: verdict, memory and the speed of one stream.

It says what the whole answer (`engine.size`) says, and leaves out what costs most to find: how
many devices are needed, prompts and the first token.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.accounts import own_profile
from vramsite.sizing.engine import UNKNOWN, EngineRules, Loaded, Placed, placed, size
from vramsite.sizing.fit import judged
from vramsite.sizing.numeric import floor
from vramsite.sizing.records import Assumptions, Device, Estimate, Memory
from vramsite.sizing.speed import decode
from vramsite.sizing.speed_records import SpeedCoefficients


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """One model on one kind of device; fields as in `Fit` and `Size`."""

    verdict: str
    needed_bytes: float
    usable_bytes: float | None
    memory: Memory
    decode_tps: Estimate
    weights_file_bytes: float


def brief(
    whole: Loaded,
    device: Device,
    rules: EngineRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
    known: Placed | None = None,
) -> Brief:
    """The short answer; `known` as in `engine.size`.

    Raises SizingError where the engine refuses the settings.
    """
    file = whole.file
    asked = whole.settings
    if own_profile(rules.profiles, asked.engine) is not None:
        answer = size(whole, device, rules, assumptions, coefficients)
        return Brief(
            verdict=answer.fit.verdict,
            needed_bytes=answer.fit.needed_bytes,
            usable_bytes=answer.fit.usable_bytes,
            memory=answer.memory,
            decode_tps=answer.decode_tps,
            weights_file_bytes=file.file_bytes,
        )
    found = placed(whole, device, rules, assumptions) if known is None else known
    layers = len(file.weights.layer_bytes) * 1.0
    fit = judged(
        found.memory,
        whole.memory,
        found.settings,
        device,
        assumptions,
        found.limit_bytes,
        None,
        layers,
    )
    speed = UNKNOWN
    if fit.verdict != "exceeds":
        speed = decode(
            file.arch,
            found.work,
            device,
            found.settings,
            rules.cache,
            coefficients,
            assumptions.ram_bandwidth_bytes_per_s,
            floor(asked.context_tokens / asked.parallel),
        )
    return Brief(
        verdict=fit.verdict,
        needed_bytes=fit.needed_bytes,
        usable_bytes=found.limit_bytes,
        memory=found.memory,
        decode_tps=speed,
        weights_file_bytes=file.file_bytes,
    )
