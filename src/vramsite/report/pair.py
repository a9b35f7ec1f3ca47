"""What the page of one model on one device says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.advice import Advice, advice
from vramsite.report.bars import Bar, drawn
from vramsite.report.book import HOLDS, Book, PairSummary
from vramsite.report.choices import (
    curve_contexts,
    page_settings,
    short_context,
    with_context,
)
from vramsite.report.commands import Command, checkpoint_devices, launch_commands
from vramsite.report.formats import FormatRow, best_format, format_rows
from vramsite.report.notes import Notes, page_notes
from vramsite.report.related import related_devices, related_models
from vramsite.sizing.figures import (
    context_bar,
    context_figures,
    context_verdict,
    long_context_tokens,
    longest_whole_tokens,
    size_bar,
    size_figures,
    speed_bars,
)

if TYPE_CHECKING:
    from vramsite.report.cards import ModelCard, PricedCard
    from vramsite.report.nearest import Nearest
    from vramsite.sizing.records import Settings, Size


@dataclass(frozen=True, slots=True)
class CurveRow:
    """Memory and speed at one context; `verdict` is the pair's there, bars share scales by page.

    `tps` is None where not everything lies on the device, but at the page's own contexts.
    """

    context_tokens: int
    cache_bytes: float
    needed_bytes: float
    verdict: str
    bar: Bar
    tps: float | None
    speed_bar: Bar


@dataclass(frozen=True, slots=True)
class PairView:
    """Everything on a pair page, neutral of language.

    `size` is the answer at the short context, `long` at the long one; `usual` tells whether the
    settings are those that every page shows by default; `needed_bytes` is what the
    device would have to hold for everything to run on it, whatever the verdict; `missing_bytes`
    is what it has too little (None where it holds everything), `need_share` is need over usable;
    `longest_whole_tokens` is about the longest context that it holds whole, where that lies within
    the curve.
    """

    model: ModelCard
    device: PricedCard
    size: Size
    long: Size
    usual: bool
    needed_bytes: float
    long_needed_bytes: float
    missing_bytes: float | None
    need_share: float | None
    tight_fraction: float
    ram_bytes_per_s: float
    host_ram_bytes: float
    short_tokens: int
    long_tokens: int
    weights_basis: str
    bar: Bar
    curve: list[CurveRow]
    longest_whole_tokens: int | None
    formats: list[FormatRow]
    best_format: FormatRow | None
    commands: list[Command]
    notes: Notes
    advice: Advice
    nearest: Nearest
    other_devices: list[PairSummary]
    other_models: list[PairSummary]

    @property
    def hopeless(self) -> bool:
        """No way to run it on this device is known: the page asks not to be indexed."""
        return self.size.fit.verdict == "exceeds"

    @property
    def holds(self) -> bool:
        """Everything lies in the device's memory."""
        return self.size.fit.verdict in HOLDS


def _contexts(
    book: Book, model_id: str, gpu_id: str, settings: Settings, known: list[Size]
) -> list[CurveRow]:
    """Memory and speed over contexts; `known` sizes lend theirs to their context."""
    sizes = {size.settings.context_tokens: size for size in known}
    usable = known[0].fit.usable_bytes
    raised = known[0].fit.raised_bytes
    kind = book.catalog.gpus[gpu_id].kind
    assumed = book.assumptions(gpu_id, settings.backend)
    asked = {*curve_contexts(book.catalog.models[model_id]), int(settings.context_tokens)}
    found = []
    speeds: list[float | None] = []
    for tokens in sorted(asked):
        there = with_context(settings, tokens)
        memory = book.whole(model_id, there)
        if memory is None:
            continue
        size = sizes.get(there.context_tokens)
        if size is not None:
            verdict, speed = size.fit.verdict, size.decode_tps.value
        else:
            verdict, speed = context_verdict(memory, usable, kind, assumed, raised), None
            if verdict in HOLDS:
                speed = book.sizes.whole_speed(model_id, gpu_id, there).value
        found.append((tokens, context_figures(memory), verdict))
        speeds.append(speed)
    bars = speed_bars(speeds)
    return [
        CurveRow(
            context_tokens=tokens,
            cache_bytes=figures.cache_bytes,
            needed_bytes=figures.needed_bytes,
            verdict=verdict,
            bar=drawn(context_bar(figures, usable, found[-1][1])),
            tps=speeds[at],
            speed_bar=drawn(bars[at]),
        )
        for at, (tokens, figures, verdict) in enumerate(found)
    ]


def default_settings(book: Book, model_id: str, gpu_id: str) -> Settings:
    """What the page of this model on this device shows."""
    return page_settings(
        book.catalog.gpus[gpu_id], context_tokens=short_context(book.catalog.models[model_id])
    )


def pair_view(book: Book, model_id: str, gpu_id: str, settings: Settings | None = None) -> PairView:
    """Everything that the page of this model on this device says, by default at its own settings.

    Raises SizerError where the engine refuses the settings.
    """
    model = book.catalog.models[model_id]
    card = book.model_card(model_id)
    device = book.priced_card(gpu_id)
    arch = book.catalog.architecture(model_id)
    usual = default_settings(book, model_id, gpu_id)
    asked = usual if settings is None else settings
    long_tokens = long_context_tokens(
        asked.context_tokens, float(model.context_max_tokens), asked.parallel
    )
    size = book.sizes.size(model_id, gpu_id, asked)
    long = book.sizes.size(model_id, gpu_id, with_context(asked, long_tokens))
    rows = format_rows(book, model_id, gpu_id, asked, usual=asked == usual)
    assumed = book.assumptions(gpu_id, asked.backend)
    figures = size_figures(size)
    curve = _contexts(book, model_id, gpu_id, asked, [size, long])
    longest = longest_whole_tokens(
        [float(row.context_tokens) for row in curve],
        [row.needed_bytes for row in curve],
        size.fit.usable_bytes,
    )
    return PairView(
        model=card,
        device=device,
        size=size,
        long=long,
        usual=asked == usual,
        needed_bytes=size.fit.needed_bytes,
        long_needed_bytes=long.fit.needed_bytes,
        missing_bytes=figures.missing_bytes,
        need_share=figures.need_share,
        tight_fraction=assumed.tight_fraction,
        ram_bytes_per_s=assumed.ram_bandwidth_bytes_per_s,
        host_ram_bytes=assumed.host_ram_bytes,
        short_tokens=int(asked.context_tokens),
        long_tokens=int(long_tokens),
        weights_basis=figures.weights_basis,
        bar=drawn(size_bar(size, device.capacity_bytes)),
        curve=curve,
        longest_whole_tokens=None if longest is None else int(longest),
        formats=rows,
        best_format=best_format(rows),
        commands=launch_commands(
            model,
            size.settings,
            runs_on=book.runs_on,
            weights_bytes=size.weights_file_bytes,
            checkpoint_devices=checkpoint_devices(book, model_id, gpu_id, asked),
            attention_heads=arch.attention_heads,
            layer_count=int(arch.layer_count),
            moe=arch.expert_count > 0,
            runs=size.fit.verdict != "exceeds",
        ),
        notes=page_notes(book, card, gpu_id, asked, size, long),
        advice=advice(book, model_id),
        nearest=book.nearest(model_id, gpu_id),
        other_devices=[
            book.summary(model_id, other) for other in related_devices(book, model_id, gpu_id)
        ],
        other_models=[book.summary(other, gpu_id) for other in related_models(book, model_id)],
    )
