"""Addresses with anything in them: a note says what was not taken, and nothing breaks.

VRAMSITE_FUZZ=20 tries twenty times as many, others each day of the week.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urljoin

import pytest
from sample_site import LOCALES

pytestmark = pytest.mark.browser

LONG = int(os.environ.get("VRAMSITE_FUZZ", "1"))
TRIES = 30
PAIR = "models/qwen3-8b/rtx-4090/"
KEYS = [
    "m", "d", "f", "c", "k", "v", "n", "g", "s", "e", "b", "ngl", "moe", "ub", "fa", "ku", "swa",
    "nkvo", "mm", "dr", "im", "cap", "bw", "fl", "ram", "h", "u", "on", "mo", "cur", "ct", "kwh",
    "pc", "pp", "hp", "rv", "wl", "wi", "pue",
]  # fmt: skip
NEVER = [
    "NaN", "Infinity", "-1", "1e9", "0x10", "9" * 40, "1.5.2", "null", "undefined", "__proto__",
    "constructor", "toString", "<img src=x onerror=alert(1)>", "'\"><script>alert(1)</script>",
    "javascript:alert(1)", "../../etc/passwd", "%00", "\u202e", "\ud83d\ude00", "a" * 3000,
    "١٢", "1,5", "own", "1 2", "${7*7}", "{{7*7}}",
]  # fmt: skip
EDGES = [
    "0", "1", "2", "16", "17", "512", "1024", "1025", "8192", "40960", "999999999", "0.5", "24",
    "0.000001", "9999999", "q8_0", "q4_0", "vllm", "ollama", "tensor", "native", "Q2_K", "vulkan",
    "cuda", "EUR", "DE", "used", "glm-4.5", "rtx-3060-12gb",
]  # fmt: skip
SHOWN_NEVER = re.compile(r"\b(NaN|undefined|Infinity)\b|\[object|-?∞")

# Goes to an address as a step in history does; waits until all is drawn, or a refusal stands there.
VISIT = """async (query) => {
  const root = document.documentElement;
  const begun = performance.now();
  root.dataset.drawn = "waiting";
  history.pushState(null, "", location.pathname + query);
  dispatchEvent(new PopStateEvent("popstate"));
  const answer = document.querySelector("[data-part=answer]");
  while (root.dataset.drawn === "waiting" && performance.now() - begun < 2500)
    await new Promise((go) => setTimeout(go, 15));
  const note = document.querySelector("form.configurator [role=alert]");
  return {
    drawn: root.dataset.drawn !== "waiting",
    note: note.hidden ? "" : note.textContent,
    text: document.querySelector("main").innerText,
    answer: answer.innerText,
    images: document.querySelectorAll("main img[src=x]").length,
  };
}"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda item: faults.append(item.text) if item.type == "error" else None)
    yield opened
    assert faults == []
    context.close()


def drawn_query(draw: random.Random) -> tuple[str, bool]:
    """A query, and whether it holds something that no key takes."""
    parts = []
    hostile = False
    for _ in range(draw.choice((1, 1, 2, 3, 6))):
        never = draw.random() < 0.4
        hostile = hostile or never
        parts.append((draw.choice(KEYS), draw.choice(NEVER if never else EDGES)))
    keys = [key for key, _ in parts]
    if len(set(keys)) < len(keys):  # of two alike only the first counts
        return drawn_query(draw)
    if draw.random() < 0.2:
        parts.append(("surprise", "1"))
    query = "&".join(f"{key}={quote(value, safe='', errors='replace')}" for key, value in parts)
    return f"?{query}", hostile


@pytest.mark.parametrize("locale", LOCALES)
def test_whatever_an_address_says_the_page_stands(page: Any, site_url: str, locale: str) -> None:
    draw = random.Random(locale if LONG == 1 else f"{locale} {datetime.now(UTC):%A}")
    page.goto(urljoin(site_url, f"{locale}/{PAIR}"))
    page.wait_for_selector("html[data-drawn]")
    for _ in range(TRIES * LONG):
        query, hostile = drawn_query(draw)
        found = page.evaluate(VISIT, query)
        assert found["answer"].strip(), query
        assert found["drawn"] or found["note"], query
        assert not SHOWN_NEVER.search(found["text"]), (query, found["text"])
        assert found["images"] == 0, query
        if hostile:
            assert found["note"], query


@pytest.mark.parametrize(
    "query", ["?" + "&".join(f"{key}=%3Cb%3E" for key in KEYS), "?c=%E0%A4%A", "?" + "c=1&" * 3000]
)
def test_an_address_that_is_opened_with_it(page: Any, site_url: str, query: str) -> None:
    page.goto(urljoin(site_url, f"en/{PAIR}{query}"))
    page.wait_for_selector("html[data-drawn]")
    assert page.locator("[data-part=answer]").inner_text().strip()
    note = page.locator("form.configurator [role=alert]")
    assert note.is_visible() == ("c=1&" not in query)
