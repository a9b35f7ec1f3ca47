from __future__ import annotations

import re

import pytest
from machine_sample import ROOT, sample_context

from vramsite.report.hubs import model_entries
from vramsite.site.assets import Assets
from vramsite.site.i18n import load_translations
from vramsite.site.pages import PageKey, parts
from vramsite.site.pages.models import KIND
from vramsite.site.pages.models_part import KIND as FURTHER
from vramsite.site.pages.parts import count_of, further_keys, part_of
from vramsite.site.pages.shared import book_of
from vramsite.site.render import make_environment


@pytest.mark.parametrize(("rows", "count"), [(0, 1), (250, 1), (251, 2), (816, 4)])
def test_parts_hold_at_most_250_rows(rows: int, count: int) -> None:
    assert count_of(rows) == count
    assert len(further_keys("x", rows)) == count - 1


def test_every_row_is_in_one_part() -> None:
    rows = list(range(816))
    keys = [PageKey("x"), *further_keys("x", 816)]
    assert [row for key in keys for row in part_of(rows, key).rows] == rows


def test_parts_lead_to_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    site = sample_context()
    site.assets = Assets.from_files(dict.fromkeys(("style.css", "site.js", "icon.svg"), b""))
    total = len(site.catalog.models)
    assert FURTHER.keys(site.catalog) == []
    monkeypatch.setattr(parts, "ROWS", 1)
    env = make_environment(
        ROOT / "templates",
        "en",
        site.locales,
        load_translations(ROOT / "locales", "en"),
        site.urls,
        site.assets,
    )
    pages = [KIND.render(env, site, PageKey("models"), "en")]
    pages += [FURTHER.render(env, site, key, "en") for key in FURTHER.keys(site.catalog)]
    assert len(pages) == total == 2
    names = [entry.model.name for entry in model_entries(book_of(site))]
    for number, (name, page) in enumerate(zip(names, pages, strict=True), start=1):
        assert re.findall(r"<tr data-id.*?<a [^>]*>(.*?)</a>", page) == [name]
        assert f"Part {number} of {total}" in page
        ahead = re.findall(r'<a rel="next" href="/repo/en/models-part/(\d+)/"', page)
        assert ahead == ([str(number + 1)] if number < total else [])
    assert '<a rel="prev" href="/repo/en/models/"' in pages[1]
