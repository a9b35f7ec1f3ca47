"""What a device runs well: the largest models it holds at 4, 8 and 16 bit and three contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import GIB, WITH_RESERVE, Book
from vramsite.report.choices import (
    DEFAULT_FORMAT,
    SHORT_CONTEXT_TOKENS,
    page_settings,
    with_context,
    with_format,
)
from vramsite.sizing.figures import context_figures, context_verdict

if TYPE_CHECKING:
    from vramsite.report.cards import ModelCard
    from vramsite.sizing.records import Estimate, Memory

FORMATS = ((4, DEFAULT_FORMAT), (8, "Q8_0"), (16, "BF16"))
LEAST_BITS_SHARE = 0.75  # a file "in BF16" whose experts stay in 4 bit is no 16-bit model
CONTEXTS_TOKENS = (SHORT_CONTEXT_TOKENS, 32768, 131072)
LEAST_TPS = 20.0  # where the catalog assumes nothing


@dataclass(frozen=True, slots=True)
class Held:
    """A model held with reserve; `query` is what its page's address needs for these settings."""

    model: ModelCard
    needed_bytes: float
    decode: Estimate
    query: str

    @property
    def needed_gib(self) -> float:
        """The need in GiB."""
        return self.needed_bytes / GIB


@dataclass(frozen=True, slots=True)
class Reach:
    """One format at one context: how many models are held with reserve, and the largest.

    `quick` is the largest that writes at least the least speed, where it is another one.
    """

    context_tokens: int
    count: int
    largest: Held | None
    quick: Held | None


@dataclass(frozen=True, slots=True)
class ReachRow:
    """One format at every context."""

    bits: int
    format: str
    cells: list[Reach]


@dataclass(frozen=True, slots=True)
class ReachTable:
    """All formats; `least_tps` is what counts as quick."""

    rows: list[ReachRow]
    least_tps: float


def device_reach(book: Book, gpu_id: str) -> ReachTable:
    """The table of one device. Models that do not take a context are left out there."""
    money = book.catalog.assumptions.money
    least = LEAST_TPS if money is None else money.least_tps_per_user.value
    rows = []
    for bits, name in FORMATS:
        if name not in book.catalog.formats:
            continue
        cells = [_reach(book, gpu_id, bits, tokens, least) for tokens in CONTEXTS_TOKENS]
        rows.append(ReachRow(bits, name, cells))
    return ReachTable(rows, least)


def _reach(book: Book, gpu_id: str, bits: int, tokens: int, least_tps: float) -> Reach:
    name = dict(FORMATS)[bits]
    held = []
    kind = book.device_card(gpu_id).kind
    assumed = book.assumptions(gpu_id)
    for model_id, memory in _needs(book, bits, tokens):
        usable = book.summary(model_id, gpu_id).usable_bytes
        if context_verdict(memory, usable, kind, assumed) in WITH_RESERVE:
            held.append(model_id)
    largest = _held(book, gpu_id, held[0], name, tokens) if held else None
    quick = None
    for model_id in held:
        found = _held(book, gpu_id, model_id, name, tokens)
        if found is not None and (found.decode.value or 0.0) >= least_tps:
            quick = found
            break
    if quick is not None and largest is not None and quick.model.id == largest.model.id:
        quick = None
    return Reach(tokens, len(held), largest, quick)


def _needs(book: Book, bits: int, tokens: int) -> list[tuple[str, Memory]]:
    """Memory of every model that takes the context, the largest first, of equal ones the newest.

    Models whose weights keep far fewer bits in this format are left out.
    """
    key = ("needs", bits, tokens)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    models = [model for model in book.catalog.models.values() if model.context_max_tokens >= tokens]
    models.sort(key=lambda model: model.id)
    models.sort(key=lambda model: str(model.released or ""), reverse=True)
    models.sort(key=lambda model: -(model.params_total or 0))
    first = next(iter(book.catalog.gpus.values()))
    settings = with_context(with_format(page_settings(first), dict(FORMATS)[bits]), tokens)
    found = []
    for model in models:
        memory = book.whole(model.id, settings)
        if memory is None:
            continue
        stored = context_figures(memory).weights_bytes * 8.0
        if stored >= (model.params_total or 0) * bits * LEAST_BITS_SHARE:
            found.append((model.id, memory))
    book.memo[key] = found
    return found


def _held(book: Book, gpu_id: str, model_id: str, name: str, tokens: int) -> Held | None:
    settings = with_context(with_format(page_settings(book.catalog.gpus[gpu_id]), name), tokens)
    found = book.try_brief(model_id, gpu_id, settings)
    if found is None:
        return None
    asked = [f"f={name}"] if name != DEFAULT_FORMAT else []
    asked += [f"c={tokens}"] if tokens != SHORT_CONTEXT_TOKENS else []
    return Held(
        model=book.model_card(model_id),
        needed_bytes=found.needed_bytes,
        decode=found.decode_tps,
        query=f"?{'&'.join(asked)}" if asked else "",
    )
