"""What sequences write where everything is held on the devices: one, or many together."""

from __future__ import annotations

from vramsite.sizing.accounts import own_profile
from vramsite.sizing.engine import EngineRules, Loaded, size
from vramsite.sizing.fit import usable_bytes, with_placement
from vramsite.sizing.inverse import with_load
from vramsite.sizing.numeric import floor
from vramsite.sizing.records import Assumptions, Device, Estimate, Settings
from vramsite.sizing.speed import decode, decode_total
from vramsite.sizing.speed_records import SpeedCoefficients


def load_settings(asked: Settings, devices: float, sequences: float) -> Settings:
    """So many sequences on so many devices, each with the context it has in `asked`."""
    each = floor(asked.context_tokens / asked.parallel)
    return with_placement(with_load(asked, each * sequences, sequences), devices, None, 0.0)


def load_tps(
    whole: Loaded,
    device: Device,
    rules: EngineRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
) -> float | None:
    """Tokens a second of all sequences of `whole`; None where the devices do not hold them."""
    settings = whole.settings
    if own_profile(rules.profiles, settings.engine) is not None:
        found = size(whole, device, rules, assumptions, coefficients)
        return found.decode_total_tps.value
    limit = usable_bytes(device, assumptions)
    if limit is None or whole.memory.device_bytes > limit:
        return None
    return decode_total(
        whole.file.arch,
        whole.work,
        device,
        settings,
        rules.cache,
        coefficients,
        assumptions.ram_bandwidth_bytes_per_s,
        floor(settings.context_tokens / settings.parallel),
        settings.parallel,
    ).value


def whole_speed(
    whole: Loaded,
    device: Device,
    rules: EngineRules,
    assumptions: Assumptions,
    coefficients: SpeedCoefficients,
) -> Estimate:
    """Output speed of one sequence, whether or not the devices hold everything."""
    settings = whole.settings
    return decode(
        whole.file.arch,
        whole.work,
        device,
        with_placement(settings, settings.gpus, None, 0.0),
        rules.cache,
        coefficients,
        assumptions.ram_bandwidth_bytes_per_s,
        floor(settings.context_tokens / settings.parallel),
    )
