"""The finder and the comparison: their answers are those of the engine in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from sample_site import LOCALES, ROOT

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer
from vramsite.site.formatting import Formatter

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def sizer() -> Sizer:
    return Sizer(load_catalog(ROOT / "data"))


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda item: item.type == "error" and complaints.append(item.text))
    yield opened
    assert complaints == []
    context.close()


@pytest.mark.parametrize("locale", LOCALES)
def test_the_finder_answers_as_the_engine_does(
    page: Any, site_url: str, sizer: Sizer, locale: str
) -> None:
    page.goto(urljoin(site_url, f"{locale}/find/?d=rtx-4090&u=code"))
    row = page.locator("#found tr", has=page.locator("a[href*='/models/qwen3-8b/']"))
    row.wait_for()
    link = row.locator("a").get_attribute("href")
    assert urlsplit(link).path.endswith("/models/qwen3-8b/rtx-4090/")
    assert parse_qs(urlsplit(link).query) == {"f": ["Q8_0"], "c": ["32768"]}
    settings = sizer.settings("qwen3-8b", "rtx-4090", format_name="Q8_0", context_tokens=32768)
    size = sizer.size("qwen3-8b", "rtx-4090", settings)
    assert size.fit.verdict == "fits"
    assert size.decode_tps.value is not None
    cells = row.locator("td").all_inner_texts()
    numbers = Formatter(locale)
    assert cells[0] == numbers.tps(size.decode_tps.value)
    assert numbers.gib(size.fit.needed_bytes, 1) in cells


def test_the_least_speed_and_the_memory_leave_models_out(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/find/?d=t4-16gb&t=9000"))
    page.locator("form.finder output:text-matches('No model')").wait_for()
    assert page.locator("#found").is_hidden()
    page.locator("input[name=t]").fill("1")
    page.locator("form.finder button").click()
    page.locator("#found tbody").first.wait_for()
    assert page.locator("#found a[href*='/models/glm-4.5/']").count() == 0
    page.locator("form.finder summary").click()
    page.locator("input[name=cap]").fill("300")
    page.locator("form.finder button").click()
    page.locator("#found a[href*='/models/glm-4.5/'][href*='cap=300']").wait_for()
    assert "cap=300" in page.url


def test_the_system_ram_goes_along_to_the_page(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/find/?d=t4-16gb&t=0.1&ram=600"))
    row = page.locator("#found tr", has=page.locator("a[href*='/models/glm-4.5/']"))
    row.wait_for()
    speed, weights, _, _, verdict, _ = row.locator("td").all_inner_texts()
    link = row.locator("a").get_attribute("href")
    assert parse_qs(urlsplit(link).query)["ram"] == ["600"]
    assert verdict == "offload"
    page.goto(urljoin(site_url, link))
    answer = page.locator("[data-part=answer]")
    answer.locator(f"text={weights}").first.wait_for()
    assert speed in answer.inner_text()  # as for the device with its usual RAM it would not run


def test_the_language_keeps_the_question(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/find/?d=rtx-4090&u=many"))
    page.locator("#found tbody").first.wait_for()
    page.locator("nav.languages a[hreflang=de]").click()
    page.locator("#found tbody").first.wait_for()
    assert page.url.endswith("de/find/?d=rtx-4090&u=many")


@pytest.mark.parametrize("locale", LOCALES)
def test_a_comparison_says_what_the_pages_say(page: Any, site_url: str, locale: str) -> None:
    pairs = ["qwen3-8b_rtx-4090", "glm-4.5_mac-studio-m3-ultra-512gb"]
    query = "&".join(f"p={pair}" for pair in pairs)
    page.goto(urljoin(site_url, f"{locale}/compare/?{query}"))
    page.locator("#compared td").first.wait_for()
    needed = page.locator("[data-row=needed] td").all_inner_texts()
    output = page.locator("[data-row=output] td").all_inner_texts()
    assert len(needed) == len(pairs)
    for place, pair in enumerate(pairs):
        page.goto(urljoin(site_url, f"{locale}/models/{pair.replace('_', '/')}/"))
        tiles = page.locator(".tiles .big").all_inner_texts()
        assert needed[place] in tiles
        assert output[place] in tiles


def test_three_and_four_pairs_start_empty(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/compare/?p=qwen3-8b_rtx-4090"))
    page.locator("#compared td").first.wait_for()
    assert [page.locator(f"select[name=m{place}]").input_value() for place in range(4)] == [
        "qwen3-8b",
        "",
        "",
        "",
    ]


def test_without_script_the_finder_leads_to_the_devices(browser: Any, site_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(urljoin(site_url, "en/find/"))
    assert page.locator("form.finder").is_hidden()
    assert page.locator("main a[href$='/devices/rtx-4090/']").count() == 1
    page.goto(urljoin(site_url, "en/compare/"))
    assert page.locator("main a[href$='/models/']").count() >= 1
    context.close()
