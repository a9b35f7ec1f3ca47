"""What the server prints for any settings: the page's parts through its own templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from random import Random

from jinja2 import Environment
from sample_site import DEVICES, LOCALES, MODELS, ROOT

from vramsite.catalog import load_catalog
from vramsite.report.book import Book
from vramsite.report.money_data import default_choice
from vramsite.report.money_view import money_view
from vramsite.report.pair import default_settings, pair_view
from vramsite.report.sizer import Sizer
from vramsite.report.training_table import training_of
from vramsite.site.assets import Assets
from vramsite.site.i18n import load_translations
from vramsite.site.plan import select
from vramsite.site.render import make_environment
from vramsite.site.urls import Urls
from vramsite.sizing.records import Settings

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
PARTS = (*TEMPLATES, "cost", "offers", "finetune")
CACHE_TYPES = ("f16", "bf16", "q8_0", "q5_1", "q4_0")
FLAGS = {
    "fa": ("flash_attention", False),
    "ku": ("kv_unified", True),
    "swa": ("full_window_cache", True),
    "nkvo": ("kv_offload", False),
    "mm": ("vision", True),
    "im": ("imatrix", True),
}


# Keys of use and prices: the field of the choice, and texts to draw from.
COSTS = {
    "h": ("hours_a_day", ("0", "2.5", "24")),
    "u": ("busy_percent", ("0", "37", "99.5")),
    "on": ("own_on_hours_a_day", ("0", "9", "12")),
    "mo": ("lifetime_months", ("0", "1", "60")),
    "kwh": ("price_per_kwh", ("0", "0.1234", "9999999")),
    "pp": ("device_price", ("0", "499.99", "40000")),
    "hp": ("host_price", ("0", "850")),
    "rv": ("residual_percent", ("0", "35", "100")),
    "wl": ("load_w", ("0", "1234.5")),
    "wi": ("idle_w", ("0", "55")),
    "pue": ("pue", ("1", "1.58")),
}
COST_NAMES = {
    "ct": ("country", ("AT", "CH", "UK", "EU")),
    "cur": ("currency", ("CHF", "GBP", "JPY")),
}


@dataclass(frozen=True)
class Chosen:
    """One state of a page: what stands in its address, and the same as settings and choice.

    `costs` are the fields of the choice that differ from the page's own.
    """

    model_id: str
    gpu_id: str
    query: tuple[tuple[str, str], ...]
    settings: Settings
    costs: tuple[tuple[str, float | str], ...] = ()


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
    model_id, gpu_id = chosen.model_id, chosen.gpu_id
    view = pair_view(book(), model_id, gpu_id, chosen.settings)
    choice = replace(default_choice(book(), locale), **dict(chosen.costs))  # type: ignore[arg-type]
    money = money_view(book(), model_id, gpu_id, locale, chosen.settings, choice)
    assert money is not None
    env = environment(locale)

    def macro(template: str, name: str, *arguments: object) -> str:
        module = env.get_template(f"components/{template}.html").module
        return str(getattr(module, name)(*arguments))

    sentence = macro("answer", "sentence", view).strip()
    names = {gpu.id: gpu.name for gpu in book().catalog.gpus.values()}
    extra: dict[str, tuple[object, ...]] = {
        "answer": (sentence,),
        "tiles": (money,),
        "formats": (names,),
        "questions": (sentence,),
    }
    parts = {
        name: macro(template, name, view, *extra.get(name, ()))
        for name, template in TEMPLATES.items()
    }
    parts["cost"] = macro("money", "section", view, money)
    training = training_of(book(), model_id, gpu_id, int(chosen.settings.gpus))
    parts["finetune"] = macro("finetune", "section", view, training)
    named = view.model.name, view.size.settings.format, view.short_tokens
    parts["offers"] = macro("money", "offers", money.offers, money.section, *named)
    return parts


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
    costs: dict[str, float | str] = {}
    for key, (field, texts) in COSTS.items():
        if random.random() < 0.2:
            query[key] = random.choice(texts)
            costs[field] = float(query[key])
    for key, (field, names) in COST_NAMES.items():
        if random.random() < 0.3:
            query[key] = costs[field] = random.choice(names)
    return Chosen(model_id, gpu_id, tuple(query.items()), changed, tuple(costs.items()))
