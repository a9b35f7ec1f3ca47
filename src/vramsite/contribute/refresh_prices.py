"""`vramsite refresh-prices`: new prices into data/cloud/, one provider at a time.

What a provider no longer lists, or cannot be asked about, keeps its last price with its date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from ruamel.yaml.comments import CommentedMap

from vramsite.contribute import yaml_form
from vramsite.contribute.price_sources import Priced, PriceError, PriceNames, PriceSource

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

MOST_FACTOR = 4.0


@dataclass(slots=True)
class ProviderResult:
    """What became of one provider."""

    slug: str
    failed: str | None = None
    changed: list[str] = field(default_factory=list)
    confirmed: int = 0
    added: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)  # more than 4 times off: not written
    unclear: list[str] = field(default_factory=list)
    kept: int = 0  # offers that the source does not list: last good price

    @property
    def writes(self) -> bool:
        """Whether the file changes."""
        return bool(self.changed or self.added or self.confirmed)


@dataclass(frozen=True, slots=True)
class _Key:
    gpu: str
    gpu_count: int
    spot: bool


def refresh(
    catalog: Catalog,
    names: PriceNames,
    source: PriceSource,
    today: date,
    *,
    only: Iterable[str] = (),
    accept: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> list[ProviderResult]:
    """Refresh all providers (or `only` these slugs); a provider that fails changes nothing."""
    wanted = set(only)
    results = []
    for provider, slug in sorted(names.providers.items(), key=lambda item: item[1]):
        path = catalog.data_dir / "cloud" / f"{slug}.yaml"
        if (wanted and slug not in wanted) or not path.is_file():
            continue
        result = ProviderResult(slug)
        try:
            offers = source.offers(provider)
        except PriceError as error:
            result.failed = str(error)
        else:
            _refresh_file(catalog, names, source, path, offers, today, accept, result)
        say(summary(result))
        results.append(result)
    return results


def summary(result: ProviderResult) -> str:
    """One line, and one for each price that needs a look."""
    if result.failed:
        return f"{result.slug}: {result.failed}; nothing changed"
    lines = [
        f"{result.slug}: {len(result.changed)} changed, {result.confirmed} confirmed, "
        f"{len(result.added)} new, {result.kept} not listed (kept)"
    ]
    lines += [f"  {line}" for line in (*result.changed, *result.added)]
    lines += [f"  HELD BACK {line}; write it with --accept" for line in result.held]
    lines += [f"  unclear: {line}" for line in result.unclear]
    return "\n".join(lines)


def _refresh_file(
    catalog: Catalog,
    names: PriceNames,
    source: PriceSource,
    path: Path,
    offers: list[Priced],
    today: date,
    accept: bool,
    result: ProviderResult,
) -> None:
    text = path.read_text(encoding="utf-8")
    data = yaml_form.load(yaml_form.without_schema_line(text))
    listed: dict[_Key, list[Priced]] = {}
    for offer in offers:
        gpu = _gpu(names, data["offers"], offer, result)
        if gpu is not None:
            listed.setdefault(_Key(gpu, offer.gpu_count, offer.spot), []).append(offer)
    touched = set()
    stamp = {"as_of": today, "source": f"{source.title}, {result.slug}"}
    for key, found in sorted(listed.items(), key=lambda item: (item[0].gpu, item[0].gpu_count)):
        cheapest = min(found, key=lambda offer: offer.usd_per_hour)
        there = [entry for entry in data["offers"] if _key(entry) == key]
        named = [entry for entry in there if entry["instance"] == cheapest.instance]
        if len(there) > 1 and len(named) != 1:
            result.unclear.append(f"{len(there)} offers of {key.gpu_count} x {key.gpu} here")
            continue
        price = round(cheapest.usd_per_hour, 4)
        if not there:
            _add(catalog, data["offers"], key, cheapest, price, stamp, accept, result)
            continue
        entry = (named or there)[0]
        touched.add(id(entry))
        _update(entry, key, price, stamp, accept, result)
    result.kept = sum(id(entry) not in touched for entry in data["offers"]) - len(result.added)
    if result.writes:
        form = yaml_form.schema_line("cloud", 1) + yaml_form.dump(data)
        path.write_text(form, encoding="utf-8", newline="\n")


def _update(
    entry: CommentedMap,
    key: _Key,
    price: float,
    stamp: dict[str, Any],
    accept: bool,
    result: ProviderResult,
) -> None:
    last = float(entry["usd_per_hour"])
    label = f"{key.gpu_count} x {key.gpu} ({entry['instance']}): {last:g} -> {price:g} USD/h"
    if price != last and not accept and _too_far(price, last):
        result.held.append(f"{label}, {price / last:.2g} times the last")
        return
    if price == last:
        result.confirmed += 1
    else:
        result.changed.append(label)
        entry["usd_per_hour"] = price
        entry.pop("notes", None)  # speaks of the old price
        entry.pop("url", None)
    entry.update(stamp)


def _add(
    catalog: Catalog,
    entries: Any,
    key: _Key,
    offer: Priced,
    price: float,
    stamp: dict[str, Any],
    accept: bool,
    result: ProviderResult,
) -> None:
    label = f"{key.gpu_count} x {key.gpu} ({offer.instance}): new at {price:g} USD/h"
    others = [item.usd_per_hour / item.gpu_count for item in catalog.offers if item.gpu == key.gpu]
    usual = median(others) * key.gpu_count if others else None
    if usual is not None and not accept and _too_far(price, usual):
        result.held.append(f"{label}, {price / usual:.2g} times the usual")
        return
    entries.append(
        CommentedMap(
            instance=offer.instance,
            gpu=key.gpu,
            gpu_count=key.gpu_count,
            usd_per_hour=price,
            billing="spot" if key.spot else "on-demand",
            **stamp,
        )
    )
    result.added.append(label)


def _too_far(price: float, last: float) -> bool:
    return not last / MOST_FACTOR <= price <= last * MOST_FACTOR


def _key(entry: CommentedMap) -> _Key:
    billing = str(entry["billing"]).lower()
    return _Key(str(entry["gpu"]), int(entry["gpu_count"]), billing.startswith("spot"))


def _gpu(names: PriceNames, entries: Any, offer: Priced, result: ProviderResult) -> str | None:
    candidates = names.gpus(offer.device_name, offer.device_memory_gb)
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    for entry in entries:
        if entry["instance"] == offer.instance and entry["gpu"] in candidates:
            return str(entry["gpu"])
    own = {str(entry["gpu"]) for entry in entries if entry["gpu"] in candidates}
    if len(own) == 1:
        return own.pop()
    line = f"{offer.device_name} of {offer.instance} is one of {', '.join(candidates)}"
    if line not in result.unclear:
        result.unclear.append(line)
    return None
