"""The made-up book with prices, power and use: round figures, so that sums are done by hand."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

from made_up_report import MadeUpBook, gpu, made_up_book

from vramsite.catalog.hosted_api_record import HostedApiFile
from vramsite.catalog.money_assumptions import MoneyAssumptions
from vramsite.catalog.money_facts import MoneyFacts
from vramsite.catalog.offer_record import Offer, OfferRecord
from vramsite.catalog.power_record import PowerFile
from vramsite.catalog.side_records import Co2File, ElectricityFile
from vramsite.sizing.cost_records import Load
from vramsite.sizing.records import Settings

SEEN = {"source": "made up", "as_of": "2026-11-01"}


def rule(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit, **SEEN}


ASSUMED = MoneyAssumptions.model_validate(
    {
        "hours_a_day": rule(10.0, "h/day"),
        "own_on_hours_a_day": rule(24.0, "h/day"),
        "busy_share": rule(1.0, "share"),
        "lifetime_months": rule(40.0, "months"),
        "least_tps_per_user": rule(20.0, "tok/s"),
        "most_devices": rule(8.0, "devices"),
        "price_age_days": rule(60.0, "days"),
        "batch_sequences": [2, 4, 8],
        "countries": {"en": "US", "de": "DE"},
        "other_country": "EU",
        "currencies": {"de": "EUR"},
        "places": [
            {
                "device_kinds": ["consumer", "workstation", "datacenter"],
                "pue_site": "cellar",
                "sectors": ["household"],
                "host_per": "machine",
                "host_power": rule(50.0, "W"),
            },
            {
                "device_kinds": ["unified"],
                "pue_site": "cellar",
                "sectors": ["household"],
                "host_per": "included",
            },
        ],
    }
)


def price(country: str, amount: float, currency: str, **more: Any) -> dict[str, Any]:
    return {
        "country": country,
        "sector": "household",
        "price_per_kwh": amount,
        "currency": currency,
        "usd_per_kwh": 1.0,  # never read: the rate beside it counts
        "confidence": "high",
        **SEEN,
        **more,
    }


def facts() -> MoneyFacts:
    return MoneyFacts(
        electricity=ElectricityFile.model_validate(
            {
                "exchange_rates": [
                    {"pair": "EUR/USD", "rate": 1.1, **SEEN},
                    {"pair": "EUR/USD", "rate": 1.25, "source": "x", "as_of": "2026-11-05"},
                ],
                "prices": [
                    price("US", 0.2, "USD"),
                    price("US", 0.4, "USD", region="Somewhere"),
                    price("US", 0.3, "USD", confidence="low", as_of="2026-11-10"),
                    price("DE", 0.4, "EUR"),
                    price("EU", 3.0, "SEK"),
                ],
            }
        ),
        power=PowerFile.model_validate(
            {
                "idle": [
                    {
                        "gpu": "mid-12gb",
                        "watts": watts,
                        "state": "idle",
                        "scope": "GPU board (telemetry)",
                        **SEEN,
                    }
                    for watts in (10, 14, 90)
                ],
                "idle_effects": [],
                "load": [
                    {
                        "gpu": "shared-64gb",
                        "phase": "decode",
                        "n_gpus": 1,
                        "scope": "whole machine at the wall",
                        "watts": watts,
                        **SEEN,
                    }
                    for watts in (90, 110)
                ],
                "fraction_of_tdp": [
                    {
                        "gpu": "mid-12gb",
                        "phase": "decode",
                        "fraction_of_tdp_median": 0.75,
                        "fraction_min": 0.7,
                        "fraction_max": 0.8,
                        "rows": 2,
                        **SEEN,
                    }
                ],
                "host_overhead": [],
                "pue": [{"site": "cellar", "pue": 1, **SEEN}],
            }
        ),
        hosted_api=HostedApiFile.model_validate(
            {
                "about": "made up",
                "rows": [
                    hosted("dear", 0.5, 2.0),
                    hosted("cheap", 0.1, 0.4),
                    hosted("cheap", 0.2, 0.5),
                    hosted("gone", 0.01, 0.02, notes="marked deprecated"),
                    hosted("nightly", 0.01, 0.03, tier="batch"),
                ],
            }
        ),
        co2=Co2File.model_validate({"rows": [{"country": "US", "g_co2e_per_kwh": 400, **SEEN}]}),
    )


def hosted(provider: str, in_usd: float, out_usd: float, **more: Any) -> dict[str, Any]:
    return {
        "model_id": "small-8b",
        "provider": provider,
        "provider_model_id": "acme/small",
        "input_usd_per_mtok": in_usd,
        "output_usd_per_mtok": out_usd,
        **SEEN,
        **more,
    }


def offer(gpu_id: str, count: int, usd: float, as_of: str = "2026-10-30") -> OfferRecord:
    made = Offer.model_validate(
        {
            "instance": f"{count}x",
            "gpu": gpu_id,
            "gpu_count": count,
            "usd_per_hour": usd,
            "billing": "on-demand, per-second",
            "as_of": as_of,
            "source": "made up",
        }
    )
    return OfferRecord.of("Cloud", "cloud", made)


class MoneyBook(MadeUpBook):
    def money_facts(self) -> MoneyFacts:
        return facts()


def money_book() -> MoneyBook:
    """`mid-12gb` has everything, `big-48gb` no power, `shared-64gb` a measured machine."""
    book = made_up_book()
    catalog: Any = book.catalog
    catalog.gpus["mid-12gb"] = gpu("mid-12gb", 12.0, 400.0, tdp_w=200.0)
    catalog.gpus["sister-12gb"] = gpu("sister-12gb", 12.0, None, tdp_w=100.0)
    catalog.gpus["other-12gb"] = gpu("other-12gb", 12.0, 300.0, tdp_w=100.0, family="acme-two")
    catalog.gpus["worn-12gb"] = gpu(
        "worn-12gb",
        12.0,
        400.0,
        street_usd={
            "low": 100.0,
            "high": 140.0,
            "condition": "used",
            "as_of": "2026-10",
            "source": "made up",
        },
    )
    catalog.assumptions = SimpleNamespace(money=ASSUMED)
    catalog.offers = [
        offer("mid-12gb", 1, 0.5),
        offer("mid-12gb", 1, 0.25, "2026-09"),
        offer("mid-12gb", 2, 0.9),
        offer("big-48gb", 1, 2.0),
        offer("nowhere", 1, 0.01),
    ]
    sizes: Any = book.sizes

    def loads(model_id: str, gpu_id: str, settings: Settings, sequences: list[int]) -> list[Load]:
        return [Load(sequences=float(n), total_tps=90.0 + 5.0 * n) for n in sequences]

    sizes.loads = loads
    return MoneyBook(catalog, sizes)


NEWEST = date(2026, 11, 1)
