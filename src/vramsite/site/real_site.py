"""The site of the project's own catalog and page kinds."""

from __future__ import annotations

from pathlib import Path

from vramsite.catalog import load_catalog
from vramsite.report.sizer import Sizer
from vramsite.site.assets import Assets
from vramsite.site.configurator import CardFiles, generated_assets
from vramsite.site.context import SiteContext
from vramsite.site.cost_script import NAME, cost_module
from vramsite.site.engine_js.data import SliceMaker
from vramsite.site.engine_js.files import EngineFiles
from vramsite.site.i18n import discover_locales
from vramsite.site.machine.files import MachineFiles
from vramsite.site.pages import page_kinds
from vramsite.site.plan import select
from vramsite.site.setup import Site, environments
from vramsite.site.spec import BuildSpec


def make(spec: BuildSpec) -> Site:
    """The site of the real catalog, cut down to what the spec asks for.

    Raises:
        CatalogError: the catalog has faults. PlanError: an id that is not in it.
    """
    catalog = select(load_catalog(Path(spec.data_dir)), spec.models, spec.devices)
    templates_dir = Path(spec.templates_dir)
    assets = Assets.from_folder(
        templates_dir / "assets", generated_assets(spec) | {NAME: cost_module()}
    )
    locales = discover_locales(Path(spec.locales_dir))
    sizer = Sizer(catalog)
    context = SiteContext(
        catalog=catalog,
        sizer=sizer,
        urls=spec.urls,
        locales=locales,
        assets=assets,
        engine=EngineFiles(SliceMaker(catalog, sizer.rules)),
    )
    by_locale = environments(spec, context)
    context.machine = MachineFiles(context, by_locale)
    context.cards = CardFiles(context)
    return Site(context, by_locale, page_kinds())
