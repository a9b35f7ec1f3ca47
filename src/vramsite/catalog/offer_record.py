"""Hourly prices of one provider: `data/cloud/<provider>.yaml`."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import Field, model_validator

from vramsite.catalog.record import Count, HttpsUrl, Label, Positive, Record, Slug, Text, first_day


class Offer(Record):
    """One instance type with its price, as written in a provider's file."""

    instance: Label = Field(description="name of the instance as the provider shows it")
    gpu: Slug = Field(description="id of the device: a file name below data/gpus/")
    gpu_count: Count = Field(description="devices in the instance")
    usd_per_hour: Positive = Field(description="USD an hour for the whole instance, without tax")
    billing: Label = Field(description="on-demand or spot, and the billing step")
    as_of: date = Field(description="day of the price (2026-11-05); month or year if not known")
    as_of_precision: Literal["day", "month", "year"] = "day"
    source: Text = Field(description="where the price was seen")
    url: HttpsUrl | None = Field(None, description="page that shows the price")
    notes: Text | None = Field(None, description="what the price leaves out or mixes up")

    @model_validator(mode="before")
    @classmethod
    def _read_as_of(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "as_of" not in data:
            return data
        if "as_of_precision" in data:
            raise ValueError("as_of_precision is taken from as_of; leave it out")
        text = str(data["as_of"])
        try:
            day = first_day(text)
        except ValueError:
            return data
        precision = ("year", "month", "day")[text.count("-")]
        return {**data, "as_of": day, "as_of_precision": precision}


class ProviderFile(Record):
    """A provider and its offers."""

    provider: Label = Field(description="name of the provider")
    offers: list[Offer] = Field(
        min_length=1, max_length=5000, description="one entry an instance type"
    )


class OfferRecord(Offer):
    """An offer with its provider, as the rest of the program sees it."""

    provider: Label
    provider_slug: Slug

    @classmethod
    def of(cls, provider: str, provider_slug: str, offer: Offer) -> OfferRecord:
        """Join an offer with the provider whose file it stands in."""
        values = {name: getattr(offer, name) for name in Offer.model_fields}
        return cls.model_construct(provider=provider, provider_slug=provider_slug, **values)
