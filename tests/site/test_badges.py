"""Badges: well-formed, small, escaped, readable, neutral where a model does not run."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from machine_sample import sample_context

from vramsite.report.api_json import default_size
from vramsite.site.machine.badges import COLOURS, NEUTRAL, badge, width
from vramsite.site.pages.shared import book_of

SVG = "{http://www.w3.org/2000/svg}"
SIZE = default_size(book_of(sample_context()), "small-8b", "mid-12gb")


def with_verdict(verdict: str) -> bytes:
    size = replace(SIZE, fit=replace(SIZE.fit, verdict=verdict))
    return badge("Qwen3 8B", "RTX 4090", size, "118\u00a0tok/s")


def right_text(content: bytes) -> str:
    return ElementTree.fromstring(content).findall(f".//{SVG}text")[1].text or ""


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        ("fits", "runs on RTX 4090 · 118\u00a0tok/s"),
        ("unified", "runs on RTX 4090 · 118\u00a0tok/s"),
        ("tight", "just fits on RTX 4090 · 118\u00a0tok/s"),
        ("offload", "runs with offload on RTX 4090 · 118\u00a0tok/s"),
        ("exceeds", "too large for RTX 4090"),
        ("unknown", "not known for RTX 4090"),
    ],
)
def test_what_a_badge_says(verdict: str, text: str) -> None:
    content = with_verdict(verdict)
    assert right_text(content) == text
    root = ElementTree.fromstring(content)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == f"Qwen3 8B: {text}"
    assert (NEUTRAL.encode() in content) == (verdict in ("exceeds", "unknown"))


def test_a_speed_nobody_knows_is_left_out() -> None:
    assert right_text(badge("A", "B", SIZE, None)) == "runs on B"


@pytest.mark.parametrize("name", ['<script>alert("x")</script>', "A & B", "]]>", "'\"><a"])
def test_names_are_escaped(name: str) -> None:
    root = ElementTree.fromstring(badge(name, name, SIZE, None))
    assert root.findall(f".//{SVG}text")[0].text == name
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "title", "rect", "path", "g", "text",
    }  # fmt: skip


def test_a_badge_is_small_and_loads_nothing() -> None:
    content = badge("Qwen3 235B-A22B Instruct 2507", "MacBook Pro M3 Max 64GB (40-core GPU)", SIZE,
                    "118 tok/s")  # fmt: skip
    assert len(content) < 1200
    text = content.decode().replace("http://www.w3.org/2000/svg", "")
    assert "http" not in text
    assert "url(" not in text
    assert "href" not in text


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [*COLOURS.values(), NEUTRAL, "#2b333d"])
def test_white_text_can_be_read(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_a_longer_text_is_wider() -> None:
    assert 0 < width("il") < width("mm") < width("mmm")
