"""The search in the header: finds by parts of names, works by keys alone, leads to the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


def look_for(page: Any, text: str) -> Any:
    field = page.get_by_role("combobox").first
    field.click()
    field.fill(text)
    return field


def found(page: Any, text: str) -> list[str]:
    look_for(page, text)
    page.locator(".search [role=status]:not(:empty)").wait_for(state="attached")
    names: list[str] = page.locator("#search-list [role=option]").all_inner_texts()
    return names


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("4090", "RTX 4090"),
        ("nvidia 4090", "RTX 4090"),
        ("rtx4090", "RTX 4090"),
        ("m3 ultra", "Mac Studio M3 Ultra 512GB"),
        ("M3Ultra", "Mac Studio M3 Ultra 512GB"),
        ("qwen 8b", "Qwen3 8B"),
        ("qwen3-8b", "Qwen3 8B"),
        ("qwen8b", "Qwen3 8B"),
        ("glm", "GLM-4.5 (355B-A32B)"),
        ("gemma", "Gemma 4 31B IT"),
        ("qwen 8b 4090", "Qwen3 8B · RTX 4090"),
        ("4090 glm-4.5", "GLM-4.5 (355B-A32B) · RTX 4090"),
    ],
)
def test_a_part_of_a_name_finds_it(page: Any, site_url: str, query: str, first: str) -> None:
    page.goto(urljoin(site_url, "en/"))
    assert found(page, query)[0] == first


def test_what_is_not_there_is_said(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "de/"))
    assert found(page, "xyzzy") == []
    assert page.locator(".search [role=status]").text_content() == "Treffer: 0"
    assert page.get_by_role("combobox").first.get_attribute("aria-expanded") == "false"


def test_keys_alone_lead_to_a_page(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "de/"))
    names = found(page, "g")
    assert len(names) > 1
    field = page.get_by_role("combobox").first
    field.press("ArrowDown")
    field.press("ArrowDown")
    active = field.get_attribute("aria-activedescendant")
    option = page.locator(f"#{active}")
    assert option.get_attribute("aria-selected") == "true"
    assert option.inner_text() == names[1]
    field.press("ArrowUp")
    field.press("ArrowUp")
    assert page.locator("[aria-selected=true]").inner_text() == names[-1]
    field.press("Escape")
    assert field.get_attribute("aria-expanded") == "false"
    assert page.locator("#search-list").is_hidden()
    field.press("ArrowDown")
    field.press("Enter")
    page.wait_for_url("**/de/*/*/")
    assert page.locator("h1").count() == 1


def test_a_click_leads_to_the_pair(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "de/models/"))
    found(page, "qwen 8b t4")
    page.locator("[role=option]").first.click()
    page.wait_for_url("**/de/models/qwen3-8b/t4-16gb/")


def test_the_list_goes_when_the_focus_does(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/"))
    assert found(page, "4090")
    page.keyboard.press("Tab")
    assert page.locator("#search-list").is_hidden()


def test_nothing_is_fetched_before_somebody_searches(page: Any, site_url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(urljoin(site_url, "en/"))
    page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "search" in url]
    found(page, "4090")
    assert len([url for url in asked if "search" in url]) == 2


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_list_stays_inside_the_page(page: Any, site_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(urljoin(site_url, "de/"))
    assert found(page, "qwen 8b 4090")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator("#search-list").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
