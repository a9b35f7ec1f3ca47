"""Use, prices and what follows from them in a real browser: controls, links, edges, languages."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any
from urllib.parse import urljoin

import pytest

pytestmark = pytest.mark.browser

PAIR = "models/qwen3-8b/rtx-4090/"
LONG_TASK_MS = 400.0  # generous: the machine that tests is shared

CONTROLS = [
    ("h", "4", "h=4"),
    ("u", "50", "u=50"),
    ("mo", "12", "mo=12"),
    ("on", "10", "on=10"),
    ("ct", "CH", "ct=CH"),
    ("cur", "GBP", "cur=GBP"),
    ("pc", "list", "pc=list"),
    ("kwh", "0.31", "kwh=0.31"),
    ("pp", "999.5", "pp=999.5"),
    ("hp", "600", "hp=600"),
    ("rv", "30", "rv=30"),
    ("wl", "512", "wl=512"),
    ("wi", "60", "wi=60"),
    ("pue", "1.3", "pue=1.3"),
]
NO_NUMBER = r"NaN|Infinity|undefined|null|∞"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda item: faults.append(item.text) if item.type == "error" else None)
    yield opened
    assert faults == []
    context.close()


def opened(page: Any, site_url: str, address: str, drawn: str | None = None) -> None:
    """Open a page and wait until everything shows the state of its address, or that of `drawn`."""
    query = address.partition("?")[2]
    page.goto(urljoin(site_url, address))
    wanted = drawn if drawn is not None else (f"?{query}" if query else "?")
    page.wait_for_selector(f"html[data-drawn='{wanted}']")


def settled(page: Any, query: str) -> None:
    page.wait_for_selector(f"html[data-drawn='{query}']")


def text(page: Any, part: str) -> str:
    found: str = page.locator(f"[data-part={part}]").inner_text()
    return found.replace("\u00a0", " ")


def test_every_control_of_use_and_prices_changes_costs_alone(page: Any, site_url: str) -> None:
    opened(page, site_url, f"en/{PAIR}")
    page.evaluate(
        "for (const item of document.forms) item.querySelectorAll('details').forEach("
        "(details) => { details.open = true; })"
    )
    before, memory = text(page, "cost"), text(page, "memory")
    for name, value, query in CONTROLS:
        control = page.locator(f"form.configurator [name={name}]")
        if control.evaluate("node => node.localName") == "select":
            control.select_option(value)
        else:
            control.fill(value)
            control.press("Enter")
        settled(page, f"?{query}")
        assert page.url.endswith(f"?{query}")
        assert text(page, "cost") != before, name
        page.locator("form.configurator [type=reset]").click()
        settled(page, "?")
        assert text(page, "cost") == before
    assert text(page, "memory") == memory


def test_a_change_of_prices_is_announced_once_it_rests(page: Any, site_url: str) -> None:
    opened(page, site_url, f"en/{PAIR}")
    status = page.locator("form.configurator [role=status]")
    page.locator("form.configurator summary", has_text="Use and prices").click()
    page.locator("form.configurator [name=h]").fill("6")
    settled(page, "?h=6")
    assert status.text_content() == ""
    page.wait_for_timeout(1200)
    assert (status.text_content() or "").startswith("A million tokens written: $")


def test_figures_follow_what_was_typed(page: Any, site_url: str) -> None:
    opened(page, site_url, f"en/{PAIR}?h=10&on=10&kwh=0.5&pp=1200&hp=600&rv=50&wl=400")
    cost = text(page, "cost")
    # 1,200 and 600, half of it left after 36 months
    assert "1 × $1,200 (typed in) and $600 for the computer around it = $1,800" in cost
    assert "over 36 months $25.00 a month" in cost
    # 400 W × 10 h × 30.4375 days = 121.75 kWh at 0.50
    assert "121.8" in cost
    assert "$60.88" in cost
    assert "$85.88" in cost
    assert "A kilowatt hour costs $0.50, as typed in." in cost
    assert "not counted" not in cost


def test_a_link_with_costs_survives_reload_language_and_copying(page: Any, site_url: str) -> None:
    query = "?c=16384&h=5&cur=CHF&kwh=0.27&pp=1500"
    opened(page, site_url, f"en/{PAIR}{query}")
    english = text(page, "cost")
    assert "CHF" in english
    page.reload()
    settled(page, query)
    assert text(page, "cost") == english
    page.locator("form.configurator [name=link]").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    page.locator("nav.languages a").click()
    settled(page, query)
    assert "eigene Angabe" in text(page, "cost")
    page.go_back()
    settled(page, query)
    assert text(page, "cost") == english


def test_each_language_has_its_currency_and_country(page: Any, site_url: str) -> None:
    for locale, currency, country in (("en", "USD", "US"), ("de", "EUR", "DE")):
        opened(page, site_url, f"{locale}/{PAIR}")
        form = page.locator("form.configurator")
        assert form.locator("[name=cur]").input_value() == currency
        assert form.locator("[name=ct]").input_value() == country


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("h=0", "no hours of use"),
        ("u=0", "no utilisation"),
        ("mo=0", "months not known"),
        ("pp=0", "price of zero"),
        ("kwh=0", "Electricity at a price of zero"),
        ("wl=0", "power not known"),
        ("h=0&u=0&on=0&mo=0&kwh=0&pp=0&hp=0&rv=0&wl=0&wi=0&pue=0", "no hours of use"),
        ("h=24&on=0&mo=240&kwh=9999999&pp=9999999&hp=9999999&rv=100&wl=9999999", "CO"),
        ("cap=40", "No price of the RTX 4090 (own device) is on record"),
        ("g=16", "More of these devices would be needed"),
        ("ngl=0", "one machine, 1 × RTX 4090"),
    ],
)
def test_edges_say_what_is_missing(page: Any, site_url: str, query: str, said: str) -> None:
    page.goto(urljoin(site_url, f"en/{PAIR}?{query}"))
    page.wait_for_selector("html[data-drawn]")
    assert said in text(page, "cost")
    everything = page.locator("main").inner_text()
    assert not page.evaluate(f"(text) => /{NO_NUMBER}/.test(text)", everything)


@pytest.mark.parametrize(
    ("query", "left", "named"),
    [
        ("h=25", "?", "Hours of use a day"),
        ("cur=XXX&ct=ZZ&h=6", "?h=6", "Country of the electricity, Currency"),
        ("rv=101&u=-5", "?", "Utilisation, %, Residual value, %"),
        ("pc=stolen", "?", "Purchase price"),
    ],
)
def test_what_cannot_be_falls_back_with_a_note(
    page: Any, site_url: str, query: str, left: str, named: str
) -> None:
    opened(page, site_url, f"en/{PAIR}?{query}", drawn=left)
    note = page.locator("form.configurator [role=alert]")
    assert note.inner_text() == f"Not possible here and left at the default: {named}."


def test_another_device_changes_heading_title_and_what_is_the_pairs_own(
    page: Any, site_url: str
) -> None:
    opened(page, site_url, f"en/{PAIR}")
    own = page.locator("[data-home='md']").first
    assert own.is_visible()
    opened(page, site_url, f"en/{PAIR}?d=h200-141gb-sxm&h=6")
    assert page.locator("h1").inner_text() == "Qwen3 8B on H200 141GB SXM"
    assert page.title().startswith("Qwen3 8B on H200 141GB SXM")
    assert own.is_hidden()
    assert "1 × H200 141GB SXM" in text(page, "cost")
    cost = text(page, "cost")
    page.locator("form.configurator a.report").click()
    settled(page, "?h=6")
    assert page.url == urljoin(site_url, "en/models/qwen3-8b/h200-141gb-sxm/?h=6")
    assert text(page, "cost") == cost


def test_machines_to_rent_and_training_follow_the_settings(page: Any, site_url: str) -> None:
    opened(page, site_url, f"en/{PAIR}")
    rows = page.locator("[data-part=offers] tbody tr")
    usual, training = rows.all_inner_texts(), text(page, "finetune")
    assert "on 4 of them" not in training
    assert page.locator("[data-start]").is_visible()
    opened(page, site_url, f"en/{PAIR}?f=BF16&c=40960&g=4")
    assert "BF16 at 40K" in text(page, "offers")
    assert rows.all_inner_texts() != usual
    assert not any("T4" in row and "1 ×" in row for row in rows.all_inner_texts())
    assert "on 4 of them" in text(page, "finetune")
    assert page.locator("[data-start]").is_hidden()


def test_without_script_the_page_states_its_costs(browser: Any, site_url: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(urljoin(site_url, f"de/{PAIR}"))
    assert "€" in page.locator("[data-part=cost]").inner_text()
    assert page.locator("[name=kwh]").count() == 0 or page.locator("[name=kwh]").is_hidden()
    context.close()


def test_costs_are_answered_soon_on_a_slow_machine(page: Any, site_url: str) -> None:
    opened(page, site_url, f"en/{PAIR}")
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 4})
    times = page.evaluate(
        """async () => {
          const control = document.querySelector("form.configurator").elements.h;
          const part = document.querySelector("[data-part=cost]");
          const times = [];
          for (const hours of [1, 2, 3, 4, 5, 6]) {
            const begin = performance.now();
            const changed = new Promise((done) => new MutationObserver((_, observer) => {
              observer.disconnect();
              done();
            }).observe(part, { subtree: true, characterData: true, childList: true }));
            control.value = hours;
            control.dispatchEvent(new Event("input", { bubbles: true }));
            await changed;
            times.push(performance.now() - begin);
            await new Promise((go) => setTimeout(go, 100));
          }
          return times;
        }"""
    )
    assert median(times) < LONG_TASK_MS
