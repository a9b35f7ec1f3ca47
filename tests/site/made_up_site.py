"""A small made-up site: two sorts of entries, a few page kinds, two languages."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment

from vramsite.site.assets import Assets
from vramsite.site.context import SiteContext
from vramsite.site.i18n import discover_locales
from vramsite.site.pages import PageKey
from vramsite.site.setup import Site, environments
from vramsite.site.spec import BuildSpec

PAGE = """<!doctype html>
<html lang="{{ locale }}">
<head><meta charset="utf-8"><title>{{ page.kind }} {{ page.ids|join(' ') }} {{ locale }}</title>
<meta http-equiv="Content-Security-Policy" content="{{ csp }}">
{% if page.ids|length == 2 and page.ids[1] == "small" %}{{ noindex }}{% endif %}
<link rel="canonical" href="{{ page.canonical }}">
{% for alternate in page.alternates %}
<link rel="alternate" hreflang="{{ alternate.hreflang }}" href="{{ alternate.url }}">
{% endfor %}
<link rel="stylesheet" href="{{ asset('style.css') }}"></head>
<body><main><h1>{{ _("Memory needed") }}</h1><p>{{ size|gib }}</p>
<a href="{{ url('home') }}">{{ _("Home") }}</a></main></body></html>
"""

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "Memory needed"
msgstr "Nötiger Speicher"

msgid "Home"
msgstr "Start"
"""


class MadeUpModel(float):
    """A model that is no more than its size."""

    gguf_arch = ""


@dataclass
class MadeUpCatalog:
    models: dict[str, MadeUpModel] = field(
        default_factory=lambda: {"alpha": MadeUpModel(1.5), "beta": MadeUpModel(204.19)}
    )
    gpus: dict[str, float] = field(default_factory=lambda: {"small": 8.0, "large": 80.0})


@dataclass
class MadeUpKind:
    name: str
    localized: bool = True

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        _misbehave(key, locale)
        models = cast(MadeUpCatalog, site.catalog).models
        size = models.get(key.ids[0], 0.0) if key.ids else 0.5
        return site.render(env, key, locale, "page.html", size=size * 2.0**30)


class MadeUpSingle(MadeUpKind):
    def keys(self, catalog: Any) -> list[PageKey]:
        return [PageKey(self.name)]


class MadeUpPerModel(MadeUpKind):
    def per_model(self, catalog: Any) -> list[PageKey]:
        if self.name == "pair":
            return [PageKey("pair", (gpu_id,)) for gpu_id in catalog.gpus]
        return [PageKey("model")]


KINDS: tuple[MadeUpKind, ...] = (
    MadeUpSingle("home"),
    MadeUpPerModel("model"),
    MadeUpPerModel("pair"),
    MadeUpSingle("root", localized=False),
)


def _misbehave(key: PageKey, locale: str) -> None:
    """What a test asks of one page through the environment."""
    if key.ids != ("beta", "large") or locale != "de":
        return
    wish = os.environ.get("MADE_UP_SITE", "")
    if wish == "raise":
        raise ZeroDivisionError("a made-up mistake")
    if wish == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if wish.startswith("die once:") and not Path(wish.removeprefix("die once:")).exists():
        Path(wish.removeprefix("die once:")).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if wish.startswith("wait:"):
        Path(wish.removeprefix("wait:")).touch()
        time.sleep(60)


def make(spec: BuildSpec) -> Site:
    """The factory named in the tests' specs."""
    if os.environ.get("MADE_UP_SITE") == "bad catalog":
        raise MadeUpError("data/models/x/y.yaml:3: bandwidth: 0 is not above 0")
    context = SiteContext(
        catalog=cast(Any, MadeUpCatalog()),
        sizer=cast(Any, None),
        urls=spec.urls,
        locales=discover_locales(Path(spec.locales_dir)),
        assets=Assets.from_folder(Path(spec.templates_dir) / "assets"),
    )
    return Site(context, environments(spec, context), {kind.name: kind for kind in KINDS})


class MadeUpError(ValueError):
    """What a bad catalog raises."""


def write_project(root: Path) -> BuildSpec:
    """Templates and locales of the made-up site below ``root``, and the spec that builds it."""
    for name, text in {
        "templates/page.html": PAGE,
        "templates/assets/style.css": "h1 { margin: 0 }\n",
        "locales/de/LC_MESSAGES/messages.po": PO,
        "data/.keep": "",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return BuildSpec(
        data_dir=str(root / "data"),
        templates_dir=str(root / "templates"),
        locales_dir=str(root / "locales"),
        base_url="https://example.org/repo/",
        factory="made_up_site:make",
        search_path=(str(Path(__file__).parent),),
    )
