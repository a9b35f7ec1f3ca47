"""Stable addresses: one pattern a page kind, a base path in front, an origin for absolute links.

A path never ends in ``index.html`` and has a slash at its end, so that any static host serves it.
All ids are lower case (checked), so no two addresses differ by case alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

PATTERNS: dict[str, str] = {
    "home": "{locale}/",
    "models": "{locale}/models/",
    "models_part": "{locale}/models-part/{0}/",
    "model": "{locale}/models/{0}/",
    "pair": "{locale}/models/{0}/{1}/",
    "every_device": "{locale}/every-device/{0}/",
    "devices": "{locale}/devices/",
    "devices_part": "{locale}/devices-part/{0}/",
    "device": "{locale}/devices/{0}/",
    "vendors": "{locale}/vendors/",
    "vendor": "{locale}/vendors/{0}/",
    "family": "{locale}/families/{0}/",
    "find": "{locale}/find/",
    "compare": "{locale}/compare/",
    "methodology": "{locale}/methodology/",
    "accuracy": "{locale}/accuracy/",
    "about": "{locale}/about/",
    "contributing": "{locale}/contributing/",
    "imprint": "{locale}/imprint/",
    "api": "{locale}/api/",
    "badges": "{locale}/badges/",
    "root": "",
    "404": "404.html",
    "feed": "{locale}/feed.xml",
    "share_image": "share/{locale}/{0}.png",
    "api_index": "api/v1/index.json",
    "api_catalog": "api/v1/catalog.json",
    "api_model": "api/v1/models/{0}.json",
    "api_device": "api/v1/devices/{0}.json",
    "api_pair": "api/v1/pairs/{0}/{1}.json",
    "api_verdicts": "api/v1/verdicts.csv",
    "api_schema": "api/v1/schema/{0}.schema.json",
    "search": "api/v1/search.json",
    "badge": "badges/{0}/{1}.svg",
    "llms": "llms.txt",
}
"""Page kind or kind of file → address below the base path; ``{0}``, ``{1}`` are the key's ids."""

DEFAULT_BASE_URL = "http://localhost:8000/"

_KEPT_ADDRESSES = 4096

_ID = re.compile(r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*")


class UrlError(ValueError):
    """An address that cannot be made; the message names what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Urls:
    """Addresses of one site.

    ``origin`` is scheme and host without a slash at the end (``https://example.org``),
    ``base_path`` begins and ends with a slash (``/`` or ``/repo/``).
    """

    origin: str
    base_path: str

    @classmethod
    def from_base_url(cls, base_url: str) -> Urls:
        """Split ``https://host/repo/`` into origin and base path.

        Raises:
            UrlError: not an absolute http(s) address, or one with a query or fragment.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.netloc:
            raise UrlError(
                f"base URL {base_url!r} must look like https://host/ or https://host/repo/"
            )
        if parts.query or parts.fragment:
            raise UrlError(f"base URL {base_url!r} must have neither query nor fragment")
        base_path = "/" + parts.path.strip("/")
        return cls(f"{parts.scheme}://{parts.netloc}", base_path.rstrip("/") + "/")

    def relative(self, kind: str, ids: tuple[str, ...], locale: str) -> str:
        """The address below the base path, without a slash in front (``en/models/``).

        Raises:
            UrlError: an unknown kind, an id that is not lower-case slug text, or too few ids.
        """
        return _relative(kind, ids, locale)

    def path(self, kind: str, ids: tuple[str, ...], locale: str) -> str:
        """The link path with the base path in front (``/repo/en/models/``)."""
        return self.base_path + self.relative(kind, ids, locale)

    def absolute(self, path: str) -> str:
        """A link path with the origin in front."""
        return self.origin + path

    def file(self, kind: str, ids: tuple[str, ...], locale: str) -> str:
        """The file of a page inside the output folder (``en/models/index.html``)."""
        relative = self.relative(kind, ids, locale)
        return relative if relative.endswith(".html") else f"{relative}index.html"


@lru_cache(_KEPT_ADDRESSES)
def _relative(kind: str, ids: tuple[str, ...], locale: str) -> str:
    """As `Urls.relative` says; a page asks for the same few addresses again and again."""
    pattern = PATTERNS.get(kind)
    if pattern is None:
        raise UrlError(f"no address pattern for page kind {kind!r}; known: {sorted(PATTERNS)}")
    for part in ids:
        if not _ID.fullmatch(part):
            raise UrlError(f"id {part!r} cannot stand in an address: use a-z, 0-9, '.', '-', '_'")
    try:
        return pattern.format(*ids, locale=locale)
    except IndexError:
        raise UrlError(f"page kind {kind!r} needs more ids than {ids!r}") from None
