"""Figures of a page that follow by hand from what they are defined as."""

from __future__ import annotations

import pytest

from vramsite.sizing.figures import (
    Stretch,
    cache_figures,
    devices_in_share,
    draw_bar,
    long_context_tokens,
    own_device,
    size_figures,
    tensor_parallel_devices,
    term_bytes,
)
from vramsite.sizing.records import (
    Assumptions,
    Device,
    Estimate,
    Fit,
    Memory,
    Settings,
    Size,
    Term,
)

GIB = 2.0**30


def memory(**parts: tuple[float, float]) -> Memory:
    terms = [
        Term(
            name=name,
            device_bytes=device,
            host_bytes=host,
            device_low_bytes=device,
            device_high_bytes=device,
            basis="exact_tensors",
        )
        for name, (device, host) in parts.items()
    ]
    total = sum(term.device_bytes for term in terms)
    return Memory(
        terms=terms,
        device_bytes=total,
        device_low_bytes=total,
        device_high_bytes=total,
        host_bytes=sum(term.host_bytes for term in terms),
        per_device_bytes=[total],
    )


def size(breakdown: Memory, needed: float, usable: float | None) -> Size:
    nothing = Estimate(value=None, low=None, high=None, basis="none")
    return Size(
        settings=Settings(),
        memory=breakdown,
        fit=Fit(
            verdict="offload",
            usable_bytes=usable,
            runtime_bytes=0.0,
            reserve_bytes=None,
            utilization=None,
            offloaded_bytes=0.0,
            gpu_layers=0.0,
            cpu_moe_layers=0.0,
            host_ram_bytes=0.0,
            gpus_needed=None,
            needed_bytes=needed,
        ),
        decode_tps=nothing,
        decode_total_tps=nothing,
        prefill_tps=nothing,
        ttft_s=nothing,
        ttft_short_s=nothing,
        ttft_full_s=nothing,
        weights_file_bytes=16 * GIB,
        active_bytes_per_token=4 * GIB,
    )


def test_a_bar_ends_where_its_amounts_end() -> None:
    stretches = [Stretch(name=name, amount=1.0) for name in ("a", "b", "c")]
    bar = draw_bar(stretches, 2.0, 7.0)
    assert [(item.x, item.width) for item in bar.segments] == [(0, 129), (129, 128), (257, 129)]
    assert bar.limit_x == 257  # two sevenths of 900 are 257.14
    assert draw_bar(stretches, 2.0, 0.0).segments == []


def test_missing_memory_is_need_less_usable() -> None:
    found = size_figures(size(memory(weights=(6 * GIB, 10 * GIB)), 18 * GIB, 12 * GIB))
    assert found.missing_bytes == 6 * GIB
    assert found.need_share == 1.5
    assert found.weights_bytes == 16 * GIB
    assert found.active_share == 0.25
    held = size_figures(size(memory(weights=(6 * GIB, 0.0)), 6 * GIB, 12 * GIB))
    assert held.missing_bytes is None
    unknown = size_figures(size(memory(weights=(6 * GIB, 0.0)), 6 * GIB, None))
    assert (unknown.missing_bytes, unknown.need_share) == (None, None)


def test_the_cache_grows_by_what_a_token_takes() -> None:
    short, long = memory(kv_cache=(1000.0, 24.0)), memory(kv_cache=(4096.0, 0.0))
    found = cache_figures(short, long, 8.0, 32.0, memory(kv_cache=(2176.0, 0.0)))
    assert (found.short_bytes, found.growth_bytes, found.token_bytes) == (1024, 3072, 128)
    assert (found.q8_bytes, found.q8_saved_bytes) == (2176, 1920)
    same = cache_figures(long, long, 32.0, 32.0, None)
    assert (same.token_bytes, same.q8_bytes) == (None, None)
    assert term_bytes(short, "weights") == 0.0


@pytest.mark.parametrize(
    ("tokens", "most", "parallel", "wanted"),
    [
        (8192.0, 131072.0, 1.0, 32768.0),
        (40960.0, 131072.0, 1.0, 131072.0),
        (131072.0, 131072.0, 1.0, 131072.0),
        (4096.0, 4096.0, 4.0, 16384.0),
    ],
)
def test_the_longer_context_is_four_times_as_long_or_the_models_limit(
    tokens: float, most: float, parallel: float, wanted: float
) -> None:
    assert long_context_tokens(tokens, most, parallel) == wanted


def test_devices_hold_a_checkpoint_in_their_share() -> None:
    assert devices_in_share(100.0, 50.0, 0.9) == 3.0
    assert devices_in_share(90.0, 50.0, 0.9) == 2.0
    assert devices_in_share(90.0, None, 0.9) is None
    assert tensor_parallel_devices(3.0, 32.0) == 4.0
    assert tensor_parallel_devices(3.0, 30.0) is None
    assert tensor_parallel_devices(None, 32.0) is None


def test_a_device_of_ones_own_has_what_was_typed_in() -> None:
    base = Device(
        kind="consumer",
        vendor="Acme",
        family="acme-one",
        capacity_bytes=12 * GIB,
        usable_bytes=12 * GIB,
        bandwidth_bytes_per_s=5e11,
        fp16_flops=5e13,
        bf16_flops=None,
        fp8_flops=None,
        int8_ops=None,
        fp4_flops=None,
        link_bytes_per_s=None,
        host_link_bytes_per_s=None,
        power_w=None,
    )
    assumed = Assumptions(
        runtime_bytes=0.5 * GIB,
        runtime_low_bytes=0.5 * GIB,
        runtime_high_bytes=0.5 * GIB,
        display_bytes=0.0,
        tight_fraction=0.08,
        host_ram_bytes=64 * GIB,
        ram_bandwidth_bytes_per_s=6e10,
    )
    typed = own_device(base, assumed, 20.0, 1000.0, 100.0)
    assert typed.device.usable_bytes == 20.5 * GIB  # what a model may use, and the runtime
    assert typed.device.bandwidth_bytes_per_s == 1e12
    assert typed.compute_flops == 1e14
    same = own_device(base, assumed, None, None, None)
    assert same.device == base
    assert same.compute_flops is None
