"""A made-up site whose pages are traced to the files of its models, built in half a second."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

from jinja2 import Environment

from vramsite.catalog.trace import Fact, note
from vramsite.site.assets import Assets
from vramsite.site.context import SiteContext
from vramsite.site.i18n import discover_locales
from vramsite.site.pages import PageKey
from vramsite.site.setup import Site, environments
from vramsite.site.spec import BuildSpec

MODELS = [f"model-{number}" for number in range(8)]
DEVICES = ["small", "large", "huge"]
PAGES = 2 * (1 + len(MODELS) * (1 + len(DEVICES))) + 1

PAGE = """<!doctype html>
<html lang="{{ locale }}">
<head><meta charset="utf-8"><title>{{ page.kind }} {{ page.ids|join(' ') }}</title>
<link rel="canonical" href="{{ page.canonical }}">
<link rel="stylesheet" href="{{ asset('style.css') }}"></head>
<body><main><h1>{{ _("Memory needed") }}</h1><p>{{ said }}</p></main></body></html>
"""
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "Memory needed"
msgstr "Nötiger Speicher"
"""


class Model(str):
    """What a model's file says."""

    gguf_arch = ""


@dataclass
class Models:
    models: dict[str, Model]
    gpus: dict[str, str]


@dataclass
class Kind:
    name: str
    localized: bool = True

    def render(self, env: Environment, site: SiteContext, key: PageKey, locale: str) -> str:
        models = cast(Models, site.catalog).models
        for model_id in key.ids[:1] or list(models):
            note(("models", model_id))
        hang = os.environ.get("FAULT_HANG", "")
        if hang and key.ids == ("model-3", "huge"):
            Path(hang).touch()
            time.sleep(60)
        said = models[key.ids[0]] if key.ids else " ".join(models.values())
        return site.render(env, key, locale, "page.html", said=f"{said} größer als 8 GiB ≥")


class Single(Kind):
    def keys(self, catalog: Any) -> list[PageKey]:
        return [PageKey(self.name)]


class PerModel(Kind):
    def per_model(self, catalog: Any) -> list[PageKey]:
        if self.name == "model":
            return [PageKey("model")]
        return [PageKey("pair", (device,)) for device in catalog.gpus]


KINDS = [Single("home"), PerModel("model"), PerModel("pair"), Single("root", localized=False)]


class Facts:
    """What the facts say today."""

    def __init__(self, spec: BuildSpec) -> None:
        self._spec = spec

    def digest(self, fact: Fact) -> bytes:
        folder = Path(self._spec.templates_dir)
        path = {
            "models": Path(self._spec.data_dir) / "models" / f"{fact[-1]}.txt",
            "template": folder / str(fact[-1]),
            "assets": folder / "assets" / "style.css",
        }[str(fact[0])]
        return blake2b(path.read_bytes(), digest_size=16).digest()

    def ask(self, fact: Fact) -> None:
        raise KeyError(fact)


def make(spec: BuildSpec) -> Site:
    files = sorted((Path(spec.data_dir) / "models").glob("*.txt"))
    models = {path.stem: Model(path.read_text(encoding="utf-8")) for path in files}
    context = SiteContext(
        catalog=cast(Any, Models(models, dict.fromkeys(DEVICES, ""))),
        sizer=cast(Any, None),
        urls=spec.urls,
        locales=discover_locales(Path(spec.locales_dir)),
        assets=Assets.from_folder(Path(spec.templates_dir) / "assets"),
    )
    kinds = {kind.name: kind for kind in KINDS}
    facts = cast(Any, Facts(spec))
    return Site(context, environments(spec, context), cast(Any, kinds), facts)


def write_fault_site(root: Path) -> BuildSpec:
    """The project below ``root``, with a copy of this module that no one edits meanwhile."""
    texts = {f"data/models/{name}.txt": f"{name} first" for name in MODELS}
    texts |= {
        "templates/page.html": PAGE,
        "templates/assets/style.css": "h1 { margin: 0 }\n",
        "locales/de/LC_MESSAGES/messages.po": PO,
        "code/fault_site.py": Path(__file__).read_text(encoding="utf-8"),
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return BuildSpec(
        data_dir=str(root / "data"),
        templates_dir=str(root / "templates"),
        locales_dir=str(root / "locales"),
        base_url="https://example.org/repo/",
        factory="fault_site:make",
        search_path=(str(root / "code"),),
    )
