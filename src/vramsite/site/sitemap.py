"""Sitemaps with hreflang, robots.txt and the header file: what machines read before a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import escape

from vramsite.site.render import CSP
from vramsite.site.urls import Urls

MAX_URLS = 50_000
"""The protocol's limit for one file."""

INDEX = "sitemap.xml"
_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"
_YEAR_S = 31_536_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One page in all its languages: (locale, address below the base path) in site order."""

    addresses: tuple[tuple[str, str], ...]

    @classmethod
    def from_line(cls, line: str) -> Entry:
        """Read ``en=en/models/<TAB>de=de/models/``, as the workers write it."""
        pairs = (part.partition("=") for part in line.rstrip("\n").split("\t"))
        return cls(tuple((locale, address) for locale, _, address in pairs))


def read_parts(folder: Path) -> Iterator[Entry]:
    """Every entry the workers noted, in the order of the plan."""
    for path in sorted(folder.glob("*.txt")):
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield Entry.from_line(line)


def write_sitemaps(
    output: Path, entries: Iterable[Entry], urls: Urls, source_locale: str, limit: int = MAX_URLS
) -> int:
    """Write ``sitemap-1.xml``, … and their index ``sitemap.xml``; returns the number of URLs.

    A page's languages stay in one file, so a file may hold a few less than ``limit``.
    """
    names: list[str] = []
    total = in_file = 0
    file: TextIO | None = None
    try:
        for entry in entries:
            if file is None or in_file + len(entry.addresses) > limit:
                if file is not None:
                    _close(file)
                names.append(f"sitemap-{len(names) + 1}.xml")
                file = (output / names[-1]).open("w", encoding="utf-8")
                file.write(f'{_HEADER}<urlset xmlns="{_SITEMAP}" xmlns:xhtml="{_XHTML}">\n')
                in_file = 0
            file.write(_entry_xml(entry, urls, source_locale))
            in_file += len(entry.addresses)
            total += len(entry.addresses)
    finally:
        if file is not None:
            _close(file)
    lines = [f"<sitemap><loc>{_absolute(urls, name)}</loc></sitemap>\n" for name in names]
    index = f'{_HEADER}<sitemapindex xmlns="{_SITEMAP}">\n{"".join(lines)}</sitemapindex>\n'
    (output / INDEX).write_text(index, encoding="utf-8")
    return total


def _close(file: TextIO) -> None:
    file.write("</urlset>\n")
    file.close()


def _absolute(urls: Urls, relative: str) -> str:
    return escape(urls.absolute(urls.base_path + relative), {'"': "&quot;"})


def _entry_xml(entry: Entry, urls: Urls, source_locale: str) -> str:
    links = [(locale, _absolute(urls, address)) for locale, address in entry.addresses]
    default = [("x-default", url) for locale, url in links if locale == source_locale]
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang="{locale}" href="{url}"/>'
        for locale, url in links + default
    )
    return "".join(f"<url><loc>{url}</loc>{alternates}</url>\n" for _, url in links)


def write_host_files(output: Path, urls: Urls) -> None:
    """Write robots.txt, ``_headers`` (for hosts that read it) and ``.nojekyll``."""
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {_absolute(urls, INDEX)}\n"
    (output / "robots.txt").write_text(robots, encoding="utf-8")
    headers = (
        f"{urls.base_path}*\n"
        f"  Content-Security-Policy: {CSP}; frame-ancestors 'none'\n"
        "  X-Content-Type-Options: nosniff\n"
        "  Referrer-Policy: strict-origin-when-cross-origin\n"
        "  Permissions-Policy: camera=(), geolocation=(), microphone=()\n"
        f"{urls.base_path}api/*\n"
        "  Access-Control-Allow-Origin: *\n"
        f"{urls.base_path}assets/*\n"
        f"  Cache-Control: public, max-age={_YEAR_S}, immutable\n"
    )
    (output / "_headers").write_text(headers, encoding="utf-8")
    (output / ".nojekyll").write_text("", encoding="utf-8")
