"""A pasted config.json becomes a model of the page, and says what Python says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from sample_site import LOCALES, ROOT

from vramsite.catalog import load_catalog
from vramsite.catalog.architectures import read_architecture
from vramsite.catalog.architectures.own_model import own_facts, own_file, own_keys, own_source
from vramsite.report.sizer import Sizer
from vramsite.site.engine_js.data import SliceMaker
from vramsite.site.formatting import Formatter
from vramsite.sizing.answer import answer, loaded_file
from vramsite.sizing.records import Settings

pytestmark = pytest.mark.browser

PAIR = "models/qwen3-8b/rtx-4090/"
GPU = "rtx-4090"
READ = ("qwen3-32b", "gemma-3-27b-it", "gpt-oss-20b", "nemotron-3-nano-30b-a3b")
PLAIN = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 100,
    "max_position_embeddings": 8192,
}
DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "my model.json", { type: "application/json" }));
  const panel = document.querySelector("details.own");
  const given = { dataTransfer: data, bubbles: true, cancelable: true };
  panel.dispatchEvent(new DragEvent("drop", given));
}"""
PASTE = """(text) => {
  const field = document.querySelector("#own-config");
  field.value = text;
  field.dispatchEvent(new ClipboardEvent("paste", { bubbles: true }));
}"""


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 390, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda item: faults.append(item.text) if item.type == "error" else None)
    yield opened
    assert faults == []
    context.close()


@pytest.fixture(scope="module")
def maker() -> SliceMaker:
    catalog = load_catalog(ROOT / "data")
    return SliceMaker(catalog, Sizer(catalog).rules)


def opened(page: Any, site_url: str, locale: str = "en") -> list[str]:
    """Open a page's panel; gives the addresses that are asked for from then on."""
    page.goto(urljoin(site_url, f"{locale}/{PAIR}"))
    page.wait_for_selector("html[data-engine=ok]")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("details.own > summary").press("Enter")
    page.wait_for_selector(".own code:not(:empty)", state="attached")
    return asked


def needed(maker: SliceMaker, config: dict[str, Any]) -> float:
    """What Python says that the model needs at the page's settings."""
    rules = maker.own_rules()
    arch = read_architecture(own_source(rules, own_keys(config)))
    model = own_facts(rules, arch, "")
    file = own_file(rules, model.arch, "Q4_K_M", "", False)
    shared = maker.rules()
    whole = loaded_file(shared, file, Settings(context_tokens=8192.0))
    return answer(shared, model, whole, maker.device(GPU)).fit.needed_bytes


def with_type(maker: SliceMaker, model_id: str) -> dict[str, Any]:
    model = maker.catalog.models[model_id]
    return {"model_type": model.model_type, "max_position_embeddings": 65536, **model.config}


@pytest.mark.parametrize("model_id", READ)
def test_models_pasted_and_dropped_need_what_python_says(
    page: Any, site_url: str, maker: SliceMaker, model_id: str
) -> None:
    place = READ.index(model_id)
    locale = LOCALES[place % len(LOCALES)]
    opened(page, site_url, locale)
    config = with_type(maker, model_id)
    page.evaluate((PASTE, DROP)[place % 2], json.dumps(config))
    page.wait_for_selector("html[data-drawn='?m=own']")
    said = page.locator("[data-part=answer]").inner_text()
    assert Formatter(locale).gib(needed(maker, config)) in said
    heading = page.locator("h1").inner_text()
    assert heading.startswith(
        "my model" if place % 2 else ("Own model", "Eigenes Modell")[place % 2]
    )
    rows = page.locator("[data-part=formats] tbody tr")
    assert rows.count() >= 7
    assert page.locator("a.report").is_hidden()


def test_nothing_is_sent_and_the_model_is_not_in_the_link(page: Any, site_url: str) -> None:
    asked = opened(page, site_url)
    page.evaluate(PASTE, json.dumps({**PLAIN, "secret": "no-one-reads-this"}))
    page.wait_for_selector("html[data-drawn='?m=own']")
    assert all(address.startswith(site_url) and "?" not in address for address in asked)
    page.reload()
    page.wait_for_selector("html[data-drawn='?']")
    assert page.locator("form.configurator [role=alert]").is_visible()


def test_keys_that_no_reader_knows_are_named(page: Any, site_url: str) -> None:
    opened(page, site_url)
    page.evaluate(PASTE, json.dumps({**PLAIN, "rope_theta": 1e6, "<b>extra": 4}))
    said = page.locator("#own-outcome .unread")
    said.wait_for()
    assert "<b>extra" in said.inner_text()
    assert "rope_theta" not in said.inner_text()
    page.evaluate(PASTE, json.dumps({**PLAIN, "model_type": "qwen3", "head_dim": 16}))
    said.wait_for(state="detached")
    page.locator("#own-outcome strong").wait_for()
    counted = "Weights, cache and compute buffers are counted as for the models of the catalog."
    assert counted in page.locator("#own-outcome").inner_text()


FAULTS = [
    ("no json at all", "This is not JSON", "Das ist kein JSON"),
    (json.dumps({**PLAIN, "model_type": "lama"}), "The names most like it: llama", "llama"),
    (
        json.dumps({key: PLAIN[key] for key in PLAIN if key != "num_attention_heads"}),
        "config.num_attention_heads is missing.",
        "config.num_attention_heads fehlt.",
    ),
    (json.dumps({**PLAIN, "num_hidden_layers": 9e8}), "more layers", "mehr Schichten"),
    (json.dumps({**PLAIN, "hidden_size": "<img src=x onerror=alert(1)>"}), "<img", "<img"),
    ("[" * 400_000, "This is not JSON", "Das ist kein JSON"),
    ('{"a":' * 100_000 + "1" + "}" * 100_000, "config", "config"),
    ('{"hidden_size": 64,\n}', "Line 2: there is a comma", "Zeile 2:"),
    ('{"a": <b>}', "<", "<"),
    ("{" + " " * 1_000_001, "too much", "zu viel"),
]


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_no_model_is_refused_in_words(page: Any, site_url: str, locale: str) -> None:
    opened(page, site_url, locale)
    before = page.locator("[data-part=answer]").inner_text()
    for text, english, german in FAULTS:
        page.evaluate(PASTE, text)
        fault = page.locator("#own-fault")
        fault.filter(has_text=english if locale == "en" else german).wait_for()
        assert fault.locator("img").count() == 0
        assert fault.get_attribute("aria-live") == "assertive"
        page.evaluate("document.querySelector('#own-fault').textContent = ''")
    assert page.locator("[data-part=answer]").inner_text() == before


def test_the_panel_is_worked_with_the_keyboard(page: Any, site_url: str) -> None:
    opened(page, site_url)
    field = page.get_by_label("config.json")
    field.fill(json.dumps(PLAIN))
    field.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("html[data-drawn='?m=own']")
    assert page.locator("select[name=m]").input_value() == "own"
    page.locator("form.configurator [type=reset]").press("Enter")
    page.wait_for_selector("html[data-drawn='?']")
