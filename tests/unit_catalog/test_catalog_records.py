"""What a sound catalog gives: ids from paths, order, engine records."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from made_up_catalog import TODAY, spoil

from vramsite.catalog import Catalog, load_catalog

GPU = "gpus/acme/card-10.yaml"
BOX = "gpus/acme/box-64.yaml"


def _load(data: Path) -> Catalog:
    return load_catalog(data, today=TODAY)


def test_the_path_is_the_id(data: Path) -> None:
    catalog = _load(data)
    assert list(catalog.gpus) == ["box-64", "card-10"]
    assert catalog.gpus["card-10"].vendor_slug == "acme"
    assert catalog.models["toy-1b"].id == "toy-1b"


def test_records_are_frozen(data: Path) -> None:
    gpu = _load(data).gpus["card-10"]
    with pytest.raises(ValueError, match="frozen"):
        gpu.name = "Other"


def test_offers_carry_their_provider(data: Path) -> None:
    offer = _load(data).offers[0]
    assert (offer.provider, offer.provider_slug) == ("Rent Co", "rent-co")
    assert (offer.as_of, offer.as_of_precision) == (date(2026, 11, 5), "day")


@pytest.mark.parametrize(
    ("written", "day", "precision"),
    [("2026", date(2026, 1, 1), "year"), ("2026-02", date(2026, 2, 1), "month")],
)
def test_less_than_a_day_is_told(data: Path, written: str, day: date, precision: str) -> None:
    spoil(data, "cloud/rent-co.yaml", "2026-11-05", written)
    offer = _load(data).offers[0]
    assert (offer.as_of, offer.as_of_precision) == (day, precision)


def test_scalars_are_those_of_yaml_1_2(data: Path) -> None:
    spoil(data, "models/acme/toy-1b.yaml", "hidden_size: 64", "a: no\n  b: 1e-6\n  hidden_size: 64")
    config = _load(data).models["toy-1b"].config
    assert config["a"] == "no"
    assert config["b"] == 0.000001


def test_device_in_bytes(data: Path) -> None:
    device = _load(data).device("card-10")
    assert device.capacity_bytes == 16376 * 2**20
    assert device.usable_bytes == device.capacity_bytes
    assert device.capacity_basis == "driver"
    assert device.bandwidth_bytes_per_s == 500e9
    assert device.fp16_flops == 40e12
    assert device.bf16_flops is None
    assert device.link_bytes_per_s is None
    # PCIe 4.0: 16 GT/s a lane, 128 of 130 bits payload: 31.5 GB/s on 16 lanes
    assert device.host_link_bytes_per_s == pytest.approx(31.508e9, rel=1e-4)


@pytest.mark.parametrize(
    ("slot", "gb_s"), [("3.0 x16", 15.754), ("4.0 x8", 15.754), ("5.0 x16", 63.015)]
)
def test_slots(data: Path, slot: str, gb_s: float) -> None:
    spoil(data, GPU, "pcie: 4.0 x16", f"pcie: {slot}")
    link = _load(data).device("card-10").host_link_bytes_per_s
    assert link == pytest.approx(gb_s * 1e9, rel=1e-4)


def test_marketing_size_is_marked(data: Path) -> None:
    spoil(data, GPU, "memory_mib_reported: 16376\n", "")
    device = _load(data).device("card-10")
    assert device.capacity_bytes == 16 * 2**30
    assert device.capacity_basis == "marketing"


def test_measured_size_comes_before_marketing(data: Path) -> None:
    spoil(data, GPU, "memory_mib_reported: 16376", "memory_gib_measured: 15.5")
    device = _load(data).device("card-10")
    assert (device.capacity_bytes, device.capacity_basis) == (15.5 * 2**30, "measured")


def test_unified_memory_gives_its_default_share(data: Path) -> None:
    device = _load(data).device("box-64")
    assert device.capacity_bytes == 64 * 2**30
    assert device.usable_bytes == 48 * 2**30
    assert device.link_bytes_per_s == 7.5e9  # 15 GB/s is both directions


def test_assumptions_by_back_end(data: Path) -> None:
    record = _load(data).assumptions
    cuda = record.sizing("cuda")
    assert cuda.runtime_bytes == 400 * 2**20
    assert (cuda.runtime_low_bytes, cuda.runtime_high_bytes) == (300 * 2**20, 500 * 2**20)
    assert cuda.display_bytes == 0
    assert cuda.ram_bandwidth_bytes_per_s == 40e9  # 80 GB/s, read at a half
    assert cuda.host_ram_bytes == 64 * 2**30
    assert record.sizing("vulkan").runtime_bytes == 450 * 2**20
    assert record.sizing("cuda", desktop=True).display_bytes == 512 * 2**20


def test_exact_files_come_before_rounded_ones(data: Path) -> None:
    spoil(
        data,
        "models/acme/toy-1b.yaml",
        "files:\n",
        "files:\n  - {format: Q8_0, bytes: 1060000000, exact: false}\n"
        "  - {format: F16, bytes: 32, exact: true, kind: variant}\n",
    )
    model = _load(data).models["toy-1b"]
    file = model.published_file("Q8_0")
    assert file is not None
    assert file.bytes == 1062500000
    assert model.published_file("F16") is None


def test_a_checked_count_replaces_the_published_one(data: Path) -> None:
    assert _load(data).models["toy-1b"].params_expected == 1_000_000_000
    spoil(
        data,
        "models/acme/toy-1b.yaml",
        "files:\n",
        "params_check: {computed: 999, reason: scales are counted too}\nfiles:\n",
    )
    assert _load(data).models["toy-1b"].params_expected == 999


def test_block_types_in_bits(data: Path) -> None:
    assert _load(data).block_types["Q8_0"].bits_per_element == 8.5
