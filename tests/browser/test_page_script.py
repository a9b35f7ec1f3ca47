"""What the script adds: sorting, filtering, jumping to another entry, open details in print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest

pytestmark = pytest.mark.browser

COLUMN = """(column) => [...document.querySelectorAll('tbody tr:not([hidden])')]
  .map((row) => row.cells[column].dataset.v ?? null)"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.fixture
def page_without_script(browser: Any) -> Iterator[Any]:
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_a_column_sorts_both_ways_with_unknown_values_last(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/devices/"))
    header = page.locator("thead th").nth(1)
    for direction, reverse in (("ascending", False), ("descending", True)):
        header.locator("button").click()
        assert header.get_attribute("aria-sort") == direction
        values = page.evaluate(COLUMN, 1)
        known = [float(value) for value in values if value is not None]
        assert known == sorted(known, reverse=reverse)
        assert values[len(known) :] == [None] * (len(values) - len(known))


def test_a_list_filters_by_name_and_by_memory(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/models/"))
    rows = page.locator("tbody tr")
    everything = rows.count()
    page.fill("input[name=q]", "glm")
    names = page.locator("tbody tr:not([hidden]) th").all_inner_texts()
    assert 0 < len(names) < everything
    assert all("glm" in name.lower() for name in names)
    assert page.locator("output").inner_text().startswith(f"{len(names)} ")
    page.fill("input[name=q]", "")
    page.fill("input[name=max]", "50")
    shown = [float(value) for value in page.evaluate(COLUMN, 1)]
    assert 0 < len(shown) < everything
    assert max(shown) <= 50 * 2**30


def test_the_select_leads_to_another_device(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "de/models/glm-4.5/t4-16gb/"))
    select = page.locator("form[data-jump] select").first
    select.scroll_into_view_if_needed()
    select.locator("option").nth(1).wait_for(state="attached")
    select.select_option("rtx-4090")
    page.wait_for_url("**/de/models/glm-4.5/rtx-4090/")


def test_without_script_no_dead_control_is_shown(page_without_script: Any, site_url: str) -> None:
    for path in ("en/models/glm-4.5/t4-16gb/", "en/models/", "en/"):
        page_without_script.goto(urljoin(site_url, path))
        assert page_without_script.locator("form:visible, button:visible").count() == 0


def test_print_opens_every_disclosure(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, "en/models/glm-4.5/t4-16gb/"))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
