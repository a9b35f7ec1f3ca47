"""Where layers lie on devices, worked out once: many devices hold just as much, and many more of
them hold just as many layers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.sizing.accounts import own_profile
from vramsite.sizing.engine import Placed, chosen_placement, placed_as
from vramsite.sizing.fit import usable_bytes

if TYPE_CHECKING:
    from vramsite.sizing.engine import EngineRules, Loaded
    from vramsite.sizing.model_work import ModelWork
    from vramsite.sizing.records import Assumptions, Device, Memory, Settings

Moved = tuple[float | None, float | None]


class Placements:
    """What is known of one file. Follows from the numbers that are asked with, so that no fact
    need be noted: whoever asks has read them.
    """

    def __init__(self) -> None:
        # By the id of what is asked about, which is kept beside, so that nothing else gets it: a
        # hash of settings takes longer than the rest.
        self._chosen: dict[tuple[int, float | None, bool], tuple[Loaded, Placed]] = {}
        # By the memory of everything on the device, which back ends share.
        self._moved: dict[tuple[int, Moved], tuple[Memory, Memory, ModelWork]] = {}

    def placed(
        self, whole: Loaded, device: Device, rules: EngineRules, assumptions: Assumptions
    ) -> Placed | None:
        """As `engine.placed` says; None for an engine that leaves nothing on the host."""
        if own_profile(rules.profiles, whole.settings.engine) is not None:
            return None
        limit = usable_bytes(device, assumptions)
        key = (id(whole), limit, device.kind == "unified")
        known = self._chosen.get(key)
        if known is not None:
            return known[1]
        chosen = chosen_placement(whole, device, limit)
        found = self._placed_as(whole, chosen, limit, rules)
        self._chosen[key] = (whole, found)
        return found

    def _placed_as(
        self, whole: Loaded, chosen: Settings, limit: float | None, rules: EngineRules
    ) -> Placed:
        key = (id(whole.memory), (chosen.gpu_layers, chosen.cpu_moe_layers))
        known = self._moved.get(key)
        if known is None:
            found = placed_as(whole, chosen, limit, rules)
            self._moved[key] = (whole.memory, found.memory, found.work)
            return found
        _, memory, work = known
        return Placed(settings=chosen, memory=memory, work=work, limit_bytes=limit)
