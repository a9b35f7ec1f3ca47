"""One pass over every page of a site with regular expressions: what the tests then judge."""

from __future__ import annotations

import html
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from vramsite.catalog import Catalog
from vramsite.catalog.money_facts import load_money_facts
from vramsite.catalog.quant_quality import load_quant_quality
from vramsite.report.families import families

_TITLE = re.compile(r"<title>(.*?)</title>", re.S)
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')
_JSON_LD = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.S)
_H1 = re.compile(r"<h1[\s>]")
_LANG = re.compile(r'<html[^>]*\blang="([^"]+)"')
_CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')
_ALTERNATE = re.compile(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"')
_ANCHOR = re.compile(r'<a\b[^>]*?\bhref="([^"]+)"')
_RESOURCE = re.compile(r'<(?:script|img|source|iframe)\b[^>]*?\bsrc="([^"]+)"')
_LINK = re.compile(r'<link rel="(?:stylesheet|icon|preload|modulepreload)"[^>]*?\bhref="([^"]+)"')
_INLINE = re.compile(r'<style\b|<script(?![^>]*\bsrc=)(?![^>]*ld\+json)[^>]*>|\sstyle="|\son\w+="')
_TAG = re.compile(r"<[a-zA-Z]")
_ID = re.compile(r'\sid="([^"]+)"')
_FRAGMENT = re.compile(r'href="#([^"]+)"')
_UNREAD = re.compile(
    r"<(script|style|code|pre|time|kbd|samp)\b.*?</\1>|<(\w+)[^>]*\slang=\"[^\"]+\"[^>]*>.*?</\2>",
    re.S,
)
_SPLIT = re.compile(r"<[^>]*>")
_WRONG_NUMBER = {"de": re.compile(r"\d\.\d{1,2}(?!\d)"), "en": re.compile(r"\d,\d{1,2}(?!\d)")}


@dataclass(frozen=True, slots=True)
class Names:
    """Texts in which a digit, a dot and a digit are a name and not a number."""

    pattern: re.Pattern[str]

    @classmethod
    def of(cls, catalog: Catalog) -> Names:
        names: set[str] = {*catalog.formats, *catalog.engines}
        names |= {engine.name for engine in catalog.engines.values()}
        for model in catalog.models.values():
            names |= {model.name, model.id, model.hf_repo, model.vendor}
            names |= {text for text in (model.gguf_repo, model.license) if text}
            names |= {file.format for file in model.files + model.vision_files}
        names |= {family.name for family in families(catalog.models).values()}
        names |= {row.model for row in load_quant_quality(catalog.data_dir)}
        hosted = load_money_facts(catalog.data_dir).hosted_api.rows
        names |= {row.provider_model_id for row in hosted}
        for gpu in catalog.gpus.values():
            names |= {gpu.name, gpu.id, gpu.vendor, gpu.pcie or "", gpu.interconnect.type or ""}
        for offer in catalog.offers:
            names |= {offer.provider, offer.instance}
        longest_first = sorted((name for name in names if name), key=len, reverse=True)
        return cls(re.compile("|".join(re.escape(name) for name in longest_first)))


@dataclass(slots=True)
class PageFacts:
    """What one page says of itself."""

    file: str
    lang: str
    title: str
    description: str
    h1_count: int
    canonical: str | None
    alternates: tuple[tuple[str, str], ...]
    raw_bytes: int
    gzip_bytes: int
    nodes: int


@dataclass(slots=True)
class SiteFacts:
    """All pages, and each kind of fault with an example page."""

    pages: dict[str, PageFacts] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    files: set[str] = field(default_factory=set)
    inline: list[str] = field(default_factory=list)
    json_ld: list[str] = field(default_factory=list)
    fragments: list[str] = field(default_factory=list)
    double_ids: list[str] = field(default_factory=list)
    numbers: dict[str, str] = field(default_factory=dict)


def read_site(folder: Path, names: Names) -> SiteFacts:
    """Read every page once."""
    facts = SiteFacts()
    seen: dict[tuple[str, str], str | None] = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        file = path.relative_to(folder).as_posix()
        facts.files.add(file)
        if file.endswith(".html"):
            _read_page(facts, file, path.read_bytes(), names, seen)
    return facts


def _read_page(
    facts: SiteFacts,
    file: str,
    content: bytes,
    names: Names,
    seen: dict[tuple[str, str], str | None],
) -> None:
    text = content.decode()
    title, lang, canonical = _TITLE.search(text), _LANG.search(text), _CANONICAL.search(text)
    description = _DESCRIPTION.search(text)
    language = lang.group(1) if lang else ""
    facts.pages[file] = PageFacts(
        file=file,
        lang=language,
        title=title.group(1).strip() if title else "",
        description=html.unescape(description.group(1)) if description else "",
        h1_count=len(_H1.findall(text)),
        canonical=canonical.group(1) if canonical else None,
        alternates=tuple(_ALTERNATE.findall(text)),
        raw_bytes=len(content),
        gzip_bytes=len(zlib.compress(content, 6)),
        nodes=len(_TAG.findall(text)),
    )
    for pattern in (_ANCHOR, _RESOURCE, _LINK):
        for link in pattern.findall(text):
            facts.links.setdefault(link, file)
    if (inline := _INLINE.search(text)) is not None:
        facts.inline.append(f"{file}: {inline.group(0)}")
    if not _tells_what_it_is(_JSON_LD.findall(text), canonical.group(1) if canonical else ""):
        facts.json_ld.append(file)
    ids = _ID.findall(text)
    known = set(ids)
    if len(known) != len(ids):
        facts.double_ids.append(file)
    facts.fragments += [f"{file}: #{to}" for to in _FRAGMENT.findall(text) if to not in known]
    wrong = _WRONG_NUMBER.get(language)
    if wrong is not None:
        body = _UNREAD.sub(" ", text[text.find("<body") :])
        for segment in set(_SPLIT.split(body)):
            if wrong.search(segment) and _is_wrong(segment, language, names, seen):
                facts.numbers.setdefault(segment.strip(), file)


def _tells_what_it_is(blocks: list[str], address: str) -> bool:
    """Whether there is a trail that ends at this page, and something that is at this address."""
    found = [json.loads(block) for block in blocks]
    if any(item.get("@context") != "https://schema.org" for item in found):
        return False
    trails = [item["itemListElement"] for item in found if item["@type"] == "BreadcrumbList"]
    ends = [trail[-1]["item"] for trail in trails]
    places = [[step["position"] for step in trail] for trail in trails]
    things = [item["url"] for item in found if item["@type"] != "BreadcrumbList"]
    return (
        ends == [address] and places == [list(range(1, len(trails[0]) + 1))] and things == [address]
    )


def _is_wrong(
    segment: str, language: str, names: Names, seen: dict[tuple[str, str], str | None]
) -> bool:
    """Whether a number of another language is left when all names are taken out."""
    key = (language, segment)
    if key not in seen:
        rest = names.pattern.sub(" ", html.unescape(segment))
        seen[key] = segment if _WRONG_NUMBER[language].search(rest) else None
    return seen[key] is not None


def internal_target(link: str, base_path: str) -> str | None:
    """The file that an internal link must lead to; None for links to elsewhere."""
    parts = urlsplit(html.unescape(link))
    if parts.scheme or parts.netloc or not parts.path:
        return None
    if not parts.path.startswith(base_path):
        return f"(outside the base path) {link}"
    path = parts.path.removeprefix(base_path)
    return f"{path}index.html" if path.endswith("/") or not path else path
