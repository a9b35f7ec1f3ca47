"""The engineering notes of a pair page: what the cache costs, what a token reads, what to tune."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import Book
from vramsite.report.choices import with_cache_type, with_context
from vramsite.sizing.figures import cache_figures, size_figures

if TYPE_CHECKING:
    from vramsite.report.cards import ModelCard
    from vramsite.sizing.records import Settings, Size

KV_BITS_TYPE = "q8_0"
WIDE_TYPE = "f16"


@dataclass(frozen=True, slots=True)
class CacheNote:
    """The KV cache at both contexts, and at the long one with 8-bit blocks instead of f16.

    `q8_*` are None where there is no cache that a type could shrink, or it is shrunk already.
    """

    short_bytes: float
    long_bytes: float
    growth_bytes: float
    token_bytes: float | None
    state_bytes: float
    q8_bytes: float | None
    q8_saved_bytes: float | None
    window_tokens: int
    window_layers: int
    recurrent_layers: int


@dataclass(frozen=True, slots=True)
class ReadNote:
    """What one decoded token reads, and what share of it the weights of all experts would be."""

    active_bytes: float
    active_share: float
    bandwidth_gb_s: float | None


@dataclass(frozen=True, slots=True)
class Notes:
    """All notes of a page; an absent one has nothing to say."""

    cache: CacheNote
    read: ReadNote
    host_bytes: float


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """How many layers keep a window (and the longest one) or a state that does not grow."""

    window_tokens: int
    window_layers: int
    recurrent_layers: int


def layer_counts(card: ModelCard) -> LayerCounts:
    """The layers of a model that do not keep the whole context."""
    windows = [share for share in card.layers if share.window_tokens > 0]
    return LayerCounts(
        window_tokens=max([share.window_tokens for share in windows], default=0),
        window_layers=sum(share.count for share in windows),
        recurrent_layers=sum(share.count for share in card.layers if share.kind == "recurrent"),
    )


def cache_note(
    book: Book, card: ModelCard, settings: Settings, short: Size, long: Size
) -> CacheNote:
    """How the cache grows and what q8_0 saves, from the engine itself at both types."""
    tokens = long.settings.context_tokens
    smaller = None
    if settings.kv_type_k == WIDE_TYPE and settings.kv_type_v == WIDE_TYPE:
        smaller = book.whole(card.id, with_cache_type(with_context(settings, tokens), KV_BITS_TYPE))
    figures = cache_figures(
        short.memory, long.memory, short.settings.context_tokens, tokens, smaller
    )
    counts = layer_counts(card)
    return CacheNote(
        short_bytes=figures.short_bytes,
        long_bytes=figures.long_bytes,
        growth_bytes=figures.growth_bytes,
        token_bytes=figures.token_bytes,
        state_bytes=figures.state_bytes,
        q8_bytes=figures.q8_bytes,
        q8_saved_bytes=figures.q8_saved_bytes,
        window_tokens=counts.window_tokens,
        window_layers=counts.window_layers,
        recurrent_layers=counts.recurrent_layers,
    )


def page_notes(
    book: Book, card: ModelCard, gpu_id: str, settings: Settings, short: Size, long: Size
) -> Notes:
    """All notes of one pair under `settings`; `short` and `long` are its sizes at two contexts."""
    return Notes(
        cache=cache_note(book, card, settings, short, long),
        read=ReadNote(
            active_bytes=short.active_bytes_per_token,
            active_share=size_figures(short).active_share,
            bandwidth_gb_s=book.device_card(gpu_id).bandwidth_gb_s,
        ),
        host_bytes=short.memory.host_bytes,
    )
