"""What the server prints for any settings: the page's parts through its own templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from random import Random

from jinja2 import Environment
from sample_site import DEVICES, LOCALES, MODELS, ROOT

from vramsite.catalog import load_catalog
from vramsite.report.book import Book
from vramsite.report.pair import default_settings, pair_view
from vramsite.report.sizer import Sizer
from vramsite.site.assets import Assets
from vramsite.site.i18n import load_translations
from vramsite.site.plan import select
from vramsite.site.render import make_environment
from vramsite.site.urls import Urls
from vramsite.sizing.records import Settings

PARTS = ("answer", "tiles", "memory", "commands", "contexts", "formats", "notes", "questions")
TEMPLATES = {
    "answer": "answer",
    "tiles": "tiles",
    "memory": "memory",
    "commands": "command",
    "contexts": "memory",
    "formats": "memory",
    "notes": "notes",
    "questions": "notes",
}
CACHE_TYPES = ("f16", "bf16", "q8_0", "q5_1", "q4_0")
FLAGS = {
    "fa": ("flash_attention", False),
    "ku": ("kv_unified", True),
    "swa": ("full_window_cache", True),
    "nkvo": ("kv_offload", False),
    "mm": ("vision", True),
    "im": ("imatrix", True),
}


@dataclass(frozen=True)
class Chosen:
    """One state of a page: what stands in its address, and the same as engine settings."""

    model_id: str
    gpu_id: str
    query: tuple[tuple[str, str], ...]
    settings: Settings


@cache
def book() -> Book:
    catalog = select(load_catalog(ROOT / "data"), MODELS, DEVICES)
    return Book(catalog, Sizer(catalog))


@cache
def environment(locale: str) -> Environment:
    return make_environment(
        ROOT / "templates",
        locale,
        LOCALES,
        load_translations(ROOT / "locales", locale),
        Urls.from_base_url("http://localhost:8000/"),
        Assets.from_files({}),
    )


def drawn(locale: str, chosen: Chosen) -> dict[str, str]:
    """Every part as the server draws it; a SizerError's text under "refused"."""
    view = pair_view(book(), chosen.model_id, chosen.gpu_id, chosen.settings)
    env = environment(locale)

    def macro(template: str, name: str, *arguments: object) -> str:
        module = env.get_template(f"components/{template}.html").module
        return str(getattr(module, name)(*arguments))

    sentence = macro("answer", "sentence", view).strip()
    names = {gpu.id: gpu.name for gpu in book().catalog.gpus.values()}
    extra: dict[str, tuple[object, ...]] = {
        "answer": (sentence,),
        "tiles": (None,),
        "formats": (names,),
        "questions": (sentence,),
    }
    return {name: macro(TEMPLATES[name], name, view, *extra.get(name, ())) for name in PARTS}


def draw_states(count: int, seed: int) -> list[Chosen]:
    """Drawn states of the sample's pairs, edges included."""
    random = Random(seed)
    return [_state(random) for _ in range(count)]


def _state(random: Random) -> Chosen:
    model_id, gpu_id = random.choice(MODELS), random.choice(DEVICES)
    model = book().catalog.models[model_id]
    settings = default_settings(book(), model_id, gpu_id)
    query: dict[str, str] = {}
    changes: dict[str, object] = {}

    def put(key: str, field: str, value: object, text: str | None = None) -> None:
        if value != getattr(settings, field):
            query[key] = text if text is not None else f"{value:.0f}"
            changes[field] = value

    sequences = random.choice([1, 1, 1, 2, 4, 7])
    put("n", "parallel", float(sequences))
    changes["outputs_max"] = float(sequences)
    most = model.context_max_tokens * sequences
    put("c", "context_tokens", float(random.choice([1, 777, 4096, 16384, 40000, 131072, most])))
    if changes.get("context_tokens", 0.0) > most:  # type: ignore[operator]
        del query["c"], changes["context_tokens"]
    offered = ["Q8_0", "Q6_K", "IQ4_XS", "Q2_K", "BF16", "Q4_K_M"]
    name = random.choice(offered)
    put("f", "format", name, name)
    wide = random.choice(CACHE_TYPES)
    put("k", "kv_type_k", wide, wide)
    changes["kv_type_v"] = wide
    put("g", "gpus", float(random.choice([1, 1, 2, 3, 8, 16])))
    put("ub", "ubatch_tokens", float(random.choice([512, 512, 1, 2048])))
    put("dr", "draft_tokens", float(random.choice([0, 0, 3])))
    if random.random() < 0.2:
        put("s", "split", "tensor", "tensor")
    if random.random() < 0.15:
        put("ngl", "gpu_layers", float(random.choice([0, 5, 20])))
    if random.random() < 0.15:
        put("moe", "cpu_moe_layers", float(random.choice([0, 5, 20])))
    backends = book().catalog.gpus[gpu_id].backends
    if random.random() < 0.2:
        name = random.choice(backends)
        put("b", "backend", name, name)
    if random.random() < 0.2:
        backend = str(changes.get("backend", settings.backend))
        engines = [name for name in book().catalog.engines if book().runs_on(name, backend)]
        if engines:
            name = random.choice(engines)
            put("e", "engine", name, name)
    for key, (field, value) in FLAGS.items():
        if random.random() < 0.12:
            query[key] = "0" if key == "fa" else "1"
            changes[field] = value
    changed = replace(settings, **changes)  # type: ignore[arg-type]
    return Chosen(model_id, gpu_id, tuple(query.items()), changed)
