"""Which machine a cost is reckoned for: so many of one device."""

from __future__ import annotations

from vramsite.sizing.cost_inputs import CostRules, MachineCount
from vramsite.sizing.records import Settings, Size

USED_SHARE = 2.0  # a machine of less than twice the devices needed works as a whole


def machine_count(
    size: Size, asked: Settings, kind: str, sold: list[float], rules: CostRules
) -> MachineCount:
    """The machine for a model under the settings `asked`, of which `size` is the answer.

    As many devices as hold it, and no fewer than were asked for: the smallest number, less than
    twice those, that somebody rents out. Machines with 3, 5, 6 or 7 devices are not to be had,
    and both sides must be one machine. A placement that somebody fixed stays as it is.
    """
    if asked.gpu_layers is not None or asked.cpu_moe_layers is not None:
        if size.fit.verdict == "exceeds" or size.fit.verdict == "unknown":
            return MachineCount(devices=None, why="refused")
        return MachineCount(devices=asked.gpus)
    needed = size.fit.gpus_needed
    if needed is None:
        return MachineCount(devices=None, why="capacity_unknown")
    least = max(needed, asked.gpus)
    if least > rules.most_devices:
        return MachineCount(devices=None, why="too_many")
    if least > 1.0 and kind == "unified":
        return MachineCount(devices=None, why="separate")
    best: float | None = None
    for count in sold:
        if count >= least and count < USED_SHARE * least:
            if best is None or count < best:
                best = count
    return MachineCount(devices=least if best is None else best)


def working_devices(needed: float, devices: float) -> float:
    """How many devices of an offer work: those beyond twice the needed number stay idle."""
    return devices if devices < USED_SHARE * needed else needed
