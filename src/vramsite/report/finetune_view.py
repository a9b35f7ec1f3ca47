"""What pages say about fine-tuning a model: methods, terms, devices, files to start with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.catalog.finetune_rules import load_finetune_rules
from vramsite.report.bars import Bar, draw
from vramsite.report.cards import list_price_usd
from vramsite.report.finetune_recipes import Recipe, recipes
from vramsite.report.recommend import by_price
from vramsite.sizing.finetune import fine_tune_shape
from vramsite.sizing.finetune_adapters import adapters
from vramsite.sizing.finetune_fit import TrainingPeak, first_fit, training_need, training_peak
from vramsite.sizing.finetune_records import TrainShape
from vramsite.sizing.finetune_shape import train_shape
from vramsite.sizing.finetune_speed import training_flops_per_token, training_span

if TYPE_CHECKING:
    from vramsite.catalog.finetune_rules import FinetuneRulesFile
    from vramsite.report.book import Book
    from vramsite.report.cards import DeviceCard
    from vramsite.sizing.finetune_records import FineTune, FineTuneMemory

COUNTS = (1, 2, 4, 8, 16, 32, 64)  # devices that a run is tried on
TRAINING_BACKENDS = frozenset({"cuda", "rocm"})  # of both tools and of 4- and 8-bit weights
RECOMMENDED = 3


@dataclass(frozen=True, slots=True)
class TrainingRate:
    """Tokens a second as an interval (80 % of published runs on this family of devices)."""

    low_tps: float
    high_tps: float
    hours_low: float  # for ten million tokens
    hours_high: float
    runs: int
    sources: int


@dataclass(frozen=True, slots=True)
class TrainingVerdict:
    """One method on one kind of device.

    `verdict`: "fits", "tight", "several" (on `devices` of them), "exceeds" (not even on 64),
    "no_tool" (neither tool runs there), "unknown" (no capacity on record). `need_bytes` is what
    each device cannot do without at that count, `memory` the breakdown there.
    """

    method: str
    device: DeviceCard
    verdict: str
    devices: int | None
    choice: FineTune
    memory: FineTuneMemory
    need_bytes: float
    recipes: list[Recipe]
    rate: TrainingRate | None


@dataclass(frozen=True, slots=True)
class TrainingMethod:
    """A method on one device, whatever its size. `method` is qlora, lora_8bit, lora or full.

    `with_experts_bytes`: the same peak with adapters on the routed experts too; None without any.
    """

    method: str
    choice: FineTune
    memory: FineTuneMemory
    need_bytes: float
    trained_share: float
    bar: Bar
    with_experts_bytes: float | None
    recommended: list[TrainingVerdict]


@dataclass(frozen=True, slots=True)
class FineTuneView:
    """The fine-tuning section of a model's page.

    `rows`, `median_error`, `p90_error`: how far predicted peaks were from published ones, each
    source predicted without its own rows.
    """

    methods: list[TrainingMethod]
    sequence_tokens: float
    rank: float
    rows: int
    median_error: float
    p90_error: float


def finetune_view(book: Book, model_id: str) -> FineTuneView | None:
    """All methods with the devices to recommend; None for a model without a tensor list."""
    if not book.catalog.architecture(model_id).tensors:
        return None
    rules = load_finetune_rules(book.catalog.data_dir)
    peaks = {name: _memory(book, rules, model_id, name, 1) for name in rules.methods}
    longest = max(memory.allocated_bytes for _, memory in peaks.values())
    methods = []
    for name, (choice, memory) in peaks.items():
        stretches = [(term.name, term.device_bytes) for term in memory.terms]
        methods.append(
            TrainingMethod(
                method=name,
                choice=choice,
                memory=memory,
                need_bytes=training_need(memory, rules.record(), False),
                trained_share=memory.trained_parameters / max(memory.parameters, 1.0),
                bar=draw(stretches, None, longest),
                with_experts_bytes=_with_experts(book, rules, model_id, name),
                recommended=_recommended(book, rules, model_id, name),
            )
        )
    judged = rules.calibration.errors.methods["all"]
    return FineTuneView(
        methods=methods,
        sequence_tokens=rules.sequence_tokens,
        rank=rules.rank,
        rows=judged.count,
        median_error=judged.median,
        p90_error=judged.p90,
    )


def pair_finetune(book: Book, model_id: str, gpu_id: str, least: int = 1) -> list[TrainingVerdict]:
    """Every method on `least` or more of that device; none for a model without a tensor list."""
    if not book.catalog.architecture(model_id).tensors:
        return []
    rules = load_finetune_rules(book.catalog.data_dir)
    return [_verdict(book, rules, model_id, name, gpu_id, least) for name in rules.methods]


def has_tool(book: Book, gpu_id: str) -> bool:
    """Whether both training tools run on the device."""
    return bool(TRAINING_BACKENDS.intersection(book.catalog.gpus[gpu_id].backends))


def training_peaks(book: Book, model_id: str, method: str) -> list[TrainingPeak]:
    """What a run needs on each number of devices that is tried."""
    key = ("training peaks", model_id, method)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    rules = load_finetune_rules(book.catalog.data_dir)
    record = rules.record()
    found = []
    for devices in COUNTS:
        memory = _memory(book, rules, model_id, method, devices)[1]
        found.append(training_peak(memory, record, float(devices)))
    book.memo[key] = found
    return found


def training_work(book: Book, model_id: str, method: str) -> float | None:
    """Floating-point operations a token; None for 8-bit bases.

    Published rates of adapters are of 16- and 4-bit bases; 8-bit products are slower.
    """
    rules = load_finetune_rules(book.catalog.data_dir)
    choice = rules.choice(method)
    if choice.base == "int8":
        return None
    arch = book.catalog.architecture(model_id)
    share = arch.experts_used / arch.expert_count if arch.expert_count > 0.0 else 0.0
    return training_flops_per_token(_shape(book, model_id), share, choice)


def _memory(
    book: Book, rules: FinetuneRulesFile, model_id: str, method: str, devices: int
) -> tuple[FineTune, FineTuneMemory]:
    key = ("finetune", model_id, method, devices)
    known = book.memo.get(key)
    if isinstance(known, tuple):
        return known
    choice = rules.choice(method, devices=float(devices))
    found = choice, _peak(book, rules, model_id, choice)
    book.memo[key] = found
    return found


def _with_experts(book: Book, rules: FinetuneRulesFile, model_id: str, method: str) -> float | None:
    arch = book.catalog.architecture(model_id)
    if arch.expert_count <= 0.0 or rules.methods[method].method == "full":
        return None
    return _peak(book, rules, model_id, rules.choice(method, experts=True)).allocated_bytes


def _peak(book: Book, rules: FinetuneRulesFile, model_id: str, choice: FineTune) -> FineTuneMemory:
    """What a run takes."""
    arch = book.catalog.architecture(model_id)
    added = adapters(arch, choice.rank, choice.targets)
    return fine_tune_shape(_shape(book, model_id), added, choice, rules.record())


def _shape(book: Book, model_id: str) -> TrainShape:
    """The model summed up, once for all runs."""
    key = ("train shape", model_id)
    known = book.memo.get(key)
    if isinstance(known, TrainShape):
        return known
    found = train_shape(book.catalog.architecture(model_id))
    book.memo[key] = found
    return found


def _verdict(
    book: Book,
    rules: FinetuneRulesFile,
    model_id: str,
    method: str,
    gpu_id: str,
    least: int = 1,
) -> TrainingVerdict:
    verdict = "no_tool"
    count: int | None = None
    if has_tool(book, gpu_id):
        peaks = training_peaks(book, model_id, method)
        fit = first_fit(peaks, book.catalog.device(gpu_id), float(least))
        verdict = fit.verdict
        count = None if fit.devices is None else int(fit.devices)
    choice, memory = _memory(book, rules, model_id, method, count or 1)
    return TrainingVerdict(
        method=method,
        device=book.device_card(gpu_id),
        verdict=verdict,
        devices=count,
        choice=choice,
        memory=memory,
        need_bytes=training_need(memory, rules.record(), choice.devices > 1.0),
        recipes=recipes(book.catalog.models[model_id].hf_repo, choice) if count else [],
        rate=_rate(book, rules, model_id, method, gpu_id) if count == 1 else None,
    )


def _rate(
    book: Book, rules: FinetuneRulesFile, model_id: str, method: str, gpu_id: str
) -> TrainingRate | None:
    device = book.catalog.device(gpu_id)
    known = rules.calibration.throughput.get(device.family, {}).get(rules.methods[method].method)
    if known is None:
        return None
    work = training_work(book, model_id, method)
    span = training_span(known.low, known.high, device.bf16_flops, work)
    if span is None:
        return None
    return TrainingRate(
        low_tps=span.low_tps,
        high_tps=span.high_tps,
        hours_low=1e7 / span.high_tps / 3600.0,
        hours_high=1e7 / span.low_tps / 3600.0,
        runs=known.count,
        sources=known.sources,
    )


def _recommended(
    book: Book, rules: FinetuneRulesFile, model_id: str, method: str
) -> list[TrainingVerdict]:
    """The cheapest that hold it alone; else what needs the fewest devices, then the cheapest."""
    alone: list[TrainingVerdict] = []
    shared: list[tuple[int, float, int, TrainingVerdict]] = []
    for place, card in enumerate(by_price(book)):
        found = _verdict(book, rules, model_id, method, card.id)
        if found.verdict == "fits":
            alone.append(found)
            if len(alone) == RECOMMENDED:
                break
        elif found.devices is not None and found.devices > 1:
            price = list_price_usd(book.catalog.gpus[card.id])
            cost = float("inf") if price is None else price * found.devices
            shared.append((found.devices, cost, place, found))
    if alone:
        return alone
    shared.sort(key=lambda entry: entry[:3])
    return [entry[3] for entry in shared[:RECOMMENDED]]
