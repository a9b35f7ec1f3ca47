"""What the page's script needs beside the engine: drawn parts, figures, cards, the list of names.

See docs/configurator.md. The parts of a page that depend on settings are the page's own templates,
compiled for the browser; what they say of a model or a device by itself travels as a card.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vramsite.catalog.trace import Kept
from vramsite.report.cards import REPO_PATTERN
from vramsite.report.choices import curve_contexts, native_format, short_context
from vramsite.report.commands import listed_files
from vramsite.report.formats import listed_formats
from vramsite.report.notes import layer_counts
from vramsite.site.assets import Assets
from vramsite.site.cost_data import device_costs, model_costs, rented_devices, shared_costs
from vramsite.site.engine_js import compile_modules
from vramsite.site.engine_js.link import SIZING_DIR, read_sources
from vramsite.site.i18n import discover_locales, load_translations
from vramsite.site.pages.shared import book_of
from vramsite.site.render import make_environment
from vramsite.site.script_bundle import bundle, small
from vramsite.site.template_js import Parsed, compile_macros
from vramsite.site.training_data import device_training, model_training

if TYPE_CHECKING:
    from vramsite.report.book import Book
    from vramsite.site.context import SiteContext
    from vramsite.site.pages import PageKey
    from vramsite.site.spec import BuildSpec
    from vramsite.site.writing import Writer

FOLDER = "assets/cards/"
INDEX = "configurator.json"
RENTED = "configurator-rented.json"
DEVICES = "configurator-devices.json"
"""Files about all entries keep their names: if these told their content, as those of single entries
do, one changed price or new device would change every page."""
_HASH_LENGTH = 10

PARTS = {
    "more_settings": ("components/configurator_more.html", "more_settings"),
    "use_and_prices": ("components/configurator_more.html", "use_and_prices"),
    "answer": ("components/answer.html", "answer"),
    "sentence": ("components/answer.html", "sentence"),
    "tiles": ("components/tiles.html", "tiles"),
    "memory": ("components/memory.html", "memory"),
    "refusal": ("components/configurator_words.html", "refusal"),
    "fallback": ("components/configurator_words.html", "fallback"),
    "status": ("components/configurator_words.html", "status"),
    "words": ("components/configurator_words.html", "words"),
    "heading": ("components/titles.html", "heading"),
    "title": ("components/titles.html", "title"),
}
"""What the script draws at once: its name there, template and macro."""

MORE_PARTS = {
    "commands": ("components/command.html", "commands"),
    "cost": ("components/money.html", "section"),
    "offers": ("components/money.html", "offers"),
    "condition": ("components/money.html", "condition"),
    "spoken": ("components/money.html", "spoken"),
    "finetune": ("components/finetune.html", "section"),
    "contexts": ("components/memory.html", "contexts"),
    "formats": ("components/memory.html", "formats"),
    "notes": ("components/notes.html", "notes"),
    "questions": ("components/notes.html", "questions"),
}
"""What it draws after that, a module of its own."""

FIGURES = [
    "size_bar",
    "size_figures",
    "context_figures",
    "context_bar",
    "context_verdict",
    "long_context_tokens",
    "longest_whole_tokens",
    "cache_figures",
    "format_figures",
    "devices_in_share",
    "tensor_parallel_devices",
    "own_device",
    "load_figures",
    "speed_bars",
    "user_tokens",
]
_FIGURE_RECORDS = [
    "DrawnBar",
    "BarSegment",
    "SizeFigures",
    "ContextFigures",
    "CacheFigures",
    "FormatFigures",
    "OwnDevice",
    "LoadFigures",
]


OWN_PARTS = {
    "panel": ("components/own_model.html", "panel"),
    "fault": ("components/own_model.html", "fault"),
    "outcome": ("components/own_model.html", "outcome"),
}
"""What is said of a config.json that somebody pasted, loaded with the readers."""

OWN_SCRIPTS = ("own-model-json", "own-model-read", "own-model")
"""What reads it and puts the model into the page, one file."""

SCRIPTS = (
    "markup",
    "configurator-state",
    "configurator-view",
    "configurator-page",
)
"""What becomes one file, each after those it imports; the last one gives it its name."""

MORE_SCRIPTS = ("configurator-commands", "configurator-costs", "configurator-more")
"""The same, for what is drawn after the answer."""


def figures_module() -> str:
    """`sizing/figures.py` as an ES module."""
    return compile_modules(
        read_sources(SIZING_DIR),
        [f"figures.{name}" for name in FIGURES],
        ["records.Device"],
        [
            "records.Size",
            "records.Settings",
            "records.Assumptions",
            "cost_records.Load",
            *(f"figures.{name}" for name in _FIGURE_RECORDS),
        ],
    ).text


def parts_modules(spec: BuildSpec, locale: str) -> dict[str, bytes]:
    """Drawn parts in one language as ES modules, by the names of their files."""
    locales_dir = Path(spec.locales_dir)
    env = make_environment(
        Path(spec.templates_dir),
        locale,
        discover_locales(locales_dir),
        load_translations(locales_dir, locale),
        spec.urls,
        Assets.from_files({}),
    )
    modules = {"parts": PARTS, "parts-more": MORE_PARTS, "parts-own": OWN_PARTS}
    base, parsed = spec.urls.base_path, Parsed()
    return {
        f"js/{name}.{locale}.js": compile_macros(env, parts, base, frozenset(), parsed).encode()
        for name, parts in modules.items()
    }


SHARED_SCRIPTS = ("format", "configurator", "configurator-typing")
"""What stays a file of its own."""


def page_script(assets_dir: Path) -> str:
    """The form's script as one file."""
    return bundle(_texts(assets_dir, SCRIPTS), "start")


def more_script(assets_dir: Path) -> str:
    """What draws the rest of a page, as one file."""
    return bundle(_texts(assets_dir, MORE_SCRIPTS), "More")


def own_script(assets_dir: Path) -> str:
    """What reads a pasted config.json, as one file."""
    return bundle(_texts(assets_dir, OWN_SCRIPTS), "start")


def _texts(assets_dir: Path, names: tuple[str, ...]) -> dict[str, str]:
    return {name: (assets_dir / f"js/{name}.js").read_text("utf-8") for name in names}


def generated_assets(spec: BuildSpec) -> dict[str, bytes]:
    """The compiled modules beside the page's script, and the scripts as browsers get them."""
    assets_dir = Path(spec.templates_dir) / "assets"
    made = {
        "js/figures.js": figures_module().encode(),
        f"js/{SCRIPTS[-1]}.js": page_script(assets_dir).encode(),
        f"js/{MORE_SCRIPTS[-1]}.js": more_script(assets_dir).encode(),
        f"js/{OWN_SCRIPTS[-1]}.js": own_script(assets_dir).encode(),
    }
    for name in SHARED_SCRIPTS:
        script = (assets_dir / f"js/{name}.js").read_text("utf-8")
        made[f"js/{name}.js"] = small(script).encode()
    for locale in discover_locales(Path(spec.locales_dir)):
        made |= parts_modules(spec, locale)
    return made


def model_facts(book: Book, model_id: str) -> dict[str, object]:
    """What the script says of a model beside the engine's facts: its card, files and choices."""
    model = book.catalog.models[model_id]
    card = book.model_card(model_id)
    return asdict(card) | {
        "formats": listed_formats(book, model),
        "native": native_format(model),
        "contexts": curve_contexts(model),
        "default_context": short_context(model),
        "files": [
            asdict(file) for file in listed_files(model) if REPO_PATTERN.fullmatch(file.repo)
        ],
        "safe_repo": model.hf_repo if REPO_PATTERN.fullmatch(model.hf_repo) else None,
        "safe_gguf_repo": (
            model.gguf_repo if REPO_PATTERN.fullmatch(model.gguf_repo or "") else None
        ),
        "counts": asdict(layer_counts(card)),
        "money": model_costs(book, model_id),
        "training": model_training(book, model_id),
    }


def device_facts(book: Book, gpu_id: str) -> dict[str, object]:
    """What the script says of a device beside the engine's facts: card, engines by back end."""
    engines = book.catalog.engines
    return asdict(book.device_card(gpu_id)) | {
        "engines": {
            backend: [name for name in engines if book.runs_on(name, backend)]
            for backend in book.catalog.gpus[gpu_id].backends
        },
        "vllm_share": (engines["vllm"].memory_utilization if "vllm" in engines else None) or 1.0,
        "money": device_costs(book, gpu_id),
        "training": device_training(book, gpu_id),
    }


class CardFiles:
    """Cards of models and devices as files, each named after its content."""

    def __init__(self, site: SiteContext) -> None:
        self._site = site
        self._made: Kept[str, tuple[str, bytes]] = Kept("card_file")

    def model(self, model_id: str) -> str:
        """The address of a model's card below the base path."""
        return self.file(f"models/{model_id}")[0]

    def device(self, gpu_id: str) -> str:
        """The address of a device's card below the base path."""
        return self.file(f"devices/{gpu_id}")[0]

    def file(self, name: str) -> tuple[str, bytes]:
        """Address and content of a card by its name ("models/…", "devices/…")."""
        found = self._made.get(name)
        if found is None:
            made = self._facts(*name.split("/"))
            content = json.dumps(made, separators=(",", ":"), ensure_ascii=False).encode()
            digest = hashlib.sha256(content).hexdigest()[:_HASH_LENGTH]
            found = self._made[name] = (f"{FOLDER}{name}.{digest}.json", content)
        return found

    def _facts(self, kind: str, entry_id: str = "") -> object:
        book = book_of(self._site)
        if kind == "costs":
            return shared_costs(book, self._site.locales)
        if kind == "rented":
            return rented_devices(book)
        return (model_facts if kind == "models" else device_facts)(book, entry_id)

    def write(self, output: Writer) -> None:
        """Write every card and the list of names."""
        for address, content in self._entries():
            output.write(address, content)

    def _entries(self) -> Iterator[tuple[str, bytes]]:
        catalog, engine = self._site.catalog, self._site.engine
        assert engine is not None
        index: dict[str, list[Any]] = {
            "models": [
                [model.id, model.name, engine.model(model.id), self.model(model.id)]
                for model in catalog.models.values()
            ],
            "devices": [
                [gpu.id, gpu.name, engine.device(gpu.id), self.device(gpu.id)]
                for gpu in catalog.gpus.values()
            ],
        }
        index["whole"] = [engine.whole_engine()]
        index["own"] = [engine.readers(), engine.own_rules()]
        yield self.file("costs")
        yield RENTED, self.file("rented")[1]
        yield DEVICES, engine.all_devices()
        yield from (self.file(f"models/{model_id}") for model_id in catalog.models)
        yield from (self.file(f"devices/{gpu_id}") for gpu_id in catalog.gpus)
        text = json.dumps(index, separators=(",", ":"), ensure_ascii=False)
        yield INDEX, text.encode()


@dataclass(frozen=True, slots=True)
class Setup:
    """What the form of a page tells the script: its kind, ids, and link paths of what it loads.

    `files`: engine, rules, model's and device's facts, their cards, costs, in this order; `rented`
    those of machines to rent and of all devices. `pair` is the address of a pair's page with 0 and
    1 for the ids.
    """

    kind: str
    model_id: str
    gpu_id: str
    files: str
    rented: str
    index: str
    pair: str


def setup_of(site: SiteContext, key: PageKey, locale: str, gpu_id: str = "") -> Setup | None:
    """The configurator of a page about a model on a device; None for a site without engine."""
    if site.engine is None or site.cards is None:
        return None
    model_id = key.ids[0]
    device_id = gpu_id or key.ids[1]
    base = site.urls.base_path
    files = [
        site.engine.engine(),
        site.engine.rules(),
        site.engine.model(model_id),
        site.engine.device(device_id),
        site.cards.model(model_id),
        site.cards.device(device_id),
        site.cards.file("costs")[0],
    ]
    return Setup(
        kind=key.kind,
        model_id=model_id,
        gpu_id=device_id,
        files=" ".join(base + file for file in files),
        rented=f"{base}{RENTED} {base}{DEVICES}",
        index=base + INDEX,
        pair=site.urls.path("pair", ("0", "1"), locale),
    )
