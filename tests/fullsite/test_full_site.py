"""Every page of the complete site: links, languages, titles, numbers, budgets."""

from __future__ import annotations

import zlib
from collections import Counter
from pathlib import Path

import pytest
from page_facts import SiteFacts, internal_target

from vramsite.catalog import load_catalog
from vramsite.site.i18n import discover_locales
from vramsite.site.spec import project_spec

pytestmark = pytest.mark.fullsite

ROOT = Path(__file__).resolve().parents[2]
LOCALES = discover_locales(ROOT / "locales")
URLS = project_spec(ROOT).urls
KIB = 1024
PAIR_RAW_LIMIT, GZIP_LIMIT, NODE_LIMIT, CSS_LIMIT = 45 * KIB, 14 * KIB, 1500, 8 * KIB


def is_pair(file: str) -> bool:
    parts = file.split("/")
    return len(parts) == 5 and parts[1] == "models"


def test_every_pair_has_its_page_in_every_language(facts: SiteFacts) -> None:
    catalog = load_catalog(ROOT / "data")
    pairs = {
        URLS.file("pair", (model, gpu), locale)
        for model in catalog.models
        for gpu in catalog.gpus
        for locale in LOCALES
    }
    assert pairs == {file for file in facts.pages if is_pair(file)}


def test_every_internal_link_resolves(facts: SiteFacts) -> None:
    broken = {
        link: page
        for link, page in facts.links.items()
        if (target := internal_target(link, URLS.base_path)) and target not in facts.files
    }
    assert broken == {}


def test_links_within_a_page_resolve(facts: SiteFacts) -> None:
    assert facts.fragments[:20] == []


def test_no_two_addresses_differ_by_case(facts: SiteFacts) -> None:
    assert len({file.casefold() for file in facts.files}) == len(facts.files)


def test_every_page_has_one_heading_and_a_title_of_its_own(facts: SiteFacts) -> None:
    assert [page.file for page in facts.pages.values() if page.h1_count != 1] == []
    titles = Counter(page.title for page in facts.pages.values())
    assert [title for title, count in titles.items() if count > 1 or not title] == []


def test_descriptions_are_of_a_length_and_of_the_page_alone(facts: SiteFacts) -> None:
    found = [page for page in facts.pages.values() if page.file != "404.html"]
    lengths = {page.file: len(page.description) for page in found}
    assert {file: size for file, size in lengths.items() if not 60 <= size <= 210} == {}
    counted = Counter(page.description for page in found)
    assert [text for text, count in counted.items() if count > 1] == []


def test_titles_are_not_cut_far_from_their_end(facts: SiteFacts) -> None:
    assert [page.title for page in facts.pages.values() if len(page.title) > 100] == []


def test_machines_are_told_what_a_page_is(facts: SiteFacts) -> None:
    in_a_language = [file for file in facts.json_ld if file.split("/")[0] in LOCALES]
    assert in_a_language[:20] == []


def test_languages_point_at_each_other(facts: SiteFacts) -> None:
    by_url = {URLS.absolute(URLS.base_path + _address(file)): file for file in facts.pages}
    faults: list[str] = []
    for page in facts.pages.values():
        if page.file.split("/")[0] not in LOCALES:
            continue
        alternates = dict(page.alternates)
        if set(alternates) != {*LOCALES, "x-default"}:
            faults.append(f"{page.file}: hreflang for {sorted(alternates)}")
        elif alternates[page.lang] != page.canonical or by_url.get(page.canonical) != page.file:
            faults.append(f"{page.file}: is not the page its canonical and hreflang name")
        else:
            sisters = [by_url.get(alternates[locale], "") for locale in LOCALES]
            if not all(s and facts.pages[s].alternates == page.alternates for s in sisters):
                faults.append(f"{page.file}: a sister does not point back")
    assert faults[:20] == []


def _address(file: str) -> str:
    return file.removesuffix("index.html")


def test_numbers_are_written_as_the_language_writes_them(facts: SiteFacts) -> None:
    assert dict(list(facts.numbers.items())[:20]) == {}


def test_no_inline_style_or_script(facts: SiteFacts) -> None:
    assert facts.inline[:20] == []


def test_ids_are_unique_within_a_page(facts: SiteFacts) -> None:
    assert facts.double_ids[:20] == []


def test_pages_keep_their_budgets(facts: SiteFacts) -> None:
    over = [
        f"{page.file}: {page.raw_bytes} bytes, {page.gzip_bytes} compressed, {page.nodes} elements"
        for page in facts.pages.values()
        if page.gzip_bytes > GZIP_LIMIT
        or page.nodes > NODE_LIMIT
        or (is_pair(page.file) and page.raw_bytes > PAIR_RAW_LIMIT)
    ]
    assert over[:20] == []


def test_the_style_sheet_keeps_its_budget(full_site: Path) -> None:
    (style,) = full_site.glob("assets/*/style.css")
    assert len(zlib.compress(style.read_bytes(), 9)) <= CSS_LIMIT


def test_nothing_is_loaded_from_elsewhere(facts: SiteFacts, full_site: Path) -> None:
    assets = [file for file in facts.files if file.startswith("assets/")]
    assert assets
    for file in assets:
        content = (full_site / file).read_bytes()
        assert b"@import" not in content, file
        assert b"url(http" not in content, file
