"""The cost section of a page: one machine bought or rented, beside what hosting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.bars import drawn
from vramsite.report.choices import page_settings, short_context
from vramsite.report.money_data import (
    assumed,
    cost_rules,
    default_choice,
    device_cost,
    grids,
    hosted_costs,
    hosted_sellers,
    kept,
    offer_sellers,
    place_number,
    places,
    rates,
)
from vramsite.report.money_offers import Offers, model_offers
from vramsite.report.money_prices import newest_price_day
from vramsite.report.money_records import LoadRow, MoneyView, PriceRow
from vramsite.sizing.cost_inputs import MachineCount, MachineSpeeds
from vramsite.sizing.cost_machine import machine_count
from vramsite.sizing.cost_section import cost_section, offer_cost
from vramsite.sizing.figures import load_figures, user_tokens
from vramsite.sizing.fit import with_placement

if TYPE_CHECKING:
    from vramsite.report.book import Book
    from vramsite.sizing.cost_inputs import CostChoice
    from vramsite.sizing.cost_records import Figure
    from vramsite.sizing.cost_results import CostSection
    from vramsite.sizing.records import Settings, Size

REFUSED = MachineCount(devices=None, why="refused")


def money_view(
    book: Book,
    model_id: str,
    gpu_id: str,
    locale: str,
    settings: Settings | None = None,
    choice: CostChoice | None = None,
) -> MoneyView | None:
    """The section for a page of this pair, by default at its own settings.

    None where the catalog assumes nothing of money.
    """
    if book.catalog.assumptions.money is None:
        return None
    asked = settings
    if asked is None:
        asked = page_settings(
            book.catalog.gpus[gpu_id], context_tokens=short_context(book.catalog.models[model_id])
        )
    usual = choice is None and settings is None
    if choice is None:
        choice = default_choice(book, locale)
    if usual:  # the same on all pages of the model
        offers = kept(
            book,
            ("offers_in_use", model_id, locale),
            lambda: _offers(book, model_id, None, default_choice(book, locale)),
        )
    else:
        offers = _offers(book, model_id, settings, choice)
    rules = cost_rules(book)
    machine, speeds, loads = _machine(book, model_id, gpu_id, asked)
    section = cost_section(
        choice,
        rules,
        rates(book),
        places(book)[place_number(book, gpu_id)],
        grids(book),
        device_cost(book, gpu_id),
        speeds,
        hosted_costs(book, model_id),
    )
    sellers = offer_sellers(book, gpu_id)
    renting = section.rent_or_buy
    return MoneyView(
        device=book.device_card(gpu_id),
        machine=machine,
        user_tokens=user_tokens(asked),
        input_tps=None if speeds is None else speeds.input_tps,
        output_tps=None if speeds is None else speeds.output_tps,
        loads=loads,
        least_tps=rules.least_tps_per_user,
        choice=choice,
        section=section,
        rented=_rented(section, book, gpu_id),
        hosted=[
            PriceRow(seller, None, [row.input, row.output])
            for seller, row in zip(hosted_sellers(book, model_id), section.hosted, strict=True)
        ],
        renter=None if renting is None else sellers[int(renting.offer)],
        offers=offers,
    )


def _rented(section: CostSection, book: Book, gpu_id: str) -> list[PriceRow]:
    sellers = offer_sellers(book, gpu_id)
    rows = []
    for row in section.rented:
        figures: list[Figure] = [row.input, row.output]
        if row.several is not None:
            figures.append(row.several)
        rows.append(PriceRow(sellers[int(row.offer)], row.per_hour, figures))
    return rows


def _machine(
    book: Book, model_id: str, gpu_id: str, settings: Settings
) -> tuple[MachineCount, MachineSpeeds | None, list[LoadRow]]:
    """Kept for the last pair: its pages in all languages come one after the other."""
    last = book.memo.get(("money.speeds",))
    asked = (model_id, gpu_id, settings)
    if isinstance(last, tuple) and last[0] == asked:
        found: tuple[MachineCount, MachineSpeeds | None, list[LoadRow]] = last[1]
        return found
    machine, speeds = _machine_of(book, model_id, gpu_id, settings)
    made = machine, speeds, [] if speeds is None else _load_rows(speeds)
    book.memo[("money.speeds",)] = (asked, made)
    return made


def _machine_of(
    book: Book, model_id: str, gpu_id: str, settings: Settings
) -> tuple[MachineCount, MachineSpeeds | None]:
    size = book.try_size(model_id, gpu_id, settings)
    if size is None:
        return REFUSED, None
    device = device_cost(book, gpu_id)
    rules = cost_rules(book)
    sold = [offer.devices for offer in device.offers]
    machine = machine_count(size, settings, device.kind, sold, rules)
    if machine.devices is None:
        return machine, None
    fixed = settings.gpu_layers is not None or settings.cpu_moe_layers is not None
    working = settings
    whole: Size | None = size
    if not fixed and machine.devices != settings.gpus:
        working = with_placement(settings, machine.devices, None, None)
        whole = book.try_size(model_id, gpu_id, working)
    if whole is None:
        return REFUSED, None
    counts = [] if fixed else assumed(book).batch_sequences
    return machine, MachineSpeeds(
        devices=machine.devices,
        input_tps=whole.prefill_tps.value,
        output_tps=whole.decode_tps.value,
        loads=book.sizes.loads(model_id, gpu_id, working, counts),
    )


def _offers(book: Book, model_id: str, asked: Settings | None, choice: CostChoice) -> Offers:
    """The machines to rent with what each costs in use."""
    found = model_offers(book, model_id, asked)
    rules, known = cost_rules(book), rates(book)
    return Offers(
        rows=[
            (row, offer_cost(row.usd_per_hour, row.output_tps, choice, rules, known))
            for row in found.rows
        ],
        count=found.count,
        newest=newest_price_day(book).isoformat(),
        age_days=int(assumed(book).price_age_days.value),
    )


def _load_rows(speeds: MachineSpeeds) -> list[LoadRow]:
    return [
        LoadRow(row.users, row.total_tps, row.each_tps, drawn(row.bar))
        for row in load_figures(speeds.output_tps, speeds.loads)
    ]
