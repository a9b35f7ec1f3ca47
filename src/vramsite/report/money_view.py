"""The cost section of a page: one machine bought or rented, beside what hosting costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.report.money_offers import (
    OfferRow,
    device_offers,
    devices_needed,
    is_old,
    machine_size,
    model_offers,
    offer_row,
    use_of,
)
from vramsite.report.money_power import machine_power
from vramsite.report.money_prices import (
    DevicePrice,
    device_price,
    electricity,
    grid_carbon,
    hosted_prices,
    site_pue,
)
from vramsite.report.money_records import MoneyView, OwnRow, PriceRow, RentOrBuy, Speeds
from vramsite.sizing.cost import (
    break_even_months,
    cheapest_load,
    co2_g_per_million,
    own_cost,
    per_million,
    rented_per_million,
    spending_curve,
    tokens_per_watt_hour,
)
from vramsite.sizing.cost_records import Figure, Grid, Machine, Use
from vramsite.sizing.fit import with_placement

if TYPE_CHECKING:
    from vramsite.catalog.money_assumptions import MoneyAssumptions, Place
    from vramsite.catalog.power_record import Pue
    from vramsite.report.book import Book
    from vramsite.sizing.records import Size

SHOWN_RENTED = 3
CURVE_SHARES = (0.25, 0.5, 0.75, 1.0)  # of the lifetime


def country_of(book: Book, locale: str) -> str | None:
    """The country whose electricity a page reckons with; None where no cost is shown."""
    money = book.catalog.assumptions.money
    return None if money is None else money.countries.get(locale, money.other_country)


def money_view(book: Book, model_id: str, gpu_id: str, country: str) -> MoneyView | None:
    """The section for a page of this pair; None where the catalog assumes nothing of money."""
    money = book.catalog.assumptions.money
    if money is None:
        return None
    facts = book.money_facts()
    gpu = book.catalog.gpus[gpu_id]
    speeds = _speeds(book, money, model_id, gpu_id)
    place = money.place(gpu.kind)
    price = device_price(gpu)
    kwh = electricity(book, country, place.sectors)
    carbon = grid_carbon(facts, country)
    pue = site_pue(facts, place.pue_site)
    use = use_of(book)
    rows: list[OwnRow] = []
    if speeds.devices is not None:
        grid = Grid(
            usd_per_kwh=kwh.usd_per_kwh.value if kwh is not None else None,
            co2_g_per_kwh=carbon.g_co2e_per_kwh if carbon is not None else None,
        )
        rows = _own_rows(book, gpu_id, money, place, speeds, price, pue, use, grid)
    offers = _own_offers(book, model_id, gpu_id, speeds)
    return MoneyView(
        device=book.device_card(gpu_id),
        speeds=speeds,
        use=use,
        least_tps=money.least_tps_per_user.value,
        price=price,
        lifetime_months=int(money.lifetime_months.value),
        own=rows,
        rented=[_rented(offer, speeds, use) for offer in offers[:SHOWN_RENTED]],
        hosted=_hosted(book, model_id),
        rent_or_buy=_rent_or_buy(offers, rows, price, money),
        electricity=kwh,
        country=country,
        carbon=carbon,
        pue=pue,
        offers=model_offers(book, model_id),
    )


def _speeds(book: Book, money: MoneyAssumptions, model_id: str, gpu_id: str) -> Speeds:
    """Kept for the last pair: its pages in all languages come one after the other."""
    kept = book.memo.get(("money.speeds",))
    if isinstance(kept, tuple) and kept[:2] == (model_id, gpu_id):
        speeds: Speeds = kept[2]
        return speeds
    found = _speeds_of(book, money, model_id, gpu_id)
    book.memo[("money.speeds",)] = (model_id, gpu_id, found)
    return found


def _speeds_of(book: Book, money: MoneyAssumptions, model_id: str, gpu_id: str) -> Speeds:
    needed = devices_needed(book, model_id, gpu_id)
    why = ""
    if needed is None:
        why = "capacity_unknown"
    elif needed > money.most_devices.value:
        why = "too_many"
    elif needed > 1 and book.catalog.gpus[gpu_id].kind == "unified":
        why = "separate"
    size: Size | None = None
    devices = needed or 1
    if needed is not None and why == "":
        devices = _devices_sold(book, gpu_id, needed)
        size = machine_size(book, model_id, gpu_id, devices)
    if size is None:
        return Speeds(None, why or "capacity_unknown", None, None, None)
    settings = with_placement(size.settings, float(devices), None, None)
    loads = book.sizes.loads(model_id, gpu_id, settings, money.batch_sequences)
    return Speeds(
        devices=devices,
        why="",
        input_tps=size.prefill_tps.value,
        output_tps=size.decode_tps.value,
        load=cheapest_load(loads, money.least_tps_per_user.value),
    )


def _devices_sold(book: Book, gpu_id: str, needed: int) -> int:
    """The smallest number of devices, less than twice those needed, that somebody rents out.

    Machines with 3, 5, 6 or 7 devices are not to be had, and both sides must be one machine.
    """
    counts = [offer.gpu_count for offer in device_offers(book, gpu_id)]
    return min((count for count in counts if needed <= count < 2 * needed), default=needed)


def _own_rows(
    book: Book,
    gpu_id: str,
    money: MoneyAssumptions,
    place: Place,
    speeds: Speeds,
    price: DevicePrice | None,
    pue: Pue | None,
    use: Use,
    grid: Grid,
) -> list[OwnRow]:
    devices = speeds.devices or 1
    phases = [
        ("prompt", "prefill", speeds.input_tps),
        ("single", "decode", speeds.output_tps),
    ]
    if speeds.load is not None:
        phases.append(("several", "decode_batched", speeds.load.total_tps))
    rows = []
    for name, phase, tps in phases:
        power = machine_power(book, gpu_id, place, devices, phase)
        machine = Machine(
            purchase_usd=price.usd * devices if price is not None else None,
            host_usd=None,
            residual_share=None,
            lifetime_months=money.lifetime_months.value,
            load_w=power.load_w,
            idle_w=power.idle_w,
            pue=pue.pue if pue is not None else None,
        )
        cost = own_cost(machine, use, grid)
        rows.append(
            OwnRow(
                phase=name,
                tps=tps,
                power=power,
                cost=cost,
                per_million_usd=per_million(cost.month_usd, tps, use),
                tokens_per_wh=tokens_per_watt_hour(machine, tps),
                co2_g=co2_g_per_million(machine, grid, tps),
            )
        )
    return rows


def _own_offers(book: Book, model_id: str, gpu_id: str, speeds: Speeds) -> list[OfferRow]:
    """Offers of the very machine: this device, as many of them as hold the model."""
    if speeds.devices is None:
        return []
    same = [offer for offer in device_offers(book, gpu_id) if offer.gpu_count == speeds.devices]
    return [offer_row(book, model_id, offer, speeds.devices) for offer in same[:SHOWN_RENTED]]


def _rented(offer: OfferRow, speeds: Speeds, use: Use) -> PriceRow:
    several = None
    if speeds.load is not None:
        several = rented_per_million(offer.usd_per_hour, speeds.load.total_tps, use)
    return PriceRow(
        provider=offer.provider,
        what=offer.instance,
        usd_per_hour=offer.usd_per_hour,
        input_usd=rented_per_million(offer.usd_per_hour, speeds.input_tps, use),
        output_usd=offer.output_usd,
        several_usd=several,
        as_of=offer.as_of,
        old=offer.old,
    )


def _hosted(book: Book, model_id: str) -> list[PriceRow]:
    return [
        PriceRow(
            provider=row.provider,
            what=row.provider_model_id,
            usd_per_hour=None,
            input_usd=Figure(value=row.input_usd_per_mtok),
            output_usd=Figure(value=row.output_usd_per_mtok),
            several_usd=None,
            as_of=row.as_of.isoformat(),
            old=is_old(book, row.as_of),
        )
        for row in hosted_prices(book, model_id)
    ]


def _rent_or_buy(
    offers: list[OfferRow], rows: list[OwnRow], price: DevicePrice | None, money: MoneyAssumptions
) -> RentOrBuy | None:
    """With the cheapest offer, writing for one user; None without an offer or an own machine."""
    own = next((row.cost for row in rows if row.phase == "single"), None)
    if not offers or own is None:
        return None
    rent = offers[0].month_usd
    machine = Machine(
        purchase_usd=own.upfront_usd.value,
        host_usd=None,
        residual_share=None,
        lifetime_months=money.lifetime_months.value,
        load_w=None,
        idle_w=None,
        pue=None,
    )
    months = [money.lifetime_months.value * share for share in CURVE_SHARES]
    return RentOrBuy(
        offer=offers[0],
        break_even=break_even_months(machine, own, rent),
        curve=spending_curve(own, rent, months),
    )
