"""data/speed_model.yaml: the shape of the speed model, everything about it that is not fitted.

Which parts are pooled over what, how far a group may stray from the whole (prior), how engines
and weight formats are grouped.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pydantic import Field, PrivateAttr

from vramsite.catalog.record import Positive, Record
from vramsite.catalog.rule_yaml import read_rules
from vramsite.sizing.model_work import Routing


class Prior(Record):
    """Where a part's coefficient starts and how far groups stray from it, in natural logs."""

    start: Positive = Field(description="value before any measurement")
    spread: Positive = Field(description="how far measurements may move it")
    groups: dict[str, Positive] = Field(
        default_factory=dict, description="spread of each kind of group around it"
    )


class FormatClass(Record):
    """Weight formats with the same cost of reading, by the beginning of their name."""

    name: str
    prefixes: list[str] = Field(min_length=1)
    compute: str = Field("fp16", description="matrix rate that the engine's kernels use")


class EngineRule(Record):
    """What the speed model needs to know about an engine."""

    group: str = Field(description="engines that share their kernels share a group")
    pass_tokens: float = Field(0, ge=0, description="longest micro-batch; 0: the setting's")


class PhaseModel(Record):
    """One fit: the parts of a step, and effects that all its parts share."""

    scale: Positive = Field(description="spread of a good measurement, natural log")
    parts: dict[str, Prior]
    shared: dict[str, Positive] = Field(description="groups that change every part alike")


class SpeculationRule(Record):
    """Stated assumptions about drafting."""

    acceptance: Positive = Field(le=1)
    cost_share: Positive
    source: str


class RoutingRule(Record):
    """How unevenly tokens choose the experts of a mixture."""

    busy_share: Positive = Field(lt=1, description="share of the experts that is busy")
    busy_traffic: Positive = Field(le=1, description="share of the choices that fall on them")

    def record(self) -> Routing:
        """As the engine takes it."""
        return Routing(busy_share=self.busy_share, busy_traffic=self.busy_traffic)


class HostRule(Record):
    """Which main memory is assumed for weights on a host that no row describes."""

    desktop_gb: Positive = Field(description="weights on the host that a desktop still holds")
    server_platform: str = Field(description="platform of assumptions.yaml beyond that")


class Era(Record):
    """Measurements up to a month, told apart from today's."""

    until: str = Field(pattern=r"^\d{4}-\d{2}$")
    name: str


class SpeedModel(Record):
    """All of data/speed_model.yaml."""

    engines: dict[str, EngineRule]
    formats: list[FormatClass]
    dense_floor_bits: Positive = Field(
        description="bits that files of fewer bits keep outside the routed experts"
    )
    decode: PhaseModel
    prefill: PhaseModel
    routing: RoutingRule
    eras: list[Era] = Field(description="oldest first")
    hosts: HostRule
    speculation: SpeculationRule

    _classes: dict[str, FormatClass] = PrivateAttr(default_factory=dict)

    def format_class(self, name: str) -> FormatClass:
        """The class of a format by the beginning of its name; the last one where none matches."""
        # As `self._classes`, but ten times as fast: every answer asks for it.
        classes: dict[str, FormatClass] = self.__pydantic_private__["_classes"]  # type: ignore[index]
        found = classes.get(name)
        if found is None:
            plain = name.upper().removeprefix("UD-")
            found = next(
                (entry for entry in self.formats if plain.startswith(tuple(entry.prefixes))),
                self.formats[-1],
            )
            classes[name] = found
        return found

    def era(self, measured: str | None) -> str:
        """Name of the era of a date or of the end of a range of dates, "" for today's."""
        month = (measured or "").split("/")[-1][:7]
        for entry in self.eras:
            if month and month <= entry.until:
                return entry.name
        return ""

    def engine(self, name: str) -> EngineRule:
        """Rules of an engine; those of "other" for one that is not listed."""
        return self.engines.get(name, self.engines["other"])


@cache
def load_speed_model(data_dir: Path) -> SpeedModel:
    """Read the file. Raises pydantic's ValidationError where it is faulty."""
    return SpeedModel.model_validate(read_rules(data_dir / "speed_model.yaml"))
