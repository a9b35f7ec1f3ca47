"""What may become of a catalog that somebody spoilt: a fault that helps, or pages that print."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from small_catalog import ROOT

from vramsite.catalog import CatalogError, Fault, load_catalog
from vramsite.catalog.check import check
from vramsite.report.sizer import Sizer
from vramsite.site.assets import Assets
from vramsite.site.context import SiteContext
from vramsite.site.i18n import discover_locales
from vramsite.site.machine.files import MachineFiles
from vramsite.site.pages import PageKey, page_kinds
from vramsite.site.render import Fragments
from vramsite.site.setup import Site, environments
from vramsite.site.spec import BuildSpec, project_spec
from vramsite.site.writing import FolderWriter

MOST_SECONDS = 2.0
_FAULT = re.compile(r"data(?:/[^:]+)?(?::\d+)?: \S.*")
_WRONG = re.compile(
    r"(?<![\w-])(?:nan|NaN|inf|Infinity|undefined)(?![\w-])|(?<![\w-])None(?![\w-])(?! [a-z])"
    r"|\d[eE]\+\d"
)
_TAG = re.compile(r"<[^>]*>")
_CODE = re.compile(r"<(script|style|code|pre)\b.*?</\1>", re.S)
_EMPTY_UNIT = re.compile(r"(?<![\w.,\u00a0])\u00a0(?:GiB|GB|MiB|tok/s|W|%)(?![\w])")


def spec_of(data: Path) -> BuildSpec:
    """The real site's templates and languages over another catalog."""
    return replace(project_spec(ROOT, "https://example.org/"), data_dir=str(data))


@cache
def _shared() -> tuple[Assets, tuple[str, ...]]:
    files = dict.fromkeys(("style.css", "site.js", "icon.svg"), b"")
    return Assets.from_files(files), discover_locales(ROOT / "locales")


@cache
def _environments() -> dict[str, Any]:
    spec = spec_of(ROOT / "data")
    assets, locales = _shared()
    context = SiteContext(None, None, spec.urls, locales, assets)  # type: ignore[arg-type]
    return environments(spec, context)


def site_of(data: Path) -> Site:
    """The site of a catalog, without the compiled engine; one set of templates for all.

    Raises CatalogError for one with faults.
    """
    catalog = load_catalog(data)
    assets, locales = _shared()
    by_locale = _environments()
    for env in by_locale.values():
        env.globals["fragment"] = Fragments(env)  # what is kept there goes by id
    context = SiteContext(catalog, Sizer(catalog), spec_of(data).urls, locales, assets)
    context.machine = MachineFiles(context, by_locale)
    return Site(context, by_locale, page_kinds())


def readable(faults: list[Fault]) -> None:
    """Each fault is one line: file and line, key, and a sentence."""
    for fault in faults:
        text = str(fault)
        assert _FAULT.fullmatch(text), text
        assert text.isprintable(), ascii(text)
        assert len(text) < 1200, text
        assert "Traceback" not in text
        assert " object at 0x" not in text


def outcome(data: Path, keys: list[PageKey], folder: Path) -> list[Fault]:
    """Read a catalog and, where it has no fault, make these pages; fails where neither is sound."""
    started = time.process_time()
    faults = check(data)
    assert time.process_time() - started < MOST_SECONDS
    readable(faults)
    if faults:
        return faults
    try:
        site = site_of(data)
    except CatalogError as error:  # `check` is what a build reads
        raise AssertionError(f"check found nothing, but: {error}") from error
    for key in keys:
        for locale in site.locales_of(key):
            started = time.process_time()
            html = site.page(key, locale)
            assert time.process_time() - started < MOST_SECONDS, key
            printable(html)
        site.write_beside(key, FolderWriter(folder))
    for path in folder.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), parse_constant=_refused)
    for path in folder.rglob("*.svg"):
        printable(path.read_text(encoding="utf-8"))
    return faults


def _refused(name: str) -> None:
    raise AssertionError(f"{name} in JSON")


def printable(html: str) -> None:
    """No number of a page is missing, infinite, or written for machines."""
    text = _TAG.sub(" ", _CODE.sub(" ", html))
    for wrong in (_WRONG.search(text), _EMPTY_UNIT.search(text)):
        assert wrong is None, text[max(0, wrong.start() - 80) : wrong.end() + 80]
