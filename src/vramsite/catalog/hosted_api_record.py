"""Prices of hosted APIs: `data/side/hosted_api.yaml`."""

from __future__ import annotations

from pydantic import Field

from vramsite.catalog.record import Label, Positive, Record, Slug, Text
from vramsite.catalog.side_records import Sourced


class HostedPrice(Sourced):
    """USD for a million tokens of a model that somebody else runs."""

    model_id: Slug = Field(description="id of the model: a file name below data/models/")
    provider: Label
    provider_model_id: Label = Field(description="the provider's own name for it")
    input_usd_per_mtok: Positive
    cached_input_usd_per_mtok: float | None = Field(None, ge=0)
    output_usd_per_mtok: Positive
    tier: Label | None = Field(None, description="a price for a special tier (batch, priority)")


class HostedApiFile(Record):
    """data/side/hosted_api.yaml."""

    about: Text
    rows: list[HostedPrice]
    not_found: list[Text] = Field(default_factory=list)
