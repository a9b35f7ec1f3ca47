"""Sitemaps with hreflang, robots.txt and the header file: what machines read before a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from xml.sax.saxutils import escape

from vramsite.catalog.record import first_day
from vramsite.site.render import CSP
from vramsite.site.urls import Urls

MAX_URLS = 50_000
"""The protocol's limit for one file."""

INDEX = "sitemap.xml"
_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XHTML = "http://www.w3.org/1999/xhtml"
_YEAR_S = 31_536_000
SECURITY_HEADERS = (
    ("Content-Security-Policy", f"{CSP}; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Strict-Transport-Security", f"max-age={_YEAR_S}"),
)
"""What a host should send with every file; pages state the first one themselves, too."""
_SECURITY_DAYS = 364  # RFC 9116 advises less than a year


@dataclass(frozen=True, slots=True)
class Entry:
    """One page in all its languages: (locale, address below the base path) in site order.

    ``day`` is the day of its newest fact, "" where none is known.
    """

    addresses: tuple[tuple[str, str], ...]
    day: str = ""

    @classmethod
    def from_line(cls, line: str) -> Entry:
        """Read ``2026-11-05<TAB>en=en/models/<TAB>de=de/models/``, as the workers write it."""
        day, *rest = line.rstrip("\n").split("\t")
        pairs = (part.partition("=") for part in rest)
        return cls(tuple((locale, address) for locale, _, address in pairs), day)


def sitemaps(
    entries: Iterable[Entry], urls: Urls, source_locale: str, limit: int = MAX_URLS
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """``sitemap-1.xml``, … and last their index ``sitemap.xml``: names and contents in parts.

    Each content is to be read to its end before the next name is asked for. A page's languages
    stay in one file, so a file may hold a few less than ``limit``.
    """
    names: list[str] = []
    ahead = _Ahead(entries)
    while ahead.entry is not None:
        names.append(f"sitemap-{len(names) + 1}.xml")
        yield names[-1], _sitemap_xml(ahead, limit, urls, source_locale)
    lines = [f"<sitemap><loc>{_absolute(urls, name)}</loc></sitemap>\n" for name in names]
    index = f'{_HEADER}<sitemapindex xmlns="{_SITEMAP}">\n{"".join(lines)}</sitemapindex>\n'
    yield INDEX, [index.encode()]


class _Ahead:
    """Entries one by one, with a look at the next; None at the end."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = iter(entries)
        self.entry = next(self._entries, None)

    def take(self) -> None:
        """Go on to the next."""
        self.entry = next(self._entries, None)


def _sitemap_xml(ahead: _Ahead, limit: int, urls: Urls, source_locale: str) -> Iterator[bytes]:
    yield f'{_HEADER}<urlset xmlns="{_SITEMAP}" xmlns:xhtml="{_XHTML}">\n'.encode()
    addresses = 0
    while (entry := ahead.entry) is not None:
        if addresses and addresses + len(entry.addresses) > limit:
            break
        yield _entry_xml(entry, urls, source_locale).encode()
        addresses += len(entry.addresses)
        ahead.take()
    yield b"</urlset>\n"


def _absolute(urls: Urls, relative: str) -> str:
    return escape(urls.absolute(urls.base_path + relative), {'"': "&quot;"})


def _entry_xml(entry: Entry, urls: Urls, source_locale: str) -> str:
    links = [(locale, _absolute(urls, address)) for locale, address in entry.addresses]
    default = [("x-default", url) for locale, url in links if locale == source_locale]
    alternates = "".join(
        f'<xhtml:link rel="alternate" hreflang="{locale}" href="{url}"/>'
        for locale, url in links + default
    )
    day = f"<lastmod>{entry.day}</lastmod>" if entry.day else ""
    return "".join(f"<url><loc>{url}</loc>{day}{alternates}</url>\n" for _, url in links)


def host_files(urls: Urls, contact: str = "", newest: str = "") -> Iterator[tuple[str, bytes]]:
    """robots.txt, ``.nojekyll``, headers as ``_headers`` and ``.htaccess``, and security.txt.

    The last only with a ``contact``; it expires a year after ``newest``, the day of the newest fact
    of the site (never by the clock: a build gives the same file again).
    """
    robots = f"User-agent: *\nAllow: /\n\nSitemap: {_absolute(urls, INDEX)}\n"
    yield "robots.txt", robots.encode()
    headers = (
        f"{urls.base_path}*\n"
        + "".join(f"  {name}: {value}\n" for name, value in SECURITY_HEADERS)
        + f"{urls.base_path}api/*\n"
        "  Access-Control-Allow-Origin: *\n"
        f"{urls.base_path}assets/*\n"
        f"  Cache-Control: public, max-age={_YEAR_S}, immutable\n"
    )
    yield "_headers", headers.encode()
    lines = "".join(f'  Header always set {name} "{value}"\n' for name, value in SECURITY_HEADERS)
    yield ".htaccess", f"<IfModule mod_headers.c>\n{lines}</IfModule>\n".encode()
    yield ".nojekyll", b""
    if contact and newest:
        until = first_day(newest) + timedelta(days=_SECURITY_DAYS)
        security = f"Contact: {contact}\nExpires: {until}T00:00:00Z\nPreferred-Languages: en, de\n"
        yield ".well-known/security.txt", security.encode()
