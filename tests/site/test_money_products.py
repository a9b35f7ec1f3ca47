"""Every product printed on a page follows from the factors printed beside it.

Each printed number stands for the interval of all numbers that print so; a product holds where
the interval of its factors' product meets that of the printed result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest

from vramsite.site.pages import PageKey
from vramsite.site.real_site import make
from vramsite.site.setup import Site
from vramsite.site.spec import narrowed, project_spec

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("qwen3-8b", "glm-4.5")
DEVICES = (
    "rtx-4090",
    "rtx-5090",
    "h100-80gb-sxm",
    "mi325x-256gb",
    "mac-studio-m3-ultra-512gb",
    "hygon-k100-ai-64gb",
    "p40-24gb",
)
NUMBER = re.compile(r"\d[\d.,]*")
HOUR, MILLION, THOUSAND = 3600.0, 1e6, 1e3


@dataclass(frozen=True)
class Span:
    """All numbers between two ends, both of them positive or zero."""

    low: float
    high: float

    def __mul__(self, other: Span | float) -> Span:
        by = other if isinstance(other, Span) else Span(other, other)
        return Span(self.low * by.low, self.high * by.high)

    def __truediv__(self, other: Span | float) -> Span:
        by = other if isinstance(other, Span) else Span(other, other)
        return Span(self.low / by.high, self.high / by.low)

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Span) -> Span:
        return Span(self.low - other.high, self.high - other.low)

    def meets(self, other: Span) -> bool:
        slack = 1e-9 * max(self.high, other.high)
        return self.low <= other.high + slack and other.low <= self.high + slack


@dataclass(frozen=True)
class Page:
    """The cost section of a page as text."""

    locale: str
    html: str

    def span(self, text: str) -> Span:
        """What a printed number stands for."""
        found = NUMBER.search(text)
        assert found, text
        digits = found.group().rstrip(".,")
        point, group = (".", ",") if self.locale == "en" else (",", ".")
        digits = digits.replace(group, "").replace(point, ".")
        decimals = len(digits.partition(".")[2])
        half = 0.5 * 10.0**-decimals
        return Span(float(digits) - half, float(digits) + half)

    def exact(self, text: str) -> float:
        """A number that is printed in full: hours, days, a price."""
        span = self.span(text)
        return (span.low + span.high) / 2.0

    def rows(self, mark: str) -> list[list[str]]:
        """The cells of the body of the table with that attribute in or around its tag."""
        start = self.html.find(mark)
        if start < 0:
            return []
        body = self.html[self.html.index("<tbody>", start) : self.html.index("</tbody>", start)]
        return [
            [plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
            for row in re.findall(r"<tr[^>]*>(.*?)</tr>", body, re.S)
        ]

    def said(self, english: str, german: str) -> list[str] | None:
        """The groups of a sentence, None where the page does not say it."""
        found = re.search(english if self.locale == "en" else german, plain(self.html))
        return list(found.groups()) if found else None


def plain(html: str) -> str:
    text = unescape(re.sub(r"<[^>]+>", " ", html)).replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text).strip()


@pytest.fixture(scope="module")
def site() -> Site:
    only = [f"models={','.join(MODELS)}", f"devices={','.join(DEVICES)}"]
    return make(narrowed(project_spec(ROOT), only))


@pytest.fixture(
    scope="module",
    params=[(m, d, code) for m in MODELS for d in DEVICES for code in ("en", "de")],
    ids="/".join,
)
def page(site: Site, request: pytest.FixtureRequest) -> Page:
    return cost_section(site, *request.param)


def cost_section(site: Site, model: str, device: str, locale: str) -> Page:
    html = site.page(PageKey("pair", (model, device)), locale)
    return Page(locale, html[html.index('<h2 id="cost"') : html.index('<h2 id="finetune"')])


def speeds(page: Page) -> tuple[Span, Span, Span | None]:
    """Prompt, one user, and the load of several users, in tokens a second."""
    one = page.said(
        r"It reads (.+?) tok/s .*?writes (.+?) tok/s",
        r"Er liest (.+?) tok/s .*?schreibt (.+?) tok/s",
    )
    assert one is not None
    many = page.said(r"users with (.+?) tok/s together", r"Nutzer mit zusammen (.+?) tok/s")
    return page.span(one[0]), page.span(one[1]), page.span(many[0]) if many else None


def hours_and_days(page: Page) -> tuple[float, float]:
    found = page.said(
        r"(\S+) hours a day, a month is a twelfth of (\S+) days",
        r"(\S+) Stunden am Tag, ein Monat ist ein Zwölftel von (\S+) Tagen",
    )
    assert found is not None
    return page.exact(found[0]), page.exact(found[1]) / 12.0


def bought(page: Page) -> tuple[Span, Span] | None:
    """What the machine costs at once and a month, after a look at both sums."""
    found = page.said(
        r"To buy: (\d+) × (\S+) \(.*?\) = (\S+), over (\d+) months (\S+) a month",
        r"Kaufen: (\d+) × (\S+) € \(.*?\) = (\S+) €, auf (\d+) Monate verteilt (\S+) €",
    )
    if found is None:
        return None
    count, each, upfront, months, month = found
    assert (page.span(each) * float(count)).meets(page.span(upfront))
    assert (page.span(each) * float(count) / float(months)).meets(page.span(month))
    return page.span(each) * float(count), page.span(month)


def test_rented_machines_cost_hours_times_days_and_their_tokens(page: Page) -> None:
    hours, days = hours_and_days(page)
    rows = page.rows('aria-labelledby="offers"')
    assert rows
    for row in rows:
        hourly, tps, month, million = row[1:5]
        price = page.span(hourly)
        assert (price * hours * days).meets(page.span(month)), row
        assert (price / (page.span(tps) * HOUR) * MILLION).meets(page.span(million)), row


def test_a_million_tokens_on_the_rented_machine(page: Page) -> None:
    rows = [row for row in page.rows('id="cost-tokens"') if row[-2][0] in "$0123456789"]
    for row in rows:
        price = page.span(row[-2])
        for tps, cell in zip(speeds(page), row[1:-2], strict=False):
            if tps is not None:
                product = price / (tps * HOUR) * MILLION
                assert product.meets(page.span(cell)), row


def test_an_own_machine(page: Page) -> None:
    rows = page.rows('id="cost-own"')
    purchase = bought(page)
    if not rows:
        return
    hours, days = hours_and_days(page)
    idle = page.said(r"it idles at (\S+) W", r"läuft er im Leerlauf mit (\S+) W")
    on = page.said(r"In the other hours of (\d+)", r"In den übrigen von (\d+) Stunden")
    pue = page.said(r"overhead is a factor of (\S+?)\. ", r"braucht das (\S+?)-Fache")
    kwh_price = page.said(r"costs \$(\S+) \(", r"kostet in Deutschland (\S+) €")
    grams = page.said(r"States emits (\S+) g", r"Deutschland stößt dafür (\S+) g")
    assert kwh_price is not None
    assert grams is not None
    site_factor = page.exact(pue[0]) if pue else 1.0
    tokens = page.rows('id="cost-tokens"')[0]
    for place, (row, tps) in enumerate(zip(rows, speeds(page), strict=False)):
        _, watts, kwh, power, month, per_wh, co2 = row
        energy = page.span(watts) * hours
        if idle and on:
            energy = energy + page.span(idle[0]) * (page.exact(on[0]) - hours)
        assert (energy * days * site_factor / THOUSAND).meets(page.span(kwh)), row
        assert (page.span(kwh) * page.span(kwh_price[0])).meets(page.span(power)), row
        assert tps is not None
        assert (tps * HOUR / (page.span(watts) * site_factor)).meets(page.span(per_wh)), row
        emitted = Span(1.0, 1.0) / page.span(per_wh) * MILLION / THOUSAND * page.span(grams[0])
        assert emitted.meets(page.span(co2)), row
        if purchase is not None:
            assert (purchase[1] + page.span(power)).meets(page.span(month)), row
            each = page.span(month) / (tps * HOUR * hours * days) * MILLION
            assert each.meets(page.span(tokens[1 + place])), row


def test_rent_or_buy(page: Page) -> None:
    rent = page.said(
        r"at \$(\S+) × (\S+) hours × (\S+) ÷ 12 days = \$(\S+) a month",
        r"für (\S+) € × (\S+) Stunden × (\S+) ÷ 12 Tage = (\S+) € im Monat",
    )
    purchase = bought(page)
    own = page.rows('id="cost-own"')
    if rent is None:
        assert page.rows('id="cost-curve"') == []
        return
    hourly, hours, days, month = rent
    product = page.span(hourly) * page.exact(hours) * (page.exact(days) / 12.0)
    assert product.meets(page.span(month))
    if purchase is None or not own:
        return
    power = page.span(own[1][3])
    pays = page.said(r"pays for itself after (\S+) months", r"rechnet sich nach (\S+) Monaten")
    if pays:
        assert (purchase[0] / (page.span(month) - power)).meets(page.span(pays[0]))
    else:
        assert page.said(r"Buying never pays", r"rechnet sich nie") is not None
        assert page.span(month).low <= power.high
    curve = page.rows('id="cost-curve"')
    head = re.search(r'id="cost-curve".*?<thead>(.*?)</thead>', page.html, re.S)
    assert head is not None
    months = [float(plain(cell)) for cell in re.findall(r"<th[^>]*>(.*?)</th>", head.group(1))[1:]]
    for at, cells in enumerate(zip(*(row[1:] for row in curve), strict=True)):
        own_usd, rent_usd = cells
        assert (purchase[0] + power * months[at]).meets(page.span(own_usd))
        assert (page.span(month) * months[at]).meets(page.span(rent_usd))


def test_dollars_become_euros_at_the_printed_rate(site: Site) -> None:
    for device in ("rtx-4090", "h100-80gb-sxm"):
        english, german = (cost_section(site, "qwen3-8b", device, code) for code in ("en", "de"))
        rate = german.said("^$", r"EZB-Kurs von (\S+) Dollar für einen EUR")
        assert rate is not None
        for mark, column in (('id="cost-tokens"', -2), ('aria-labelledby="offers"', 1)):
            pairs = list(zip(english.rows(mark), german.rows(mark), strict=True))
            priced = [(one[column], other[column]) for one, other in pairs if "$" in one[column]]
            assert priced
            for dollars, euros in priced:
                assert (german.span(euros) * german.span(rate[0])).meets(english.span(dollars))


def test_nothing_is_printed_that_is_no_number(page: Page) -> None:
    assert not re.search(r"\b(nan|inf|None)\b|[$€]-?0[.,]0+(?!\d)", plain(page.html))


def test_the_pages_show_every_case(site: Site) -> None:
    """The checks above look at something: rows, a break-even, a machine of several devices."""

    def text(model: str, device: str) -> str:
        return plain(site.page(PageKey("pair", (model, device)), "en"))

    assert "pays for itself" in text("qwen3-8b", "rtx-4090")
    assert "× H100 80GB SXM" in text("glm-4.5", "h100-80gb-sxm")
    assert "price not known" in text("qwen3-8b", "hygon-k100-ai-64gb")
