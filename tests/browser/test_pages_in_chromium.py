"""Every kind of page, in every language, narrow and wide, as a browser sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

import pytest
from sample_site import ADDRESSES, LOCALES, PAGES

pytestmark = pytest.mark.browser

NARROW, WIDE = 390, 1280


@dataclass
class Visit:
    """One opened page with what the browser complained of and asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, address: str) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("requestfailed", lambda request: self.complaints.append(request.url))
        answer = self.page.goto(address, wait_until="load")
        assert answer.status == 200, f"{address}: {answer.status}"

    def _console(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)


@pytest.fixture
def visit(browser: Any, request: pytest.FixtureRequest) -> Iterator[Visit]:
    width = getattr(request, "param", WIDE)
    context = browser.new_context(viewport={"width": width, "height": 900})
    yield Visit(context.new_page())
    context.close()


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("visit", [NARROW, WIDE], indirect=True, ids=["narrow", "wide"])
def test_page_is_sound(visit: Visit, site_url: str, address: str) -> None:
    visit.open(urljoin(site_url, address))
    assert visit.complaints == []
    assert [url for url in visit.requests if not url.startswith(site_url)] == []
    assert len(visit.requests) <= 6
    assert visit.page.locator("h1").count() == 1
    scroll, inner = visit.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert scroll <= inner


@pytest.mark.parametrize("locale", LOCALES)
def test_the_other_language_is_one_click_away(visit: Visit, site_url: str, locale: str) -> None:
    visit.open(urljoin(site_url, f"{locale}/{PAGES['pair-fits']}"))
    other = next(code for code in LOCALES if code != locale)
    visit.page.locator(f"a[hreflang={other}]").first.click()
    assert visit.page.url == urljoin(site_url, f"{other}/{PAGES['pair-fits']}")
    assert visit.page.locator("html").get_attribute("lang") == other


def test_pages_work_without_script(browser: Any, site_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(urljoin(site_url, f"en/{PAGES['pair-fits']}"))
    assert "GiB" in page.locator("main").inner_text()
    page.goto(urljoin(site_url, "en/models/"))
    assert page.locator("main a[href*='/models/glm-4.5/']").count() >= 1
    context.close()
