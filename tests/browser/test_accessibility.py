"""axe-core finds nothing: no violation, and nothing it could not decide."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from sample_site import ADDRESSES, no_browser

pytestmark = pytest.mark.browser

RUN = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  const why = (node) => (node.any[0] || node.all[0] || node.none[0])?.message;
  const short = (results) => results.map((result) =>
    `${result.id}: ${result.nodes.length} × ${result.nodes[0].html.slice(0, 200)}`
    + ` (${why(result.nodes[0])})`);
  return { violations: short(found.violations), incomplete: short(found.incomplete) };
}"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core that PyPI's axe-playwright-python carries."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        no_browser("axe-core is not installed: pip install axe-playwright-python")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(params=["light", "dark"])
def page(browser: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = browser.new_context(color_scheme=request.param, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_has_nothing_to_say(page: Any, axe: str, site_url: str, address: str) -> None:
    page.goto(urljoin(site_url, address), wait_until="load")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.evaluate(axe)
    found = page.evaluate(RUN)
    assert found["violations"] == []
    assert found["incomplete"] == []
