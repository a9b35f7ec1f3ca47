"""The site of the project's own catalog and page kinds."""

from __future__ import annotations

from pathlib import Path

from vramsite.catalog import load_catalog
from vramsite.catalog.tracked import TrackedCatalog
from vramsite.report.days import newest_day
from vramsite.report.sizer import Sizer
from vramsite.site.assets import Assets
from vramsite.site.configurator import CardFiles, generated_assets
from vramsite.site.context import SiteContext
from vramsite.site.cost_script import NAME, cost_module
from vramsite.site.engine_js.data import SliceMaker
from vramsite.site.engine_js.files import EngineFiles
from vramsite.site.facts import SiteFacts
from vramsite.site.i18n import discover_locales
from vramsite.site.machine.files import MachineFiles
from vramsite.site.pages import PageKey, page_kinds
from vramsite.site.pages.shared import Names, book_of
from vramsite.site.plan import select
from vramsite.site.setup import Site, environments
from vramsite.site.spec import BuildSpec
from vramsite.site.texts import Texts
from vramsite.site.translated import translations_of


def make(spec: BuildSpec) -> Site:
    """The site of the real catalog, cut down to what the spec asks for.

    Raises:
        CatalogError: the catalog has faults. PlanError: an id that is not in it.
    """
    data_dir, locales_dir = Path(spec.data_dir), Path(spec.locales_dir)
    tracked = TrackedCatalog(select(load_catalog(data_dir), spec.models, spec.devices))
    catalog = tracked.catalog
    locales = discover_locales(locales_dir)
    sizer = Sizer(catalog)
    context = SiteContext(
        catalog=catalog,
        sizer=sizer,
        urls=spec.urls,
        locales=locales,
        assets=_assets(spec),
        engine=EngineFiles(SliceMaker(catalog, sizer.rules)),
        names=Names(catalog),
    )
    by_locale = environments(spec, context)
    context.machine = MachineFiles(context, by_locale)
    context.cards = CardFiles(context)
    translations = {locale: translations_of(env) for locale, env in by_locale.items()}
    texts = Texts(Path(spec.templates_dir), translations)
    facts = SiteFacts(tracked, context, texts)

    def day(key: PageKey) -> str:
        return newest_day(book_of(context), key.kind, key.ids)

    return Site(context, by_locale, page_kinds(), facts, day)


def _assets(spec: BuildSpec) -> Assets:
    if spec.kept_assets:
        return Assets.kept(*spec.kept_assets)
    sources = Path(spec.templates_dir) / "assets"
    generated = generated_assets(spec) | {NAME: cost_module()}
    return Assets.from_folder(sources, generated)
