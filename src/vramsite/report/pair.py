"""What the page of one model on one device says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.bars import Bar, amounts, draw
from vramsite.report.book import HOLDS, Book, PairSummary
from vramsite.report.choices import (
    DEFAULT_FORMAT,
    curve_contexts,
    long_context,
    page_settings,
    short_context,
)
from vramsite.report.commands import Command, checkpoint_devices, launch_commands
from vramsite.report.formats import FormatRow, best_format, format_rows
from vramsite.report.notes import Notes, page_notes
from vramsite.report.related import related_devices, related_models

if TYPE_CHECKING:
    from vramsite.report.cards import DeviceCard, ModelCard
    from vramsite.sizing.records import Size, Term


@dataclass(frozen=True, slots=True)
class CurveRow:
    """Memory at one context; `verdict` is the pair's there, `bar` shares one scale by page."""

    context_tokens: int
    weights_bytes: float
    cache_bytes: float
    other_bytes: float
    needed_bytes: float
    verdict: str
    bar: Bar


@dataclass(frozen=True, slots=True)
class PairView:
    """Everything on a pair page, neutral of language.

    `size` is the answer at the short context, `long` at the long one; `needed_bytes` is what the
    device would have to hold for everything to run on it, whatever the verdict; `missing_bytes`
    is what it has too little (None where it holds everything), `need_share` is need over usable.
    """

    model: ModelCard
    device: DeviceCard
    size: Size
    long: Size
    needed_bytes: float
    long_needed_bytes: float
    missing_bytes: float | None
    need_share: float | None
    tight_fraction: float
    ram_bytes_per_s: float
    host_ram_bytes: float
    short_tokens: int
    long_tokens: int
    weights_bytes: float
    weights_basis: str
    bar: Bar
    curve: list[CurveRow]
    formats: list[FormatRow]
    best_format: FormatRow | None
    commands: list[Command]
    notes: Notes
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


def term(size: Size, name: str) -> Term | None:
    """The named line of the breakdown, where there is one."""
    for candidate in size.memory.terms:
        if candidate.name == name:
            return candidate
    return None


def term_bytes(size: Size, *names: str) -> float:
    """Device and host bytes of the named lines together."""
    total = 0.0
    for candidate in size.memory.terms:
        if candidate.name in names:
            total += candidate.device_bytes + candidate.host_bytes
    return total


def _curve(book: Book, model_id: str, gpu_id: str, format_name: str) -> list[CurveRow]:
    model = book.catalog.models[model_id]
    gpu = book.catalog.gpus[gpu_id]
    sizes = [
        (
            tokens,
            book.sizes.size(
                model_id,
                gpu_id,
                page_settings(gpu, format_name=format_name, context_tokens=tokens),
            ),
        )
        for tokens in curve_contexts(model)
    ]
    usable = sizes[0][1].fit.usable_bytes
    full = max(max(size.fit.needed_bytes for _, size in sizes), usable or 0.0)
    rows = []
    for tokens, size in sizes:
        needed = size.fit.needed_bytes
        cache = term_bytes(size, "kv_cache", "recurrent_state")
        other = 0.0
        for line in size.memory.terms:
            if line.name not in ("weights", "kv_cache", "recurrent_state"):
                other += line.device_bytes
        weights = max(0.0, needed - cache - other)
        stretches = [("weights", weights), ("kv_cache", cache), ("compute_buffer", other)]
        rows.append(
            CurveRow(
                context_tokens=tokens,
                weights_bytes=weights,
                cache_bytes=cache,
                other_bytes=other,
                needed_bytes=needed,
                verdict=size.fit.verdict,
                bar=draw(stretches, usable, full),
            )
        )
    return rows


def pair_view(book: Book, model_id: str, gpu_id: str) -> PairView:
    """Everything that the page of this model on this device says."""
    model = book.catalog.models[model_id]
    gpu = book.catalog.gpus[gpu_id]
    card = book.model_card(model_id)
    arch = book.catalog.architecture(model_id)
    short_tokens, long_tokens = short_context(model), long_context(model)
    size = book.sizes.size(model_id, gpu_id, page_settings(gpu, context_tokens=short_tokens))
    long = book.sizes.size(model_id, gpu_id, page_settings(gpu, context_tokens=long_tokens))
    rows = format_rows(book, model_id, gpu_id)
    assumed = book.assumptions(gpu_id)
    weights = term(size, "weights")
    needed = size.fit.needed_bytes
    usable = size.fit.usable_bytes
    capacity = book.device_card(gpu_id).capacity_bytes
    return PairView(
        model=card,
        device=book.device_card(gpu_id),
        size=size,
        long=long,
        needed_bytes=needed,
        long_needed_bytes=long.fit.needed_bytes,
        missing_bytes=needed - usable if usable is not None and needed > usable else None,
        need_share=needed / usable if usable else None,
        tight_fraction=assumed.tight_fraction,
        ram_bytes_per_s=assumed.ram_bandwidth_bytes_per_s,
        host_ram_bytes=assumed.host_ram_bytes,
        short_tokens=short_tokens,
        long_tokens=long_tokens,
        weights_bytes=weights.device_bytes + weights.host_bytes if weights else 0.0,
        weights_basis=weights.basis if weights else "estimate",
        bar=draw(amounts(size), usable, max(needed, usable or 0.0, capacity or 0.0)),
        curve=_curve(book, model_id, gpu_id, DEFAULT_FORMAT),
        formats=rows,
        best_format=best_format(rows),
        commands=launch_commands(
            model,
            size.settings,
            runs_on=book.runs_on,
            weights_bytes=size.weights_file_bytes,
            checkpoint_devices=checkpoint_devices(book, model_id, gpu_id),
            attention_heads=arch.attention_heads,
            layer_count=int(arch.layer_count),
            moe=arch.expert_count > 0,
            runs=size.fit.verdict != "exceeds",
        ),
        notes=page_notes(book, card, gpu_id, size, long),
        other_devices=[
            book.summary(model_id, other) for other in related_devices(book, model_id, gpu_id)
        ],
        other_models=[book.summary(other, gpu_id) for other in related_models(book, model_id)],
    )
