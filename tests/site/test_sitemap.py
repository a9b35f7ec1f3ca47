from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from vramsite.site.sitemap import Entry, read_parts, write_host_files, write_sitemaps
from vramsite.site.urls import Urls

URLS = Urls.from_base_url("https://example.org/repo/")
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}


def entry(name: str) -> Entry:
    return Entry.from_line(f"en=en/models/{name}/\tde=de/models/{name}/\n")


def locations(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return [element.text or "" for element in root.iterfind(".//s:loc", NAMES)]


def test_every_language_lists_all_its_sisters(tmp_path: Path) -> None:
    assert write_sitemaps(tmp_path, [entry("a")], URLS, "en") == 2
    root = ElementTree.parse(tmp_path / "sitemap-1.xml").getroot()
    english, german = root.iterfind("s:url", NAMES)
    sisters = {
        "en": "https://example.org/repo/en/models/a/",
        "de": "https://example.org/repo/de/models/a/",
        "x-default": "https://example.org/repo/en/models/a/",
    }
    for url in (english, german):
        links = url.iterfind("x:link", NAMES)
        assert {link.attrib["hreflang"]: link.attrib["href"] for link in links} == sisters


def test_files_are_cut_at_the_limit_and_indexed(tmp_path: Path) -> None:
    entries = [entry(name) for name in "abcde"]
    assert write_sitemaps(tmp_path, entries, URLS, "en", limit=5) == 10
    counts = [len(locations(tmp_path / f"sitemap-{number}.xml")) for number in (1, 2, 3)]
    assert counts == [4, 4, 2]  # the languages of a page stay together
    assert locations(tmp_path / "sitemap.xml") == [
        f"https://example.org/repo/sitemap-{number}.xml" for number in (1, 2, 3)
    ]


def test_no_page_is_no_file(tmp_path: Path) -> None:
    assert write_sitemaps(tmp_path, [], URLS, "en") == 0
    assert locations(tmp_path / "sitemap.xml") == []


def test_parts_are_read_in_the_order_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "000010.txt").write_text("en=c/\n")
    (tmp_path / "000002.txt").write_text("en=a/\nen=b/\n")
    assert [item.addresses for item in read_parts(tmp_path)] == [
        (("en", "a/"),),
        (("en", "b/"),),
        (("en", "c/"),),
    ]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("robots.txt", "Sitemap: https://example.org/repo/sitemap.xml\n"),
        ("_headers", "  Content-Security-Policy: default-src 'none'; script-src 'self'; "),
        ("_headers", "/repo/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n"),
        (".nojekyll", ""),
    ],
)
def test_files_for_the_host(tmp_path: Path, file: str, text: str) -> None:
    write_host_files(tmp_path, URLS)
    assert text in (tmp_path / file).read_text()
