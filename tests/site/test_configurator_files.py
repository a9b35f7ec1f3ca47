"""What the configurator loads for a page: complete, named after its content, within its budget."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, cast

import pytest

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer
from vramsite.site.assets import Assets
from vramsite.site.configurator import INDEX, RENTED, CardFiles, generated_assets, setup_of
from vramsite.site.context import SiteContext
from vramsite.site.engine_js.data import SliceMaker
from vramsite.site.engine_js.files import EngineFiles
from vramsite.site.pages import PageKey
from vramsite.site.plan import select
from vramsite.site.spec import project_spec
from vramsite.site.writing import FolderWriter

ROOT = Path(__file__).resolve().parents[2]
MODELS, DEVICES = ("glm-4.5", "qwen3-8b"), ("rtx-4090", "mac-studio-m3-ultra-512gb")
DATA_BYTES = 15 * 1024
PARTS_BYTES = 9 * 1024
SCRIPT_BYTES = 8 * 1024


@pytest.fixture(scope="module")
def site() -> SiteContext:
    catalog = select(load_catalog(ROOT / "data"), MODELS, DEVICES)
    sizer = Sizer(catalog)
    context = SiteContext(
        catalog=catalog,
        sizer=sizer,
        urls=project_spec(ROOT, "https://example.org/repo/").urls,
        locales=("en", "de"),
        assets=Assets.from_files({}),
        engine=EngineFiles(SliceMaker(catalog, sizer.rules)),
    )
    context.cards = CardFiles(context)
    return context


def test_the_data_of_a_page_is_within_its_budget(site: SiteContext, tmp_path: Path) -> None:
    site.write_shared(FolderWriter(tmp_path))
    for model_id in MODELS:
        setup = setup_of(site, PageKey("pair", (model_id, "rtx-4090")), "de")
        assert setup is not None
        addresses = [address.removeprefix("/repo/") for address in setup.files.split()]
        contents = [(tmp_path / address).read_bytes() for address in addresses]
        assert len(contents) == 7
        assert sum(len(gzip.compress(content, 9)) for content in contents[1:]) <= DATA_BYTES
        assert setup.pair == "/repo/de/models/0/1/"


def test_the_list_of_names_leads_to_every_file(site: SiteContext, tmp_path: Path) -> None:
    site.write_shared(FolderWriter(tmp_path))
    index: dict[str, Any] = json.loads((tmp_path / INDEX).read_text("utf-8"))
    assert [entry[0] for entry in index["models"]] == sorted(MODELS)
    assert {entry[0] for entry in index["devices"]} == set(DEVICES)
    for entry_id, name, facts, card in [*index["models"], *index["devices"]]:
        assert json.loads((tmp_path / facts).read_text("utf-8"))["id"] == entry_id
        assert json.loads((tmp_path / card).read_text("utf-8"))["name"] == name


def test_a_site_without_engine_has_no_configurator() -> None:
    bare = cast(SiteContext, type("Bare", (), {"engine": None, "cards": None}))
    assert setup_of(bare, PageKey("pair", ("a", "b")), "en") is None


def test_drawn_parts_are_the_same_every_time_and_within_their_budget() -> None:
    spec = project_spec(ROOT, "https://example.org/repo/")
    made = generated_assets(spec)
    assert made == generated_assets(spec)
    for locale in ("en", "de"):
        for name in ("parts", "parts-more"):
            assert len(gzip.compress(made[f"js/{name}.{locale}.js"], 9)) <= PARTS_BYTES
    for name in ("configurator-page", "configurator-more"):
        assert len(gzip.compress(made[f"js/{name}.js"], 9)) <= SCRIPT_BYTES


def test_costs_of_all_pages_name_what_they_were_made_from(
    site: SiteContext, tmp_path: Path
) -> None:
    assert site.cards is not None
    site.write_shared(FolderWriter(tmp_path))
    costs = json.loads((tmp_path / site.cards.file("costs")[0]).read_text("utf-8"))
    assert [costs["choices"][code]["currency"] for code in ("en", "de")] == ["USD", "EUR"]
    for place in costs["places"]:
        countries = [entry["country"] for entry in place["electricity"]]
        assert {"DE", "US", "EU", "CH"} <= set(countries)
        assert len(countries) == len(set(countries))
        assert all(len(entry["as_of"]) == 10 for entry in place["electricity"])
    rented = json.loads((tmp_path / RENTED).read_text("utf-8"))
    assert set(rented) == {"rtx-4090"}
    prices = [offer["usd_per_hour"] for offer in rented["rtx-4090"]]
    assert prices == sorted(prices)
