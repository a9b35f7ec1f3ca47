"""House rules for the single files of the data folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from vramsite.catalog.assumptions_record import AssumptionsRecord
from vramsite.catalog.engine_record import EnginesFile
from vramsite.catalog.format_record import QuantsFile
from vramsite.catalog.rules.rule import Context, Finding, Rule, future_dates


def quant_dates_are_past(quants: QuantsFile, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(quants, context.today)


def format_names_differ(quants: QuantsFile, context: Context) -> Iterator[Finding]:
    """Each format is described once."""
    yield from _repeated("formats", (item.name for item in quants.formats), "name")


def base_types_known(quants: QuantsFile, context: Context) -> Iterator[Finding]:
    """The block type of a format is described in the same file."""
    for index, item in enumerate(quants.formats):
        if item.base_type is not None and item.base_type not in quants.block_types:
            yield (
                ("formats", index, "base_type"),
                f"found {item.base_type}; is not in block_types",
            )


def engine_dates_are_past(engines: EnginesFile, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(engines, context.today)


def engine_ids_differ(engines: EnginesFile, context: Context) -> Iterator[Finding]:
    """Each engine is described once."""
    yield from _repeated("engines", (item.id for item in engines.engines), "id")


def assumption_dates_are_past(record: AssumptionsRecord, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(record, context.today)


def host_platforms_exist(record: AssumptionsRecord, context: Context) -> Iterator[Finding]:
    """The memory of each computer is one of the list, and each is there once."""
    ids = [platform.id for platform in record.ram_platforms]
    for place, host in enumerate(record.hosts):
        if host.ram_platform not in ids:
            found = f"found {host.ram_platform}; must be one of {', '.join(ids)}"
            yield ("hosts", place, "ram_platform"), found
    yield from _repeated("ram_platforms", ids, "id")
    yield from _repeated("hosts", (host.id for host in record.hosts), "id")


def every_backend_has_a_runtime(record: AssumptionsRecord, context: Context) -> Iterator[Finding]:
    """A back end without a figure of its own falls back to `other`."""
    if "other" not in record.runtime:
        yield ("runtime",), "has no entry `other`, the fallback; add it"


def _repeated(key: str, names: Iterable[str], inner: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield (key, index, inner), f"found {name} a second time"
        seen.add(name)


QUANT_RULES: list[Rule[QuantsFile]] = [quant_dates_are_past, format_names_differ, base_types_known]
ENGINE_RULES: list[Rule[EnginesFile]] = [engine_dates_are_past, engine_ids_differ]
ASSUMPTION_RULES: list[Rule[AssumptionsRecord]] = [
    assumption_dates_are_past,
    host_platforms_exist,
    every_backend_has_a_runtime,
]
