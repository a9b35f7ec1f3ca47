"""Pages without script or style, as text, enlarged, in two colours, on paper: the answer first."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vramsite.site.serve import SiteServer

PAIR = "en/models/qwen3-8b/rtx-4090/"
TOO_LARGE = "en/models/gpt-oss-20b/rtx-4090/"
PAGES = [
    PAIR,
    TOO_LARGE,
    "en/models/qwen3-8b/",
    "en/devices/rtx-4090/",
    "en/",
    "de/models/qwen3-8b/",
]
ANSWER = "Yes, it fits with reserve"
NEED = re.compile(r"takes 5\.\d\d\u00a0?\s?GiB of the 23\.\d\d\s?GiB")
RESULT = re.compile(r"Memory needed\s+5\.\d\d\sGiB\s")


@pytest.fixture(scope="module")
def url(built: Path) -> Iterator[str]:
    with SiteServer(built, "/", port=0, reload=False) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()


@pytest.fixture
def look(browser: Any, url: str) -> Iterator[Any]:
    """Opens an address in a browser of these settings."""
    contexts = []

    def opened(address: str, **settings: Any) -> Any:
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.goto(url + address)
        return page

    yield opened
    for context in contexts:
        context.close()


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def answer_first(text: str) -> None:
    """Within a few lines of the heading: yes or no, how much of how much."""
    found = lines(text)
    answer = next(at for at, line in enumerate(found) if ANSWER in line)
    assert NEED.search(" ".join(found[answer : answer + 4])), found[: answer + 6]
    assert answer <= 16, found[: answer + 1]
    heading = max(at for at in range(answer) if re.search("Qwen3 8B on .*4090", found[at]))
    assert answer - heading <= 2


@pytest.mark.browser
def test_without_script(look: Any) -> None:
    page = look(PAIR, java_script_enabled=False)
    text = page.locator("body").inner_text()
    answer_first(text)
    for part in ("How to start it", "llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M", "KV cache"):
        assert part in text
    for address in PAGES:
        page = look(address, java_script_enabled=False)
        assert page.locator("h1").count() == 1
        assert len(lines(page.locator("main").inner_text())) > 10
        # What only a script can make work is not shown without one.
        for name in ("Copy", "Reset"):
            assert (
                not page.get_by_role("button", name=name, exact=True).filter(visible=True).count()
            )


@pytest.mark.browser
def test_without_style(look: Any, browser: Any, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*.css", lambda route: route.abort())
    page.goto(url + PAIR)
    text = page.locator("body").inner_text()
    answer_first(text)
    assert not re.search(r"GiB\d|tok/s\d|\bGB[A-Z]", text), "figures run into each other"
    context.close()


def test_in_a_text_browser(built: Path) -> None:
    program = shutil.which("w3m")
    if program is None:
        if os.environ.get("VRAMSITE_REQUIRE_BROWSER"):
            pytest.fail("no w3m: apt-get install w3m")
        pytest.skip("no w3m: apt-get install w3m")

    def dump(address: str) -> str:
        command = [
            program,
            "-dump",
            "-cols",
            "100",
            "-I",
            "UTF-8",
            "-O",
            "UTF-8",
            "-T",
            "text/html",
        ]
        return subprocess.run(
            [*command, str(built / address / "index.html")],
            capture_output=True, check=True, timeout=60, encoding="utf-8",
            env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(built.parent)},
        ).stdout  # fmt: skip

    text = dump(PAIR)
    answer_first(text)
    assert RESULT.search(text), text[:1500]
    assert "llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M" in text
    assert not re.search(r"GiB\d|tok/s\d", text)
    for address in PAGES:
        text = dump(address)
        assert len(lines(text)) > 15
        assert "application/ld+json" not in text
        assert "{" not in text.split("llama-server")[0]


@pytest.mark.browser
@pytest.mark.parametrize("address", PAGES)
def test_at_400_per_cent(look: Any, address: str) -> None:
    """WCAG 2.2, 1.4.10: 1,280 by 1,024 pixels at 400 % are 320 by 256: one direction to scroll."""
    page = look(address, viewport={"width": 320, "height": 256})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    if address == PAIR:
        answer_first(page.locator("body").inner_text())
        top = page.get_by_text(ANSWER).first.bounding_box()["y"]
        assert top < 3 * 256  # within three screens


@pytest.mark.browser
def test_in_forced_colours(look: Any) -> None:
    """Verdicts are words, not colours, and what has the focus is outlined."""
    page = look(PAIR, forced_colors="active")
    answer_first(page.locator("body").inner_text())
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    kept = page.evaluate(
        "[...document.querySelectorAll('*')]"
        ".filter(e => getComputedStyle(e).forcedColorAdjust === 'none').map(e => e.tagName)"
    )
    assert set(kept) <= {"svg", "rect", "line", "path"}, kept
    link = page.locator("main a").first
    link.focus()
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    for address in ("en/models/qwen3-8b/", "en/devices/rtx-4090/"):
        page = look(address, forced_colors="active")
        for verdict in page.locator(".v").all()[:20]:
            assert verdict.inner_text().strip()


@pytest.mark.browser
def test_on_paper(look: Any) -> None:
    page = look(PAIR)
    page.emulate_media(media="print")
    text = page.locator("body").inner_text()
    answer_first(text)
    for name in ("nav[aria-label=Main]", "form.search", "button.copy", "a.skip"):
        assert not page.locator(name).first.is_visible(), name
    assert "llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M" in text
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 10
    colour = page.evaluate("getComputedStyle(document.body).color")
    assert max(map(int, re.findall(r"\d+", colour)[:3])) < 100  # dark ink, whatever the screen has
