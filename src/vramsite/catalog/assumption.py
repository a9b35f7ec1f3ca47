"""A figure that is assumed, with its reason."""

from __future__ import annotations

from pydantic import Field, model_validator

from vramsite.catalog.record import IsoDate, Label, Record, Text


class Assumption(Record):
    """One figure that is assumed, and why."""

    value: float = Field(ge=0, description="the value in `unit`")
    low: float | None = Field(None, ge=0, description="lower end of what was seen")
    high: float | None = Field(None, ge=0, description="upper end of what was seen")
    unit: Label = Field(description="MiB, GiB, GB/s, share, USD/kWh, W")
    source: Text = Field(description="where it comes from, or how it was set")
    as_of: IsoDate = Field(description="day of the source")
    note: Text | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Assumption:
        low = self.value if self.low is None else self.low
        high = self.value if self.high is None else self.high
        if not low <= self.value <= high:
            raise ValueError("low, value and high must be in this order")
        return self
