"""What a page may cost a reader: time to its largest part, shifts, bytes, size of targets."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from sample_site import LOCALES, PAGES

pytestmark = pytest.mark.browser

KIB = 1024
LCP_MS, CLS, CSS_GZIP, JS_GZIP, HTML_GZIP = 1500.0, 0.02, 8 * KIB, 12 * KIB, 14 * KIB
ADDRESSES = [f"{locale}/{path}" for locale in LOCALES for path in PAGES.values()]

OBSERVE = """
window.seen = { lcp: 0, cls: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.seen.lcp = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.seen.cls += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# WCAG 2.2, 2.5.8: 24 by 24 px, or links in a sentence, or 24 px clear of the next target.
SMALL_TARGETS = """() => {
  const boxes = [...document.querySelectorAll("a, button, input, select, summary")]
    .filter((item) => item.checkVisibility({ visibilityProperty: true }))
    .map((item) => ({ item, box: item.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0 && box.right > 0);
  const middle = ({ box }) => [box.x + box.width / 2, box.y + box.height / 2];
  const inSentence = (item) => item.localName === "a"
    && item.closest("p, li, dd, caption, figcaption, td, sup")
    && item.parentElement.textContent.trim() !== item.textContent.trim();
  const small = boxes.filter(
    ({ item, box }) => Math.min(box.width, box.height) < 24 && !inSentence(item));
  return small.filter((one) => boxes.some((other) => {
    if (other.item.contains(one.item) || one.item.contains(other.item)) return false;
    const [x, y] = middle(one);
    const dx = Math.max(other.box.left - x, x - other.box.right, 0);
    const dy = Math.max(other.box.top - y, y - other.box.bottom, 0);
    return Math.hypot(dx, dy) < 12;
  })).map(({ item }) => item.outerHTML.slice(0, 120));
}"""

UNNAMED_TABLES = """() => [...document.querySelectorAll("table")].filter((table) => {
  const named = table.caption || table.closest("[aria-labelledby], .prose");
  const heads = [...table.querySelectorAll("th")].every((head) => head.scope);
  return !named || !heads;
}).map((table) => table.outerHTML.slice(0, 120))"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_init_script(OBSERVE)
    opened = context.new_page()
    yield opened
    context.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_shows_soon_and_stays_where_it_is(page: Any, site_url: str, address: str) -> None:
    page.goto(urljoin(site_url, address), wait_until="load")
    page.wait_for_timeout(300)
    seen = page.evaluate("window.seen")
    assert 0 < seen["lcp"] <= LCP_MS
    assert seen["cls"] <= CLS


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_page_loads_little(page: Any, site_url: str, address: str) -> None:
    bodies: dict[str, bytes] = {}

    def keep(response: Any) -> None:
        if response.status == 200:
            bodies[urlsplit(response.url).path] = response.body()

    page.on("response", keep)
    page.goto(urljoin(site_url, address), wait_until="load")
    sizes = {path: len(gzip.compress(body, 9)) for path, body in bodies.items()}
    assert len(sizes) <= 6
    assert sum(size for path, size in sizes.items() if path.endswith(".css")) <= CSS_GZIP
    assert sum(size for path, size in sizes.items() if path.endswith(".js")) <= JS_GZIP
    assert sum(size for path, size in sizes.items() if path.endswith("/")) <= HTML_GZIP


@pytest.mark.parametrize("address", ADDRESSES)
def test_targets_can_be_hit(page: Any, site_url: str, address: str) -> None:
    page.goto(urljoin(site_url, address), wait_until="load")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate(SMALL_TARGETS) == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_tables_say_what_they_hold(page: Any, site_url: str, address: str) -> None:
    page.goto(urljoin(site_url, address), wait_until="load")
    assert page.evaluate(UNNAMED_TABLES) == []


def test_what_is_jumped_to_is_not_covered(page: Any, site_url: str) -> None:
    page.goto(urljoin(site_url, f"en/{PAGES['model']}#all-devices"), wait_until="load")
    page.wait_for_timeout(200)
    top = page.evaluate("document.getElementById('all-devices').getBoundingClientRect().top")
    header = page.evaluate("document.querySelector('header').getBoundingClientRect().bottom")
    assert top >= max(0.0, header)
