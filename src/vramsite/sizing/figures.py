"""What a page draws and says in figures beyond the engine's answer: bars, contexts, formats.

Compiled for the page's script as well, so that it needs no arithmetic of its own. Only records
that scripts see are read here; counts of widths and pixels are whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from vramsite.sizing.cost_records import Load
from vramsite.sizing.numeric import floor
from vramsite.sizing.records import Assumptions, Device, Memory, Settings, Size

BAR_WIDTH = 900.0
MOST_DEVICES = 8.0  # of one machine; a command for several machines is another matter
CONTEXT_STEPS = 4.0
TOKEN_STEP = 1024.0  # of a longest context that lies between two that were worked out
GIB = 1073741824.0
GB = 1000000000.0
TERA = 1000000000000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A named amount of bytes on a bar."""

    name: str
    amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BarSegment:
    """One coloured stretch in 900ths of a bar; `name` is a term's, or "host" for what is in RAM."""

    name: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBar:
    """Stretches from the left, and where the device's usable memory ends (None: unknown)."""

    segments: list[BarSegment]
    limit_x: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeFigures:
    """What the page says of one answer.

    `missing_bytes` is what a device has too little (None where it holds everything), `need_share`
    need over usable memory (under the raised limit where it takes that), `active_share` what a
    token reads of all weights.
    """

    missing_bytes: float | None
    need_share: float | None
    weights_bytes: float
    weights_basis: str
    active_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFigures:
    """Memory at one context with nothing offloaded."""

    weights_bytes: float
    cache_bytes: float
    other_bytes: float
    needed_bytes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheFigures:
    """The cache at two contexts, and at the long one with a smaller cache type.

    `token_bytes` is None where the contexts are the same, `q8_*` where no cache could shrink.
    """

    short_bytes: float
    long_bytes: float
    growth_bytes: float
    token_bytes: float | None
    state_bytes: float
    q8_bytes: float | None
    q8_saved_bytes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatFigures:
    """What the table of formats says; `bits_per_weight` is file bits over all parameters."""

    bits_per_weight: float | None
    weights_bytes: float
    cache_bytes: float
    basis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnDevice:
    """A device somebody typed in; `compute_flops` None: that of the device it was based on."""

    device: Device
    compute_flops: float | None


def draw_bar(stretches: list[Stretch], limit_bytes: float | None, full_bytes: float) -> DrawnBar:
    """Lay amounts side by side on a bar whose whole width stands for `full_bytes`.

    The ends are rounded, not the widths, so that errors do not add up.
    """
    segments: list[BarSegment] = []
    if full_bytes <= 0.0:
        return DrawnBar(segments=segments, limit_x=None)
    total = 0.0
    left = 0.0
    for stretch in stretches:
        total = total + stretch.amount
        right = _place(total, full_bytes)
        if right > left:
            segments.append(BarSegment(name=stretch.name, x=left, width=right - left))
            left = right
    limit: float | None = None
    if limit_bytes is not None:
        limit = _place(min(limit_bytes, full_bytes), full_bytes)
    return DrawnBar(segments=segments, limit_x=limit)


def _place(amount: float, full: float) -> float:
    return floor(amount / full * BAR_WIDTH + 0.5)


def size_bar(size: Size, capacity_bytes: float | None) -> DrawnBar:
    """Device bytes by term and what had to move to RAM, against the usable memory."""
    stretches = [Stretch(name=term.name, amount=term.device_bytes) for term in size.memory.terms]
    fit = size.fit
    if fit.offloaded_bytes > 0.0:
        stretches.append(Stretch(name="host", amount=fit.offloaded_bytes))
    usable = fit.usable_bytes
    # On several devices, what was moved is that of all of them: the bar shows it whole.
    laid = 0.0
    for stretch in stretches:
        laid = laid + stretch.amount
    full = max(fit.needed_bytes, laid)
    if usable is not None:
        full = max(full, usable)
    if capacity_bytes is not None:
        full = max(full, capacity_bytes)
    return draw_bar(stretches, usable, full)


def term_bytes(memory: Memory, name: str) -> float:
    """Device and host bytes of one line of the breakdown, 0 where there is none."""
    total = 0.0
    for term in memory.terms:
        if term.name == name:
            total = total + term.device_bytes + term.host_bytes
    return total


def size_figures(size: Size) -> SizeFigures:
    """Shortfall, share of use and what the weights are."""
    needed = size.fit.needed_bytes
    usable = size.fit.usable_bytes
    if size.fit.verdict == "raised":
        usable = size.fit.raised_bytes
    missing: float | None = None
    share: float | None = None
    if usable is not None:
        if needed > usable:
            missing = needed - usable
        if usable > 0.0:
            share = needed / usable
    weights = term_bytes(size.memory, "weights")
    basis = "estimate"
    for term in size.memory.terms:
        if term.name == "weights":
            basis = term.basis
    return SizeFigures(
        missing_bytes=missing,
        need_share=share,
        weights_bytes=weights,
        weights_basis=basis,
        active_share=size.active_bytes_per_token / weights if weights > 0.0 else 1.0,
    )


def context_figures(memory: Memory) -> ContextFigures:
    """The parts of a breakdown that the chart of contexts draws."""
    weights = 0.0
    cache = 0.0
    other = 0.0
    for term in memory.terms:
        if term.name == "weights":
            weights = weights + term.device_bytes
        elif term.name == "kv_cache" or term.name == "recurrent_state":
            cache = cache + term.device_bytes
        else:
            other = other + term.device_bytes
    return ContextFigures(
        weights_bytes=weights,
        cache_bytes=cache,
        other_bytes=other,
        needed_bytes=memory.device_bytes,
    )


def context_bar(
    figures: ContextFigures, usable_bytes: float | None, longest: ContextFigures
) -> DrawnBar:
    """One context's bar; all of a chart share the scale of the longest context."""
    full = longest.needed_bytes
    if usable_bytes is not None:
        full = max(full, usable_bytes)
    stretches = [
        Stretch(name="weights", amount=figures.weights_bytes),
        Stretch(name="kv_cache", amount=figures.cache_bytes),
        Stretch(name="compute_buffer", amount=figures.other_bytes),
    ]
    return draw_bar(stretches, usable_bytes, full)


def context_verdict(
    memory: Memory,
    usable_bytes: float | None,
    kind: str,
    assumed: Assumptions,
    raised_bytes: float | None = None,
) -> str:
    """The verdict on a breakdown with nothing offloaded, as `fit.judged` gives it.

    What has to move is taken as need less usable memory, without a search for the best layers.
    """
    if usable_bytes is None:
        return "unknown"
    reserve = usable_bytes - memory.device_bytes
    if reserve < 0.0:
        if raised_bytes is not None and memory.device_bytes <= raised_bytes:
            return "raised"
        if kind == "unified" or memory.host_bytes - reserve > assumed.host_ram_bytes:
            return "exceeds"
        return "offload"
    if reserve < usable_bytes * assumed.tight_fraction:
        return "tight"
    return "unified" if kind == "unified" else "fits"


def longest_whole_tokens(
    tokens: list[float], needs_bytes: list[float], usable_bytes: float | None
) -> float | None:
    """About the longest context with everything on the devices, between two of the chart.

    On the straight line between the last that fits and the first that does not, in whole 1,024
    tokens; None where none of them fits, all do, or nobody knows. `inverse.largest_context` has
    the exact one, after a dozen breakdowns.
    """
    if usable_bytes is None:
        return None
    for at in range(len(tokens)):
        if needs_bytes[at] > usable_bytes:
            if at == 0:
                return None
            below = needs_bytes[at - 1]
            share = (usable_bytes - below) / (needs_bytes[at] - below)
            longest = tokens[at - 1] + share * (tokens[at] - tokens[at - 1])
            return floor(longest / TOKEN_STEP) * TOKEN_STEP
    return None


def long_context_tokens(context_tokens: float, most_tokens: float, parallel: float) -> float:
    """The longer context that a page compares with: four times as long, where the model can.

    Contexts are those of all sequences together, `most_tokens` is the model's limit for one.
    """
    return max(context_tokens, min(context_tokens * CONTEXT_STEPS, most_tokens * parallel))


def cache_figures(
    short: Memory,
    long: Memory,
    short_tokens: float,
    long_tokens: float,
    smaller: Memory | None,
) -> CacheFigures:
    """How the cache grows between two contexts; `smaller` is the long one with the small type."""
    short_bytes = term_bytes(short, "kv_cache")
    long_bytes = term_bytes(long, "kv_cache")
    growth = long_bytes - short_bytes
    grown = long_tokens - short_tokens
    q8: float | None = None
    saved: float | None = None
    if long_bytes > 0.0 and smaller is not None:
        q8 = term_bytes(smaller, "kv_cache")
        saved = long_bytes - q8
    return CacheFigures(
        short_bytes=short_bytes,
        long_bytes=long_bytes,
        growth_bytes=growth,
        token_bytes=growth / grown if grown > 0.0 else None,
        state_bytes=term_bytes(long, "recurrent_state"),
        q8_bytes=q8,
        q8_saved_bytes=saved,
    )


def format_figures(size: Size, params_total: float | None) -> FormatFigures:
    """One row of the table of formats."""
    return file_figures(size.memory, size.weights_file_bytes, params_total)


def file_figures(memory: Memory, file_bytes: float, params_total: float | None) -> FormatFigures:
    """The same from the breakdown and the size of the weight file."""
    cache = 0.0
    weights = 0.0
    basis = "estimate"
    for term in memory.terms:
        if term.name == "weights":
            weights = weights + term.device_bytes + term.host_bytes
            basis = term.basis
        elif term.name == "kv_cache" or term.name == "recurrent_state":
            cache = cache + term.device_bytes + term.host_bytes
    return FormatFigures(
        bits_per_weight=None if params_total is None else file_bytes * 8.0 / params_total,
        weights_bytes=weights,
        cache_bytes=cache,
        basis=basis,
    )


def devices_in_share(
    needed_bytes: float, capacity_bytes: float | None, share: float
) -> float | None:
    """How many devices hold so much in a share of their memory; None: not known."""
    if capacity_bytes is None or capacity_bytes <= 0.0 or share <= 0.0:
        return None
    return -floor(-needed_bytes / (capacity_bytes * share))


def tensor_parallel_devices(devices_needed: float | None, attention_heads: float) -> float | None:
    """The least power of two that is at least so many and divides the heads."""
    if devices_needed is None or devices_needed <= 0.0 or devices_needed > MOST_DEVICES:
        return None
    devices = 1.0
    while devices < devices_needed:
        devices = devices * 2.0
    if attention_heads > 0.0 and floor(attention_heads / devices) * devices != attention_heads:
        return None
    return devices


def own_device(
    base: Device,
    assumed: Assumptions,
    usable_gib: float | None,
    bandwidth_gb_s: float | None,
    tflops: float | None,
) -> OwnDevice:
    """A device with another memory, bandwidth or throughput; what is None stays as it is.

    `usable_gib` is what a model may use, so that the runtime's own use comes on top.
    """
    usable = base.usable_bytes
    capacity = base.capacity_bytes
    bandwidth = base.bandwidth_bytes_per_s
    if usable_gib is not None:
        usable = usable_gib * GIB + assumed.runtime_bytes + assumed.display_bytes
        capacity = usable
    if bandwidth_gb_s is not None:
        bandwidth = bandwidth_gb_s * GB
    device = Device(
        kind=base.kind,
        vendor=base.vendor,
        family=base.family,
        capacity_bytes=capacity,
        usable_bytes=usable,
        bandwidth_bytes_per_s=bandwidth,
        fp16_flops=base.fp16_flops,
        bf16_flops=base.bf16_flops,
        fp8_flops=base.fp8_flops,
        int8_ops=base.int8_ops,
        fp4_flops=base.fp4_flops,
        link_bytes_per_s=base.link_bytes_per_s,
        host_link_bytes_per_s=base.host_link_bytes_per_s,
        power_w=base.power_w,
        capacity_basis=base.capacity_basis,
    )
    return OwnDevice(device=device, compute_flops=None if tflops is None else tflops * TERA)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigures:
    """So many users side by side, what they write together, and what each gets."""

    users: float
    total_tps: float
    each_tps: float
    bar: DrawnBar


def speed_bars(speeds: list[float | None]) -> list[DrawnBar]:
    """Bars of speeds on one scale; an empty one where none is known."""
    most = 0.0
    for tps in speeds:
        if tps is not None:
            most = max(most, tps)
    return [
        draw_bar([Stretch(name="tps", amount=0.0 if tps is None else tps)], None, most)
        for tps in speeds
    ]


def load_figures(one_tps: float | None, loads: list[Load]) -> list[LoadFigures]:
    """The chart of throughput over users, one user first; bars share one scale."""
    all_loads: list[Load] = []
    if one_tps is not None:
        all_loads.append(Load(sequences=1.0, total_tps=one_tps))
    for load in loads:
        all_loads.append(load)
    bars = speed_bars([load.total_tps for load in all_loads])
    return [
        LoadFigures(
            users=all_loads[at].sequences,
            total_tps=all_loads[at].total_tps,
            each_tps=all_loads[at].total_tps / all_loads[at].sequences,
            bar=bars[at],
        )
        for at in range(len(all_loads))
    ]


def user_tokens(asked: Settings) -> float:
    """The context of each sequence."""
    return floor(asked.context_tokens / asked.parallel)
