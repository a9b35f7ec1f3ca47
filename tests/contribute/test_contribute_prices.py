"""Prices: one provider at a time, the last good price stays, and nothing jumps unseen."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
import yaml

from vramsite.catalog import load_catalog
from vramsite.contribute.price_age import provider_ages
from vramsite.contribute.price_sources import Priced, PriceError, load_names
from vramsite.contribute.refresh_prices import ProviderResult, refresh, summary

TODAY = date(2026, 11, 30)
FILE = """\
provider: Lambda
offers:
  - instance: 1x A10
    gpu: a10-24gb
    gpu_count: 1
    usd_per_hour: 0.75
    billing: on-demand, per-minute
    as_of: 2026-06-01
    source: price page
    notes: 0.75 per GPU
  - instance: 8x H100 SXM
    gpu: h100-80gb-sxm
    gpu_count: 8
    usd_per_hour: 32
    billing: on-demand, per-minute
    as_of: 2026-06-01
    source: price page
"""


class Source:
    """Answers like gpuhunt would; None is a provider that fails."""

    title = "test"

    def __init__(self, *offers: Priced, failing: tuple[str, ...] = ()) -> None:
        self._offers = list(offers)
        self._failing = failing

    def offers(self, provider: str) -> list[Priced]:
        if provider in self._failing or provider != "lambdalabs":
            raise PriceError("cannot be reached (timed out)")
        return self._offers


def a10(price: float, name: str = "gpu_1x_a10", spot: bool = False) -> Priced:
    return Priced(name, "A10", 24.0, 1, price, spot)


def refreshed(data: Path, source: Source, accept: bool = False) -> ProviderResult:
    (data / "cloud" / "lambda.yaml").write_text(FILE, encoding="utf-8")
    catalog = load_catalog(data)
    (result,) = refresh(catalog, load_names(data), source, TODAY, only=["lambda"], accept=accept)
    load_catalog(data)  # what was written is in order
    return result


def prices(data: Path) -> dict[str, float]:
    found = yaml.safe_load((data / "cloud" / "lambda.yaml").read_text(encoding="utf-8"))
    return {offer["instance"]: offer["usd_per_hour"] for offer in found["offers"]}


def test_a_price_is_renewed_with_its_date(data: Path) -> None:
    result = refreshed(data, Source(a10(0.9), a10(1.2)))
    assert result.changed == ["1 x a10-24gb (1x A10): 0.75 -> 0.9 USD/h"]
    assert result.kept == 1
    assert prices(data) == {"1x A10": 0.9, "8x H100 SXM": 32}
    offers = yaml.safe_load((data / "cloud" / "lambda.yaml").read_text(encoding="utf-8"))["offers"]
    assert offers[0]["as_of"] == TODAY
    assert "notes" not in offers[0]  # it spoke of the old price
    assert offers[1]["as_of"] == date(2026, 6, 1)


def test_a_provider_that_fails_changes_nothing(data: Path) -> None:
    result = refreshed(data, Source(failing=("lambdalabs",)))
    assert summary(result) == "lambda: cannot be reached (timed out); nothing changed"
    assert (data / "cloud" / "lambda.yaml").read_text(encoding="utf-8") == FILE


@pytest.mark.parametrize("price", [3.01, 0.18])
def test_four_times_off_is_held_back(data: Path, price: float) -> None:
    result = refreshed(data, Source(a10(price)))
    assert len(result.held) == 1
    assert "times the last" in result.held[0]
    assert (data / "cloud" / "lambda.yaml").read_text(encoding="utf-8") == FILE
    refreshed(data, Source(a10(price)), accept=True)
    assert prices(data)["1x A10"] == price


def test_a_new_instance_is_added_once_its_price_is_usual(data: Path) -> None:
    offer = Priced("gpu_8x_a10", "A10", 24.0, 8, 7.2, False)
    result = refreshed(data, Source(offer, Priced("odd", "A10", 24.0, 4, 400.0, False)))
    assert result.added == ["8 x a10-24gb (gpu_8x_a10): new at 7.2 USD/h"]
    assert len(result.held) == 1
    assert prices(data)["gpu_8x_a10"] == 7.2


def test_spot_is_another_offer_than_on_demand(data: Path) -> None:
    refreshed(data, Source(a10(0.3, "spot-a10", spot=True)))
    assert prices(data)["1x A10"] == 0.75
    assert prices(data)["spot-a10"] == 0.3


def test_a_device_that_is_not_told_apart_follows_the_providers_own_offers(data: Path) -> None:
    result = refreshed(data, Source(Priced("gpu_8x_h100", "H100", 80.0, 8, 30.0, False)))
    assert prices(data)["8x H100 SXM"] == 30.0
    result = refreshed(data, Source(Priced("gpu_1x_a100", "A100", 80.0, 1, 2.0, False)))
    assert result.unclear == ["A100 of gpu_1x_a100 is one of a100-80gb-sxm, a100-80gb-pcie"]
    assert prices(data) == {"1x A10": 0.75, "8x H100 SXM": 32}


def test_names_of_price_sources_are_in_the_catalog(real_data: Path) -> None:
    names = load_names(real_data)
    catalog = load_catalog(real_data)
    assert {gpu for entry in names.devices for gpu in entry.gpus} <= set(catalog.gpus)
    files = {path.stem for path in (real_data / "cloud").glob("*.yaml")}
    assert set(names.providers.values()) <= files


def test_age_of_prices(data: Path) -> None:
    (data / "cloud" / "lambda.yaml").write_text(FILE, encoding="utf-8")
    ages = {age.slug: age for age in provider_ages(load_catalog(data))}
    assert ages["lambda"].newest == date(2026, 6, 1)
    assert ages["lambda"].offers == 2
