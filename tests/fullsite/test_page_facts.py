"""The pass over the pages finds what it is there to find (made-up pages, no full site needed)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_facts import Names, SiteFacts, internal_target, read_site

NAMES = Names(re.compile(r"Qwen3\.8 27B|GLM-4\.5"))
PAGE = """<!doctype html><html lang="{lang}"><head><title>One</title>
<link rel="canonical" href="https://example.org/{lang}/"></head>
<body><h1>One</h1>{body}</body></html>"""


def facts_of(tmp_path: Path, body: str, lang: str = "de") -> SiteFacts:
    page = tmp_path / lang / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE.format(lang=lang, body=body), encoding="utf-8")
    return read_site(tmp_path, NAMES)


@pytest.mark.parametrize(
    ("lang", "body", "wrong"),
    [
        ("de", "<p>204.19 GiB</p>", True),
        ("de", "<p>GLM-4.5 braucht 3.5 GiB</p>", True),
        ("de", "<p>GLM-4.5 braucht 204,19 GiB</p>", False),
        ("de", "<p>32.768 Token</p>", False),
        ("de", "<code>-ngl 1.5</code><pre>4.5</pre>", False),
        ("de", '<data value="204.19">204,19 GiB</data>', False),
        ("de", '<time datetime="2026-09-14">14.09.2026</time>', False),
        ("de", '<p lang="en">needs 1.5 GiB</p>', False),
        ("en", "<p>204,19 GiB</p>", True),
        ("en", "<p>32,768 tokens, 204.19 GiB</p>", False),
    ],
)
def test_numbers_of_the_wrong_language(tmp_path: Path, lang: str, body: str, wrong: bool) -> None:
    assert bool(facts_of(tmp_path, body, lang).numbers) is wrong


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ('<p style="color:red">', True),
        ("<script>1</script>", True),
        ("<style>a{}</style>", True),
        ('<a onclick="x()">', True),
        ('<script type="application/ld+json">{}</script>', False),
        ('<script src="/a.js" type="module"></script>', False),
    ],
)
def test_inline_code(tmp_path: Path, body: str, found: bool) -> None:
    assert bool(facts_of(tmp_path, body).inline) is found


def test_what_a_page_says_of_itself(tmp_path: Path) -> None:
    body = '<p id="a">x</p><p id="a">y</p><a href="#gone">z</a><a class="b" href="/de/x/">x</a>'
    facts = facts_of(tmp_path, body)
    page = facts.pages["de/index.html"]
    assert (page.title, page.h1_count, page.lang) == ("One", 1, "de")
    assert page.canonical == "https://example.org/de/"
    assert facts.double_ids == ["de/index.html"]
    assert facts.fragments == ["de/index.html: #gone"]
    assert "/de/x/" in facts.links


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ([], False),
        (["trail"], False),
        (["trail", "page"], True),
        (["trail", "other"], False),
        (["trail", "trail", "page"], False),
    ],
)
def test_what_machines_are_told(tmp_path: Path, blocks: list[str], told: bool) -> None:
    here, there = "https://example.org/de/", "https://example.org/de/x/"
    known = {
        "trail": {
            "@type": "BreadcrumbList",
            "itemListElement": [{"@type": "ListItem", "position": 1, "item": here}],
        },
        "page": {"@type": "WebPage", "url": here},
        "other": {"@type": "WebPage", "url": there},
    }
    body = "".join(
        '<script type="application/ld+json">'
        + json.dumps({"@context": "https://schema.org", **known[name]})
        + "</script>"
        for name in blocks
    )
    assert (facts_of(tmp_path, body).json_ld == []) is told


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("/repo/de/", "de/index.html"),
        ("/repo/", "index.html"),
        ("/repo/de/models/?q=1#top", "de/models/index.html"),
        ("/repo/robots.txt", "robots.txt"),
        ("https://example.org/", None),
        ("#top", None),
        ("/de/", "(outside the base path) /de/"),
    ],
)
def test_internal_links(link: str, target: str | None) -> None:
    assert internal_target(link, "/repo/") == target
