"""The engineering notes of a pair page: what the cache costs, what a token reads, what to tune."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import Book
from vramsite.report.choices import DEFAULT_FORMAT, long_context, page_settings

if TYPE_CHECKING:
    from vramsite.report.cards import ModelCard
    from vramsite.sizing.records import Memory, Size

KV_BITS_TYPE = "q8_0"


@dataclass(frozen=True, slots=True)
class CacheNote:
    """The KV cache at both contexts, and at the long one with 8-bit blocks instead of f16.

    `q8_*` are None where there is no cache that a type could shrink.
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
    cached_layers: int


@dataclass(frozen=True, slots=True)
class ReadNote:
    """What one decoded token reads, and what share of it the weights of all experts would be."""

    active_bytes: float
    weights_bytes: float
    active_share: float
    bandwidth_gb_s: float | None


@dataclass(frozen=True, slots=True)
class Notes:
    """All notes of a page; an absent one has nothing to say."""

    cache: CacheNote
    read: ReadNote
    host_bytes: float


def named_bytes(memory: Memory, name: str) -> float:
    """Device and host bytes of one line of the breakdown."""
    for line in memory.terms:
        if line.name == name:
            return line.device_bytes + line.host_bytes
    return 0.0


def cache_note(book: Book, card: ModelCard, gpu_id: str, short: Size, long: Size) -> CacheNote:
    """How the cache grows and what q8_0 saves, from the engine itself at both types."""
    model = book.catalog.models[card.id]
    tokens = long_context(model)
    short_bytes = named_bytes(short.memory, "kv_cache")
    long_bytes = named_bytes(long.memory, "kv_cache")
    q8_bytes: float | None = None
    if long_bytes > 0:
        settings = page_settings(
            book.catalog.gpus[gpu_id],
            format_name=DEFAULT_FORMAT,
            context_tokens=tokens,
            kv_type=KV_BITS_TYPE,
        )
        smaller = book.whole(card.id, settings)
        q8_bytes = named_bytes(smaller, "kv_cache") if smaller else None
    grown = long.settings.context_tokens - short.settings.context_tokens
    windows = [share for share in card.layers if share.window_tokens > 0]
    return CacheNote(
        short_bytes=short_bytes,
        long_bytes=long_bytes,
        growth_bytes=long_bytes - short_bytes,
        token_bytes=(long_bytes - short_bytes) / grown if grown > 0 else None,
        state_bytes=named_bytes(long.memory, "recurrent_state"),
        q8_bytes=q8_bytes,
        q8_saved_bytes=None if q8_bytes is None else long_bytes - q8_bytes,
        window_tokens=max([share.window_tokens for share in windows], default=0),
        window_layers=sum(share.count for share in windows),
        recurrent_layers=sum(share.count for share in card.layers if share.kind == "recurrent"),
        cached_layers=sum(
            share.count
            for share in card.layers
            if share.kind not in ("recurrent", "none", "shared")
        ),
    )


def page_notes(book: Book, card: ModelCard, gpu_id: str, short: Size, long: Size) -> Notes:
    """All notes of one pair; `short` and `long` are its sizes at the two contexts."""
    weights = named_bytes(short.memory, "weights")
    active = short.active_bytes_per_token
    return Notes(
        cache=cache_note(book, card, gpu_id, short, long),
        read=ReadNote(
            active_bytes=active,
            weights_bytes=weights,
            active_share=active / weights if weights > 0 else 1.0,
            bandwidth_gb_s=book.device_card(gpu_id).bandwidth_gb_s,
        ),
        host_bytes=short.memory.host_bytes,
    )
