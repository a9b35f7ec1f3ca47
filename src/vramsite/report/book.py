"""The shared, lazily filled state behind all views of one worker: cards and short answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from vramsite.catalog.money_facts import MoneyFacts, load_money_facts
from vramsite.catalog.quant_quality import QualityRow, load_quant_quality
from vramsite.catalog.trace import Kept
from vramsite.report.cards import (
    DeviceCard,
    ModelCard,
    PricedCard,
    device_card,
    model_card,
    priced_card,
)
from vramsite.report.choices import long_context, page_settings, short_context
from vramsite.report.measured import Measured, measured_by_device
from vramsite.report.nearest import Nearest, published
from vramsite.report.questions import LAST_ONLY, QUESTIONS
from vramsite.report.sizer import SizerError
from vramsite.sizing.errors import SizingError

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.sizing.brief import Brief
    from vramsite.sizing.cost_records import Load
    from vramsite.sizing.records import Assumptions, Estimate, Memory, Settings, Size

GIB = 2.0**30
_MOST_KEPT = 20_000
HOLDS = frozenset({"fits", "tight", "unified", "raised"})
WITH_RESERVE = frozenset({"fits", "unified"})


class Sizes(Protocol):
    """Whatever answers for one model on one device (`vramsite.report.sizer.Sizer`)."""

    def size(self, model_id: str, gpu_id: str, settings: Settings) -> Size:
        """The engine's answer."""
        ...

    def brief(self, model_id: str, gpu_id: str, settings: Settings) -> Brief:
        """What a table says of it."""
        ...

    def loads(
        self, model_id: str, gpu_id: str, settings: Settings, sequences: list[int]
    ) -> list[Load]:
        """What so many users write together, as long as the devices hold them."""
        ...

    def whole_speed(self, model_id: str, gpu_id: str, settings: Settings) -> Estimate:
        """Output speed of one sequence with everything on the devices."""
        ...

    def load(self, model_id: str, settings: Settings) -> Whole:
        """The part of it that is the same on every device: all of it in the device's memory."""
        ...


class Whole(Protocol):
    """A model under some settings with nothing offloaded (`vramsite.sizing.engine.Loaded`)."""

    @property
    def memory(self) -> Memory:
        """The breakdown."""
        ...


@dataclass(frozen=True, slots=True)
class PairSummary:
    """The short answer for one pair at the page's default configuration.

    `needed_bytes` is everything that would have to lie on the device to run there whole,
    `device_bytes` and `host_bytes` what lies where as it runs; prompt figures are for 4,096 tokens.
    """

    model_id: str
    gpu_id: str
    engine: str
    backend: str
    format: str
    context_tokens: float
    verdict: str
    needed_bytes: float
    usable_bytes: float | None
    device_bytes: float
    host_bytes: float
    gpus_needed: float | None
    weights_file_bytes: float
    decode: Estimate
    prefill_tps: float | None
    ttft_s: float | None

    @property
    def needed_gib(self) -> float:
        """The need in GiB: what a table sorts by."""
        return self.needed_bytes / GIB

    @property
    def usable_gib(self) -> float | None:
        """The usable memory in GiB, None where it is not known."""
        return None if self.usable_bytes is None else self.usable_bytes / GIB


class Book:
    """Catalog and sizer with what many pages share, computed once when first asked for."""

    __slots__ = (
        "_device_cards",
        "_long_needs",
        "_model_cards",
        "_priced_cards",
        "_summaries",
        "catalog",
        "memo",
        "sizes",
    )

    def __init__(self, catalog: Catalog, sizes: Sizes) -> None:
        self.catalog = catalog
        self.sizes = sizes
        self.memo: Kept[tuple[object, ...], object] = Kept(questions=QUESTIONS, last=LAST_ONLY)
        self._model_cards: Kept[str, ModelCard] = Kept("model_card")
        self._device_cards: Kept[str, DeviceCard] = Kept("device_card")
        self._priced_cards: Kept[str, PricedCard] = Kept()
        self._long_needs: Kept[tuple[str, str], tuple[str, float]] = Kept("long_needed")
        self._summaries: Kept[tuple[str, str], PairSummary] = Kept("summary")

    def forget_pairs(self) -> None:
        """Between pages: what grows with the pairs begins anew once there is very much of it."""
        for kept in (self._summaries, self._long_needs, self.memo):
            if len(kept) > _MOST_KEPT:
                kept.clear()

    def model_card(self, model_id: str) -> ModelCard:
        """The card of a model of the catalog."""
        card = self._model_cards.get(model_id)
        if card is None:
            card = model_card(self.catalog.models[model_id], self.catalog.architecture(model_id))
            self._model_cards[model_id] = card
        return card

    def device_card(self, gpu_id: str) -> DeviceCard:
        """The card of a device of the catalog."""
        card = self._device_cards.get(gpu_id)
        if card is None:
            device = self.catalog.device(gpu_id)
            card = device_card(
                self.catalog.gpus[gpu_id], device.capacity_bytes, device.usable_bytes
            )
            self._device_cards[gpu_id] = card
        return card

    def priced_card(self, gpu_id: str) -> PricedCard:
        """The card of a device with its price: for what shows it."""
        card = self._priced_cards.get(gpu_id)
        if card is None:
            card = priced_card(self.device_card(gpu_id), self.catalog.gpus[gpu_id])
            self._priced_cards[gpu_id] = card
        return card

    def try_size(self, model_id: str, gpu_id: str, settings: Settings) -> Size | None:
        """The engine's answer, None for a format or cache type that it refuses for this model."""
        try:
            return self.sizes.size(model_id, gpu_id, settings)
        except SizerError:
            return None

    def try_brief(self, model_id: str, gpu_id: str, settings: Settings) -> Brief | None:
        """What a table says, None as in `try_size`; cheaper than a size."""
        try:
            return self.sizes.brief(model_id, gpu_id, settings)
        except SizerError:
            return None

    def assumptions(self, gpu_id: str, backend: str | None = None) -> Assumptions:
        """What is assumed of the machine around the device (RAM, runtime, reserve)."""
        card = self.device_card(gpu_id)
        return self.catalog.assumptions.sizing(backend or card.backend, card.kind)

    def whole(self, model_id: str, settings: Settings) -> Memory | None:
        """Memory with nothing offloaded, None for what the engine refuses; cheaper than a size."""
        try:
            return self.sizes.load(model_id, settings).memory
        except (SizerError, SizingError):
            return None

    def measured(self, gpu_id: str) -> Measured:
        """Published measurements on a device."""
        key = ("measured",)
        found = self.memo.get(key)
        if not isinstance(found, dict):
            found = self.memo[key] = measured_by_device(self.catalog)
        rows: Measured = found.get(gpu_id, Measured([], 0))
        return rows

    def nearest(self, model_id: str, gpu_id: str) -> Nearest:
        """The published runs that a pair's estimate can be held against; kept for the last pair."""
        last = self.memo.get(("nearest",))
        if isinstance(last, tuple) and last[0] == (model_id, gpu_id):
            known: Nearest = last[1]
            return known
        found = published(self.catalog, self.memo).nearest(model_id, gpu_id)
        self.memo[("nearest",)] = ((model_id, gpu_id), found)
        return found

    def money_facts(self) -> MoneyFacts:
        """Electricity, power, hosted prices and emissions, read when first asked for."""
        key = ("money_facts",)
        found = self.memo.get(key)
        if not isinstance(found, MoneyFacts):
            found = self.memo[key] = load_money_facts(self.catalog.data_dir)
        return found

    def quality_rows(self) -> list[QualityRow]:
        """Published quality of weight formats, read when first asked for."""
        key = ("quality_rows",)
        found = self.memo.get(key)
        if not isinstance(found, list):
            found = self.memo[key] = load_quant_quality(self.catalog.data_dir)
        return found

    def runs_on(self, engine: str, backend: str) -> bool:
        """Whether data/engines.yaml lists the back end for the engine."""
        record = self.catalog.engines.get(engine)
        return record is not None and backend in record.backends

    def summary(self, model_id: str, gpu_id: str) -> PairSummary:
        """The short answer for one pair (default format, short context)."""
        found = self._summaries.get((model_id, gpu_id))
        if found is not None:
            return found
        model = self.catalog.models[model_id]
        gpu = self.catalog.gpus[gpu_id]
        short = self.sizes.size(
            model_id, gpu_id, page_settings(gpu, context_tokens=short_context(model))
        )
        summary = PairSummary(
            model_id=model_id,
            gpu_id=gpu_id,
            engine=short.settings.engine,
            backend=short.settings.backend,
            format=short.settings.format,
            context_tokens=short.settings.context_tokens,
            verdict=short.fit.verdict,
            needed_bytes=short.fit.needed_bytes,
            usable_bytes=short.fit.usable_bytes,
            device_bytes=short.memory.device_bytes,
            host_bytes=short.memory.host_bytes,
            gpus_needed=short.fit.gpus_needed,
            weights_file_bytes=short.weights_file_bytes,
            decode=short.decode_tps,
            prefill_tps=short.prefill_tps.value,
            ttft_s=short.ttft_s.value,
        )
        self._summaries[(model_id, gpu_id)] = summary
        return summary

    def long_needed(self, model_id: str, gpu_id: str) -> tuple[str, float]:
        """Verdict and needed bytes of the pair at the long context."""
        found = self._long_needs.get((model_id, gpu_id))
        if found is not None:
            return found
        model = self.catalog.models[model_id]
        gpu = self.catalog.gpus[gpu_id]
        found_there = self.sizes.brief(
            model_id, gpu_id, page_settings(gpu, context_tokens=long_context(model))
        )
        answer = found_there.verdict, found_there.needed_bytes
        self._long_needs[(model_id, gpu_id)] = answer
        return answer
