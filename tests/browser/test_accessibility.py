"""axe-core finds nothing: no violation, and nothing it could not decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from sample_site import ADDRESSES, no_browser

pytestmark = pytest.mark.browser

RUN = """async (contrastOnly) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, { runOnly: contrastOnly ? ["color-contrast"] : tags });
  const why = (node) => (node.any[0] || node.all[0] || node.none[0])?.message;
  const short = (results) => results.map((result) => ({
    rule: result.id,
    count: result.nodes.length,
    first: result.nodes[0].html.slice(0, 200),
    why: why(result.nodes[0]),
  }));
  return { violations: short(found.violations), incomplete: short(found.incomplete) };
}"""
OPEN_DETAILS = "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
OPEN_SCROLLERS = """document.querySelectorAll(".scroll").forEach((frame) => {
  frame.style.overflow = "visible";
})"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core that PyPI's axe-playwright-python carries."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        no_browser("axe-core is not installed: pip install axe-playwright-python")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def opened(browser: Any, address: str, scheme: str, axe: str) -> Iterator[Any]:
    """A page with everything unfolded and axe at hand."""
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(address, wait_until="load")
    page.evaluate(OPEN_DETAILS)
    page.evaluate(axe)
    yield page
    context.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_has_nothing_to_say(browser: Any, axe: str, site_url: str, address: str) -> None:
    with opened(browser, urljoin(site_url, address), "light", axe) as page:
        found = page.evaluate(RUN, False)
        assert found["violations"] == []
        # A cell scrolled out of its table's frame has no background that axe could find: contrast
        # is decided with the frames open instead.
        assert [item for item in found["incomplete"] if item["rule"] != "color-contrast"] == []
        page.evaluate(OPEN_SCROLLERS)
        assert page.evaluate(RUN, True) == {"violations": [], "incomplete": []}


@pytest.mark.parametrize("address", ADDRESSES)
def test_dark_colours_have_contrast(browser: Any, axe: str, site_url: str, address: str) -> None:
    with opened(browser, urljoin(site_url, address), "dark", axe) as page:
        page.evaluate(OPEN_SCROLLERS)
        assert page.evaluate(RUN, True) == {"violations": [], "incomplete": []}
