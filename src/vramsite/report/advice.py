"""Recommended hardware for a model at the page's configuration: four rules, never fixed names.

- fastest: the single device with the highest output speed among those with a price.
- value: the single device with the lowest price for each token a second, of those that write fast
  enough for a reader (any, where none does). It is never dearer than the fastest: it has at most
  its speed, and a lower price for each of its tokens a second.
- unified: the same among machines with unified memory, whose price is that of a whole computer.
- cloud: the machine that is rented out at the lowest price an hour.

All hold the model with reserve. Where no single device does, machines of several devices take
the place of the first two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from vramsite.report.book import WITH_RESERVE, Book
from vramsite.report.choices import DEFAULT_FORMAT, short_context
from vramsite.report.money_offers import devices_needed, machine_size, model_offers
from vramsite.report.money_prices import device_price

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vramsite.report.cards import DeviceCard
    from vramsite.report.money_offers import OfferRow
    from vramsite.sizing.cost_inputs import DevicePrice

MOST_DEVICES = 8  # where the catalog assumes nothing; the largest machines that are rented out


@dataclass(frozen=True, slots=True)
class Candidate:
    """So many of one device, which hold the model with reserve; `usd` is for all of them."""

    device: DeviceCard
    count: int
    tps: float
    price: DevicePrice | None

    @property
    def usd(self) -> float | None:
        """The price of all devices, None where it is not known."""
        return None if self.price is None else self.price.usd * self.count

    @property
    def usd_per_tps(self) -> float | None:
        """The price for each token a second, None where it is not known."""
        usd = self.usd
        return None if usd is None else usd / self.tps

    @property
    def memory_gb(self) -> float:
        """Memory as sold, of all devices."""
        return self.device.memory_gb * self.count


@dataclass(frozen=True, slots=True)
class Pick:
    """A recommended machine and what it is recommended as, one or several roles.

    `dearer_than`: the fastest device, where this machine costs more.
    """

    roles: tuple[str, ...]
    machine: Candidate
    dearer_than: DeviceCard | None


@dataclass(frozen=True, slots=True)
class Advice:
    """What a page recommends; `single`: one device holds the model.

    `faster`: a still faster device of which no price is on record; `least_tps`: what value asks
    for, None where nothing is assumed.
    """

    format: str
    context_tokens: int
    single: bool
    picks: list[Pick]
    faster: DeviceCard | None
    least_tps: float | None
    offer: OfferRow | None


def advice(book: Book, model_id: str) -> Advice:
    """Recommendations for a model at its default configuration; the same on all its pages."""
    key = ("advice", model_id)
    known = book.memo.get(key)
    if not isinstance(known, Advice):
        known = book.memo[key] = _advice(book, model_id)
    return known


def _advice(book: Book, model_id: str) -> Advice:
    money = book.catalog.assumptions.money
    most = MOST_DEVICES if money is None else int(money.most_devices.value)
    least = None if money is None else money.least_tps_per_user.value
    found = list(_singles(book, model_id))
    single = bool(found)
    if not single:
        found = list(_several(book, model_id, most))
    offers = model_offers(book, model_id).rows if money is not None else []
    priced = [one for one in found if one.price is not None]
    chosen: dict[str, Candidate] = {}
    if found:
        chosen["fastest"] = _fastest(priced or found)
    if priced:
        chosen["value"] = _best_value(priced, least)
    unified = [one for one in found if one.device.kind == "unified"]
    if unified:
        with_price = [one for one in unified if one.price is not None]
        chosen["unified"] = _best_value(with_price, least) if with_price else _fastest(unified)
    faster = None
    if found and _fastest(found).tps > chosen["fastest"].tps:
        faster = _fastest(found).device
    return Advice(
        format=DEFAULT_FORMAT,
        context_tokens=short_context(book.catalog.models[model_id]),
        single=single,
        picks=_picks(chosen),
        faster=faster,
        least_tps=least,
        offer=offers[0] if offers else None,
    )


def _picks(chosen: dict[str, Candidate]) -> list[Pick]:
    """One entry a machine, roles in order; whatever costs more than the fastest says so."""
    roles: dict[str, list[str]] = {}
    machines: dict[str, Candidate] = {}
    for role, machine in chosen.items():
        roles.setdefault(machine.device.id, []).append(role)
        machines[machine.device.id] = machine
    fastest = chosen.get("fastest")
    picks = []
    for gpu_id, machine in machines.items():
        dearer = None
        if fastest is not None and fastest.usd is not None and (machine.usd or 0.0) > fastest.usd:
            dearer = fastest.device
        picks.append(Pick(tuple(roles[gpu_id]), machine, dearer))
    return picks


def _fastest(machines: list[Candidate]) -> Candidate:
    """The highest speed; of equal ones the cheaper, then the smaller."""
    return max(machines, key=lambda one: (one.tps, -(one.usd or 0.0), -one.memory_gb))


def _best_value(machines: list[Candidate], least_tps: float | None) -> Candidate:
    quick = [one for one in machines if one.tps >= (least_tps or 0.0)]
    return min(
        quick or machines, key=lambda one: (one.usd_per_tps or 0.0, one.usd or 0.0, one.device.id)
    )


def _singles(book: Book, model_id: str) -> Iterable[Candidate]:
    for gpu_id, gpu in book.catalog.gpus.items():
        if gpu.status != "released":
            continue
        summary = book.summary(model_id, gpu_id)
        tps = summary.decode.value
        if summary.verdict in WITH_RESERVE and tps is not None:
            yield Candidate(book.device_card(gpu_id), 1, tps, device_price(gpu))


def _several(book: Book, model_id: str, most: int) -> Iterable[Candidate]:
    """Machines of up to `most` devices; unified memory cannot be put together."""
    for gpu_id, gpu in book.catalog.gpus.items():
        if gpu.status != "released" or gpu.kind == "unified":
            continue
        needed = devices_needed(book, model_id, gpu_id)
        if needed is None:
            continue
        for count in range(max(needed, 2), min(needed + 1, most) + 1):
            size = machine_size(book, model_id, gpu_id, count)
            tps = size.decode_tps.value if size is not None else None
            if size is not None and size.fit.verdict in WITH_RESERVE and tps is not None:
                yield Candidate(book.device_card(gpu_id), count, tps, device_price(gpu))
                break
