"""House rules for a provider's offers."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from vramsite.catalog.offer_record import ProviderFile
from vramsite.catalog.rules.rule import Context, Finding, Rule, future_dates


def dates_are_past(provider: ProviderFile, context: Context) -> Iterator[Finding]:
    """A date in the future is a slip."""
    yield from future_dates(provider, context.today)


def gpu_exists(provider: ProviderFile, context: Context) -> Iterator[Finding]:
    """An offer names a device of the catalog."""
    for index, offer in enumerate(provider.offers):
        if offer.gpu not in context.gpu_ids:
            near = difflib.get_close_matches(offer.gpu, sorted(context.gpu_ids), n=1)
            hint = f"did you mean {near[0]}?" if near else "add the device first"
            yield (
                ("offers", index, "gpu"),
                f"found {offer.gpu}; is no device below data/gpus/; {hint}",
            )


def offers_differ(provider: ProviderFile, context: Context) -> Iterator[Finding]:
    """The same instance with the same terms is listed once."""
    seen: set[tuple[str, str, str]] = set()
    for index, offer in enumerate(provider.offers):
        key = (offer.instance, offer.gpu, offer.billing)
        if key in seen:
            yield ("offers", index, "instance"), f"found {offer.instance} a second time"
        seen.add(key)


OFFER_RULES: list[Rule[ProviderFile]] = [dates_are_past, gpu_exists, offers_differ]
