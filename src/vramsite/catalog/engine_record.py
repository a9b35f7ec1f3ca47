"""Inference engines: `data/engines.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from vramsite.catalog.gpu_record import Backend
from vramsite.catalog.record import HttpsUrl, IsoDate, Label, Positive, Record, Text

FormatFamily = Literal["gguf", "gguf-dynamic", "checkpoint", "mlx", "exl"]
EngineId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=40)]


class EngineDefault(Record):
    """One default setting of an engine that changes memory or speed."""

    value: float | int | str | bool = Field(description="the value used when nothing is set")
    flag: Label | None = Field(None, description="the option that changes it")
    source: Text = Field(description="where the default is stated")
    as_of: IsoDate = Field(description="day it was checked")
    note: Text | None = None


class EngineRecord(Record):
    """An engine that runs models."""

    id: EngineId = Field(description="as in the engine column of data/measurements/")
    name: Label = Field(description="name as its project writes it")
    url: HttpsUrl = Field(description="home of the project")
    backends: list[Backend] = Field(min_length=1, description="back ends it has")
    formats: list[FormatFamily] = Field(
        min_length=1, description="families of data/quants.yaml that it loads"
    )
    defaults: dict[str, EngineDefault] = Field(default_factory=dict)
    memory_utilization: Positive | None = Field(
        None, description="share of the device it reserves at start, if it reserves"
    )
    notes: str = ""


class EnginesFile(Record):
    """All of data/engines.yaml."""

    engines: list[EngineRecord] = Field(min_length=1)
