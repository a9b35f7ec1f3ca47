from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from vramsite.site.sitemap import Entry, host_files, sitemaps
from vramsite.site.urls import Urls

URLS = Urls.from_base_url("https://example.org/repo/")
NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}


def entry(name: str) -> Entry:
    return Entry.from_line(f"\ten=en/models/{name}/\tde=de/models/{name}/\n")


def write(folder: Path, entries: list[Entry], limit: int = 50_000) -> None:
    for name, content in sitemaps(entries, URLS, "en", limit):
        (folder / name).write_bytes(b"".join(content))


def locations(path: Path) -> list[str]:
    root = ElementTree.parse(path).getroot()
    return [element.text or "" for element in root.iterfind(".//s:loc", NAMES)]


def test_every_language_lists_all_its_sisters(tmp_path: Path) -> None:
    write(tmp_path, [entry("a")])
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
    write(tmp_path, entries, limit=5)
    counts = [len(locations(tmp_path / f"sitemap-{number}.xml")) for number in (1, 2, 3)]
    assert counts == [4, 4, 2]  # the languages of a page stay together
    assert locations(tmp_path / "sitemap.xml") == [
        f"https://example.org/repo/sitemap-{number}.xml" for number in (1, 2, 3)
    ]


def test_a_page_says_of_which_day_it_is(tmp_path: Path) -> None:
    dated = Entry.from_line("2026-11-30\ten=en/models/a/\tde=de/models/a/\n")
    write(tmp_path, [dated, entry("b")])
    root = ElementTree.parse(tmp_path / "sitemap-1.xml").getroot()
    days = [[day.text for day in url.iterfind("s:lastmod", NAMES)] for url in root]
    assert days == [["2026-11-30"], ["2026-11-30"], [], []]


def test_no_page_is_no_file(tmp_path: Path) -> None:
    write(tmp_path, [])
    assert [path.name for path in tmp_path.iterdir()] == ["sitemap.xml"]
    assert locations(tmp_path / "sitemap.xml") == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("robots.txt", "Sitemap: https://example.org/repo/sitemap.xml\n"),
        ("_headers", "  Content-Security-Policy: default-src 'none'; script-src 'self'; "),
        ("_headers", "/repo/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n"),
        (".nojekyll", ""),
    ],
)
def test_files_for_the_host(file: str, text: str) -> None:
    assert text in dict(host_files(URLS))[file].decode()


def test_nobody_to_tell_is_no_security_txt() -> None:
    name = ".well-known/security.txt"
    assert name not in dict(host_files(URLS, "", "2026-11-30"))
    assert name not in dict(host_files(URLS, "mailto:a@b.org", ""))
    text = dict(host_files(URLS, "mailto:a@b.org", "2026-11-30"))[name].decode()
    assert text == (
        "Contact: mailto:a@b.org\nExpires: 2027-11-29T00:00:00Z\nPreferred-Languages: en, de\n"
    )
