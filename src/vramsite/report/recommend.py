"""Which device to name for a model: rules over prices and fits, never a fixed name.

The default device of a model is the cheapest released one that holds the default format at the
short context with reserve. A device without a list price comes after all that have one, smallest
memory first, since a street price alone may be a single offer; where none holds it whole, the
device with the most usable memory stands in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.book import WITH_RESERVE, Book
from vramsite.report.cards import list_price_usd
from vramsite.report.choices import DEFAULT_FORMAT, page_settings, short_context
from vramsite.sizing.figures import context_verdict
from vramsite.sizing.fit import usable_bytes

if TYPE_CHECKING:
    from vramsite.report.cards import DeviceCard

REFUSED = "refused"


def by_price(book: Book) -> list[DeviceCard]:
    """Released devices with known usable memory, cheapest first, unpriced ones at the end."""
    found = book.memo.get(("by_price",))
    if isinstance(found, list):
        return found
    cards = [book.device_card(gpu_id) for gpu_id in book.catalog.gpus]
    released = [card for card in cards if card.status == "released" and card.usable_bytes]

    def order(card: DeviceCard) -> tuple[bool, float, str]:
        gpu = book.catalog.gpus[card.id]
        price = list_price_usd(gpu) if gpu.msrp_usd is not None else None
        return (price is None, price if price is not None else card.usable_bytes or 0.0, card.id)

    released.sort(key=order)
    book.memo[("by_price",)] = released
    return released


def holders(
    book: Book, model_id: str, format_name: str = DEFAULT_FORMAT, limit: int = 1
) -> list[str]:
    """The first `limit` devices, cheapest first, that hold the model whole with reserve."""
    key = ("holders", model_id, format_name, limit)
    known = book.memo.get(key)
    if isinstance(known, list):
        return known
    found: list[str] = []
    least = 0.0
    for card in by_price(book):
        if (card.usable_bytes or 0.0) < least:
            continue
        verdict, needed_bytes = fit_there(book, model_id, card.id, format_name)
        if verdict == REFUSED:
            break
        if verdict in WITH_RESERVE:
            found.append(card.id)
            if len(found) == limit:
                break
        elif verdict != "unknown":
            # A smaller device can't hold what this one can't; backends differ by a little.
            least = max(least, min(needed_bytes * 0.9, card.usable_bytes or 0.0))
    book.memo[key] = found
    return found


def fit_there(book: Book, model_id: str, gpu_id: str, format_name: str) -> tuple[str, float]:
    """Verdict and need in bytes at the short context; `REFUSED` for a format it has not.

    Whether it is held is asked, not where its layers would lie, which costs ten times as much.
    Prices play no part: when one changes, the ranking is made anew from these.
    """
    key = ("fit_there", model_id, gpu_id, format_name)
    known = book.memo.get(key)
    if isinstance(known, tuple):
        return known
    settings = page_settings(
        book.catalog.gpus[gpu_id],
        format_name=format_name,
        context_tokens=short_context(book.catalog.models[model_id]),
    )
    memory = book.whole(model_id, settings)
    found = (REFUSED, 0.0)
    if memory is not None:
        device, assumed = book.catalog.device(gpu_id), book.assumptions(gpu_id)
        limit = usable_bytes(device, assumed)
        found = context_verdict(memory, limit, device.kind, assumed), memory.device_bytes
    book.memo[key] = found
    return found


def default_device(book: Book, model_id: str) -> str:
    """The device of a model's own page; see the module's text for the rule."""
    found = holders(book, model_id, DEFAULT_FORMAT, 4)
    if found:
        return found[0]
    cards = by_price(book) or [book.device_card(gpu_id) for gpu_id in book.catalog.gpus]
    return max(cards, key=lambda card: (card.usable_bytes or 0.0, card.id)).id
