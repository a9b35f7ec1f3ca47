"""What the page of one model on one device says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.bars import Bar, amounts, draw
from vramsite.report.book import HOLDS, Book, PairSummary
from vramsite.report.choices import (
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
    from vramsite.sizing.records import Assumptions, Memory, Size, Term


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


def curve_verdict(
    memory: Memory, usable_bytes: float | None, kind: str, assumed: Assumptions
) -> str:
    """The verdict on a breakdown with nothing offloaded, as `vramsite.sizing.fit` gives it.

    What has to move is taken as need less usable memory, without a search for the best layers.
    """
    if usable_bytes is None:
        return "unknown"
    reserve = usable_bytes - memory.device_bytes
    if reserve < 0.0:
        if kind == "unified" or memory.host_bytes - reserve > assumed.host_ram_bytes:
            return "exceeds"
        return "offload"
    if reserve < usable_bytes * assumed.tight_fraction:
        return "tight"
    return "unified" if kind == "unified" else "fits"


def _curve(book: Book, model_id: str, gpu_id: str, known: list[Size]) -> list[CurveRow]:
    """Memory over contexts; `known` sizes lend their verdict to their context."""
    model = book.catalog.models[model_id]
    gpu = book.catalog.gpus[gpu_id]
    verdicts = {size.settings.context_tokens: size.fit.verdict for size in known}
    usable = known[0].fit.usable_bytes
    assumed = book.assumptions(gpu_id)
    found = []
    for tokens in curve_contexts(model):
        memory = book.whole(model_id, page_settings(gpu, context_tokens=tokens))
        if memory is not None:
            found.append((tokens, memory))
    full = max([memory.device_bytes for _, memory in found], default=0.0)
    full = max(full, usable or 0.0)
    rows = []
    for tokens, memory in found:
        weights = cache = other = 0.0
        for line in memory.terms:
            if line.name == "weights":
                weights += line.device_bytes
            elif line.name in ("kv_cache", "recurrent_state"):
                cache += line.device_bytes
            else:
                other += line.device_bytes
        verdict = verdicts.get(float(tokens))
        stretches = [("weights", weights), ("kv_cache", cache), ("compute_buffer", other)]
        rows.append(
            CurveRow(
                context_tokens=tokens,
                weights_bytes=weights,
                cache_bytes=cache,
                other_bytes=other,
                needed_bytes=memory.device_bytes,
                verdict=verdict or curve_verdict(memory, usable, gpu.kind, assumed),
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
        curve=_curve(book, model_id, gpu_id, [size, long]),
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
