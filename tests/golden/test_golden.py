from __future__ import annotations

import re

import pytest
from golden_site import EXPECTED, golden_pages

PAGES = golden_pages()


def test_the_same_pages_as_kept():
    kept = {path.relative_to(EXPECTED).as_posix() for path in EXPECTED.rglob("*.html")}
    assert set(PAGES) == kept


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_is_as_kept_to_the_byte(name):
    kept = (EXPECTED / name).read_text(encoding="utf-8")
    assert PAGES[name] == kept, "a wanted change? python tests/golden/golden_site.py --update"


def test_the_same_pages_again():
    assert golden_pages() == PAGES


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_keeps_the_rules_of_all_pages(name):
    text = PAGES[name]
    assert len(re.findall(r"<h1[ >]", text)) == 1
    assert " style=" not in text
    assert not re.search(r"\son\w+=", text)
    for script in re.findall(r"<script[^>]*>", text):
        assert "src=" in script or 'type="application/ld+json"' in script
    assert not re.search(r'(?:src|href)="(?:https?:)?//(?!example\.org|huggingface\.co)', text)
    assert not re.search(r"\bNone\b(?! of)", text)
    assert not re.search(r'href="#([^"]+)"(?![\s\S]*id="\1")', text.split("<main")[1])


@pytest.mark.parametrize("name", sorted(PAGES))
def test_numbers_are_written_as_in_the_language(name):
    body = re.sub(r"<(script|style|code|pre)\b.*?</\1>", " ", PAGES[name], flags=re.S)
    text = re.sub(r"<[^>]+>", " ", body)
    if name.startswith("de/"):
        assert not re.search(r"(?<![\w.])\d+\.\d{1,2}(?![\d.\w])", text)
    elif name.startswith("en/"):
        assert not re.search(r"\d,\d{1,2}(?!\d)", text)


def test_titles_and_descriptions_are_there_and_titles_differ_within_a_language():
    for language in ("en", "de"):
        titles = [
            re.findall(r"<title>(.*?)</title>", text)
            for name, text in PAGES.items()
            if name.startswith(f"{language}/")
        ]
        assert all(len(found) == 1 and found[0] for found in titles)
        flat = [found[0] for found in titles]
        assert len(flat) == len(set(flat))
        for name, text in PAGES.items():
            if name.startswith(f"{language}/"):
                assert re.search(r'<meta name="description" content="[^"]{20,}">', text)
