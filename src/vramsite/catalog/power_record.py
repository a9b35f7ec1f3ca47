"""Measured power: `data/side/power.yaml`."""

from __future__ import annotations

from pydantic import Field, model_validator

from vramsite.catalog.record import Count, Label, Positive, Record, Slug, Text
from vramsite.catalog.side_records import Sourced

WHOLE_MACHINE = "whole machine at the wall"


class _OfDevice(Sourced):
    gpu: Slug | None = None
    device: Label | None = Field(None, description="the machine, or hardware outside the catalog")

    @model_validator(mode="after")
    def _named(self) -> _OfDevice:
        if self.gpu is None and self.device is None:
            raise ValueError("name the hardware by gpu or device")
        return self


class IdlePower(_OfDevice):
    """Draw of a device, or of a whole machine, that does nothing."""

    watts: Positive
    watts_min: Positive | None = None
    watts_max: Positive | None = None
    state: Label = Field(description="P8, P0, idle, ...")
    scope: Label = Field(description="GPU board (telemetry) or whole machine at the wall")


class IdleEffect(Sourced):
    """What something adds to the idle draw."""

    what: Text
    watts: Positive | None = None
    watts_min: Positive | None = None
    watts_max: Positive | None = None


class LoadPower(_OfDevice):
    """Draw while a model runs; of one device unless `scope` says otherwise."""

    phase: Label
    n_gpus: Count
    scope: Text
    watts: Positive | None = None
    watts_min: Positive | None = None
    watts_max: Positive | None = None
    watts_total: Positive | None = None
    power_limit_w: Positive | None = None
    tdp_w: Positive | None = None
    fraction_of_tdp: Positive | None = None
    model: Text | None = None
    format: Label | None = None
    engine: Label | None = None
    tokens_per_s: Positive | None = None
    output_tokens_per_s: Positive | None = None
    spec_decode: Label | bool | None = None
    runs: Count | None = None
    max_num_seqs: Count | None = None
    avg_batch: Positive | None = None
    median_itl_ms: Positive | None = None


class TdpShare(Sourced):
    """Median draw of a device in one phase as a share of its board power."""

    gpu: Slug
    phase: Label = Field(description="decode, decode_batched, prefill")
    fraction_of_tdp_median: Positive
    fraction_min: Positive
    fraction_max: Positive
    rows: Count


class HostOverhead(Sourced):
    """Draw of the computer around the device."""

    what: Text
    watts: Positive | None = None
    watts_min: Positive | None = None
    watts_max: Positive | None = None


class Pue(Sourced):
    """Power of a site over the power of its computers."""

    site: Label
    pue: float = Field(ge=1, lt=10)


class PowerFile(Record):
    """data/side/power.yaml."""

    idle: list[IdlePower]
    idle_effects: list[IdleEffect]
    load: list[LoadPower]
    fraction_of_tdp: list[TdpShare]
    host_overhead: list[HostOverhead]
    pue: list[Pue]
    not_found: list[Text] = Field(default_factory=list)
