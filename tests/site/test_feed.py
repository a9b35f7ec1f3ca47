"""The Atom feed: well-formed, dated by the catalog, newest first, in the reader's language."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from babel.support import NullTranslations
from machine_sample import LOCALES, ROOT, URLS, sample_context, write_sample

from vramsite.catalog.gpu_record import StreetPrice
from vramsite.catalog.offer_record import Offer, OfferRecord
from vramsite.site.machine.feed import EMPTY, MOST_ENTRIES, Rents, feed, feed_entries, moment
from vramsite.site.render import make_environment

ATOM = "{http://www.w3.org/2005/Atom}"


def read_feed(output: Path, locale: str) -> ElementTree.Element:
    return ElementTree.fromstring((output / locale / "feed.xml").read_bytes())


def text(element: ElementTree.Element, name: str) -> str:
    found = element.find(ATOM + name)
    assert found is not None
    assert found.text
    return found.text


@pytest.mark.parametrize(
    ("date", "expected"),
    [
        ("2026", "2026-01-01T00:00:00Z"),
        ("2026-08", "2026-08-01T00:00:00Z"),
        ("2026-08-14", "2026-08-14T00:00:00Z"),
    ],
)
def test_a_date_becomes_the_first_moment_of_it(date: str, expected: str) -> None:
    assert moment(date) == expected


@pytest.mark.parametrize("locale", LOCALES)
def test_a_feed_has_what_atom_wants(tmp_path: Path, locale: str) -> None:
    name = 'A <b>&amp; "C"'
    site = sample_context(
        models={"small-8b": {"name": name, "released": "2026-08-14"}, "sparse-30b": {}}
    )
    write_sample(site, tmp_path)
    root = read_feed(tmp_path, locale)
    assert root.tag == f"{ATOM}feed"
    assert root.get("{http://www.w3.org/XML/1998/namespace}lang") == locale
    assert text(root, "id") == f"https://example.org/repo/{locale}/feed.xml"
    links = {link.get("rel"): link.get("href") for link in root.findall(f"{ATOM}link")}
    assert links["self"] == text(root, "id")
    assert links["alternate"] == f"https://example.org/repo/{locale}/"
    entries = root.findall(f"{ATOM}entry")
    assert [text(entry, "title") for entry in entries] == [name, "Acme sparse-30b"]
    assert text(root, "updated") == text(entries[0], "updated") == "2026-08-14T00:00:00Z"
    assert text(entries[0], "id") == f"https://example.org/repo/{locale}/models/small-8b/"
    assert {text(entry, "id") for entry in entries} == {
        link.get("href") or "" for entry in entries for link in entry.findall(f"{ATOM}link")
    }


def test_the_feed_speaks_the_language(tmp_path: Path) -> None:
    write_sample(sample_context(), tmp_path)
    summaries = {
        locale: text(read_feed(tmp_path, locale).findall(f"{ATOM}entry")[0], "summary")
        for locale in ("en", "de")
    }
    assert summaries["en"] == "Acme: 8 billion parameters, context up to 128K tokens."
    assert summaries["de"].startswith("Acme: 8 Milliarden Parameter")


def test_the_newest_come_first_and_undated_ones_stay_out() -> None:
    site = sample_context(
        models={"small-8b": {"released": None}, "sparse-30b": {"released": "2025-01"}}
    )
    gpu = site.catalog.gpus["mid-12gb"].model_copy(update={"launched": "2026-03"})
    site.catalog.gpus["mid-12gb"] = gpu
    found = feed_entries(site.catalog, URLS, "en")
    assert [(entry.kind, entry.address.split("/")[-2]) for entry in found] == [
        ("device", "mid-12gb"),
        ("model", "sparse-30b"),
    ]


def test_changed_prices_are_news(tmp_path: Path) -> None:
    site = sample_context(models={"small-8b": {"released": None}, "sparse-30b": {"released": None}})
    street = StreetPrice(low=300, high=350, condition="used", as_of="2026-10-05", source="a shop")
    gpus = site.catalog.gpus
    gpus["mid-12gb"] = gpus["mid-12gb"].model_copy(update={"street_usd": street})
    old = street.model_copy(update={"as_of": "2026"})
    gpus["big-48gb"] = gpus["big-48gb"].model_copy(update={"street_usd": old})
    offers = [
        rented(gpu="mid-12gb", gpu_count=2, usd_per_hour=1.0, as_of="2026-11-09"),
        rented(gpu="big-48gb", gpu_count=1, usd_per_hour=0.7, as_of="2026-11-09"),
        rented(gpu="big-48gb", gpu_count=1, usd_per_hour=0.1, as_of="2026"),
    ]
    site.catalog.offers[:] = offers
    found = feed_entries(site.catalog, URLS, "en")
    assert [(entry.kind, entry.updated[:10]) for entry in found] == [
        ("rents", "2026-11-09"),
        ("price", "2026-10-05"),
    ]
    assert found[0].rents == Rents("Cloud", count=2, devices=2, lowest_usd=0.5)
    assert found[1].id == "https://example.org/repo/en/devices/mid-12gb/#price-2026-10-05"
    write_sample(site, tmp_path)
    entries = read_feed(tmp_path, "de").findall(f"{ATOM}entry")
    assert text(entries[1], "title") == "Card mid-12gb: 300\xa0$–350\xa0$"
    assert text(entries[1], "summary") == "Card mid-12gb kostet gebraucht 300\xa0$–350\xa0$."
    assert "ein Gerät ab 0,50\xa0$" in text(entries[0], "summary")


def rented(**facts: object) -> OfferRecord:
    offer = {"instance": "one", "billing": "on demand", "source": "a list", **facts}
    return OfferRecord.of("Cloud", "cloud", Offer.model_validate(offer))


def test_a_feed_does_not_grow_for_ever() -> None:
    site = sample_context()
    one = site.catalog.models["small-8b"]
    for number in range(2 * MOST_ENTRIES):
        copy = one.model_copy(update={"id": f"model-{number}"})
        site.catalog.models[copy.id] = copy
    assert len(feed_entries(site.catalog, URLS, "en")) == MOST_ENTRIES


def test_a_feed_without_entries_is_one_all_the_same() -> None:
    site = sample_context()
    site.catalog.models.clear()
    env = make_environment(ROOT / "templates", "en", ("en",), NullTranslations(), URLS, site.assets)
    root = ElementTree.fromstring(feed(site.catalog, URLS, env, "en"))
    assert text(root, "updated") == EMPTY
    assert root.findall(f"{ATOM}entry") == []
