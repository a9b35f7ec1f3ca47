"""axe-core finds nothing: no violation, and nothing it could not decide."""

from __future__ import annotations

import os
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
FRAMES = """(overflow) => document.querySelectorAll(".scroll").forEach((frame) => {
  frame.style.overflow = overflow;
})"""
WIDEST = 1600
VIEWS = [("light", 1280), ("dark", 390)]
if os.environ.get("VRAMSITE_AUDIT"):
    VIEWS += [("dark", 1280), ("light", 390)]


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core that PyPI's axe-playwright-python carries."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        no_browser("axe-core is not installed: pip install axe-playwright-python")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_has_nothing_to_say(browser: Any, axe: str, site_url: str, address: str) -> None:
    """Light on a wide screen and dark on a phone; all four with VRAMSITE_AUDIT=1."""
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(urljoin(site_url, address), wait_until="load")
    page.evaluate(OPEN_DETAILS)
    page.evaluate(axe)
    for scheme, width in VIEWS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(FRAMES, "")
        found = page.evaluate(RUN, False)
        assert found["violations"] == [], (scheme, width)
        # A cell scrolled out of its table's frame has no background that axe could find: contrast
        # is decided with the frames open instead, on a screen that takes them.
        assert [item for item in found["incomplete"] if item["rule"] != "color-contrast"] == []
        page.set_viewport_size({"width": WIDEST, "height": 844})
        page.evaluate(FRAMES, "visible")
        assert page.evaluate(RUN, True) == {"violations": [], "incomplete": []}, (scheme, width)
    context.close()
