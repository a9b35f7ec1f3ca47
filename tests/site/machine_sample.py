"""The files for machines of a made-up catalog, written once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "tests" / "report") not in sys.path:
    sys.path.insert(0, str(ROOT / "tests" / "report"))

from made_up_report import made_up_book  # noqa: E402

from vramsite.site.assets import Assets  # noqa: E402
from vramsite.site.context import SiteContext  # noqa: E402
from vramsite.site.i18n import discover_locales, load_translations  # noqa: E402
from vramsite.site.machine.files import MachineFiles  # noqa: E402
from vramsite.site.machine.verdicts import verdicts  # noqa: E402
from vramsite.site.pages import PageKey  # noqa: E402
from vramsite.site.render import make_environment  # noqa: E402
from vramsite.site.urls import Urls  # noqa: E402
from vramsite.site.writing import FolderWriter  # noqa: E402

URLS = Urls.from_base_url("https://example.org/repo/")
LOCALES = discover_locales(ROOT / "locales")


def sample_context(**changes: Any) -> SiteContext:
    """The site of the made-up catalog; ``changes`` replaces models by id."""
    book = made_up_book()
    for model_id, facts in changes.get("models", {}).items():
        record = book.catalog.models[model_id]
        book.catalog.models[model_id] = record.model_copy(update=facts)
    assets = Assets.from_files({})
    site = SiteContext(cast(Any, book.catalog), cast(Any, book.sizes), URLS, LOCALES, assets)
    site.book = book
    environments = {
        locale: make_environment(
            ROOT / "templates",
            locale,
            LOCALES,
            load_translations(ROOT / "locales", locale),
            URLS,
            assets,
        )
        for locale in LOCALES
    }
    site.machine = MachineFiles(site, environments)
    return site


def write_sample(site: SiteContext, output: Path) -> None:
    """Everything that a build would write for machines."""
    assert site.machine is not None
    catalog = site.catalog
    keys = [PageKey("home")]
    keys += [PageKey("model", (name,)) for name in catalog.models]
    keys += [PageKey("device", (name,)) for name in catalog.gpus]
    keys += [PageKey("pair", (name, gpu)) for name in catalog.models for gpu in catalog.gpus]
    writer = FolderWriter(output)
    for key in keys:
        site.machine.write_beside(key, writer)
    site.machine.write(writer)
    _, parts = writer.take()
    table = verdicts(parts[name] for name in sorted(parts))
    writer.write_parts(site.urls.relative("api_verdicts", (), ""), table)
