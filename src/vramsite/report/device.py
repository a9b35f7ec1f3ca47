"""What a device's page says: its facts with sources, what a model may use, and all models on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import GIB, Book, PairSummary
from vramsite.report.device_reach import ReachTable, device_reach

if TYPE_CHECKING:
    from vramsite.catalog import GpuRecord
    from vramsite.report.cards import ModelCard, PricedCard
    from vramsite.report.measured import Measured

WHOLE = frozenset({"fits", "tight", "unified"})


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of the data sheet: a name, a number in `unit` or a text, and its source's number.

    `unit` "" means that the number has none; `source` is the place in `DeviceView.sources`,
    None where the source is not on record.
    """

    name: str
    number: float | None
    text: str | None
    unit: str
    source: int | None


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model in the table of all models on a device."""

    model: ModelCard
    summary: PairSummary
    long_verdict: str
    long_needed_bytes: float

    @property
    def long_needed_gib(self) -> float:
        """The need at the long context in GiB: what a table sorts by."""
        return self.long_needed_bytes / GIB


@dataclass(frozen=True, slots=True)
class Street:
    """A price range seen in shops, with the day, month or year it was seen."""

    low: float
    high: float
    condition: str
    as_of: str
    source: int


@dataclass(frozen=True, slots=True)
class UsableMemory:
    """From the size on the box to what a model may use, in bytes.

    `capacity_basis` is "driver", "measured" or "marketing"; `limit_bytes` is what the system lets
    one process take, `rule` the text of the rule where the memory is shared.
    """

    capacity_bytes: float | None
    capacity_basis: str
    limit_bytes: float | None
    runtime_bytes: float
    usable_bytes: float | None
    shared: bool
    rule: str | None
    rule_source: int | None


@dataclass(frozen=True, slots=True)
class DeviceView:
    """Everything on a device page."""

    device: PricedCard
    facts: list[Fact]
    street: Street | None
    usable: UsableMemory
    reach: ReachTable
    models: list[ModelRow]
    holds_count: int
    measured: Measured
    sources: list[str]


class _Footnotes:
    """Texts by number, each only once."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def number(self, text: str | None) -> int | None:
        """The number of a text, from 1; None for none."""
        if not text:
            return None
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text) + 1


def _facts(gpu: GpuRecord, notes: _Footnotes) -> list[Fact]:
    rates = gpu.tflops
    lines: list[tuple[str, float | None, str | None, str, str]] = [
        ("memory_sold", gpu.memory_gb, None, "GB", "memory_gb"),
        ("memory_driver", _float(gpu.memory_mib_reported), None, "MiB", "memory_mib_reported"),
        ("memory_measured", gpu.memory_gib_measured, None, "GiB", "memory_gib_measured"),
        ("memory_type", None, gpu.memory_type, "", "memory_type"),
        ("bandwidth", gpu.bandwidth_gb_s, None, "GB/s", "bandwidth_gb_s"),
        ("fp16", rates.fp16, None, "TFLOPS", "tflops"),
        ("fp16_fp16acc", rates.fp16_fp16acc, None, "TFLOPS", "tflops"),
        ("bf16", rates.bf16, None, "TFLOPS", "tflops"),
        ("fp8", rates.fp8, None, "TFLOPS", "tflops"),
        ("int8", rates.int8, None, "TOPS", "tflops"),
        ("fp4", rates.fp4, None, "TFLOPS", "tflops"),
        ("power", gpu.tdp_w, None, "W", "tdp_w"),
        ("pcie", None, gpu.pcie, "", "pcie"),
        ("link", gpu.interconnect.gb_s, gpu.interconnect.type, "GB/s", "interconnect"),
        ("list_price", gpu.msrp_usd, None, "USD", "msrp_usd"),
        ("launched", None, gpu.launched, "date", "launched"),
    ]
    return [
        Fact(name, number, text, unit, notes.number(gpu.sources.get(key)))
        for name, number, text, unit, key in lines
        if number is not None or text is not None
    ]


def _float(value: int | None) -> float | None:
    return None if value is None else float(value)


def _order(row: ModelRow) -> tuple[int, float, str]:
    """What the device holds first, the largest model at the top; then what it offloads, the
    fastest at the top; then the rest by need.
    """
    summary = row.summary
    if summary.verdict in WHOLE or summary.verdict == "raised":
        return (int(summary.verdict == "raised"), -(row.model.params_total or 0.0), row.model.id)
    if summary.verdict == "offload":
        return (2, -(summary.decode.value or 0.0), row.model.id)
    return (3, summary.needed_bytes, row.model.id)


def device_view(book: Book, gpu_id: str) -> DeviceView:
    """The page of one device."""
    gpu = book.catalog.gpus[gpu_id]
    device = book.catalog.device(gpu_id)
    notes = _Footnotes()
    facts = _facts(gpu, notes)
    street = None
    if gpu.street_usd is not None:
        seen = gpu.street_usd
        number = notes.number(seen.source) or 0
        street = Street(seen.low, seen.high, seen.condition, str(seen.as_of), number)
    default = gpu.usable_default
    rows = []
    for model_id in book.catalog.models:
        long_verdict, long_needed = book.long_needed(model_id, gpu_id)
        rows.append(
            ModelRow(
                model=book.model_card(model_id),
                summary=book.summary(model_id, gpu_id),
                long_verdict=long_verdict,
                long_needed_bytes=long_needed,
            )
        )
    rows.sort(key=_order)
    assumed = book.assumptions(gpu_id)
    return DeviceView(
        device=book.priced_card(gpu_id),
        facts=facts,
        street=street,
        usable=UsableMemory(
            capacity_bytes=device.capacity_bytes,
            capacity_basis=device.capacity_basis,
            limit_bytes=device.usable_bytes,
            runtime_bytes=assumed.runtime_bytes + assumed.display_bytes,
            usable_bytes=rows[0].summary.usable_bytes if rows else None,
            shared=gpu.kind == "unified",
            rule=default.rule if default else None,
            rule_source=notes.number(default.source) if default else None,
        ),
        reach=device_reach(book, gpu_id),
        models=rows,
        holds_count=sum(1 for row in rows if row.summary.verdict in WHOLE),
        measured=book.measured(gpu_id),
        sources=notes.texts,
    )
