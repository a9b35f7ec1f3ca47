"""Numbers, units and dates as text, by locale; the only place where a number is rounded.

Babel's ``format_decimal`` parses its pattern at every call (100 µs); here a pattern is parsed
once, the ``Locale`` is held, and where a locale groups by threes Python's own format does the work.
Rounding is half to even on the shortest decimal form of the float (``vramsite.site.rounding``),
which is what ``Intl.NumberFormat`` with ``roundingMode: "halfEven"`` does. Between a number and its
unit stands a no-break space.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from babel import Locale
from babel.dates import format_date, format_skeleton
from babel.numbers import NumberPattern, parse_pattern
from markupsafe import Markup

from vramsite.site.markup import as_markup, escape_text
from vramsite.site.rounding import (
    KEPT_NUMBERS,
    Number,
    exact,
    is_plain,
    plain_text,
    rounded,
    three_digit_decimals,
    used_decimals,
)

NBSP = "\u00a0"
GIB = 2.0**30
MIB = 2.0**20
KIB = 2.0**10
GB = 1e9

_CACHE_LIMIT = 20_000
# What a sum must reach to print with so many decimals: a rounded 1 has cents, 0.9994 does not.
_COST_DECIMALS = ((2, 0.9995), (3, 0.09995), (4, 0.009995), (5, 5e-324), (2, 0.0))


class Formatter:
    """Formats for one locale. Every method takes a plain number and returns plain text.

    Use ``data`` for the same text inside ``<data value=…>``.
    """

    def __init__(self, locale_code: str) -> None:
        self.code = locale_code
        self.locale = Locale.parse(locale_code.replace("-", "_"))
        self._patterns: dict[int, NumberPattern] = {}
        self._cache: dict[tuple[str, Number, int], str] = {}
        self._percent = {0: self._with_decimals(self.locale.percent_formats[None].pattern, 0)}
        self._usd = self._with_decimals(self.locale.currency_formats["standard"].pattern, 2)
        self._usd_whole = self._with_decimals(self.locale.currency_formats["standard"].pattern, 0)
        self._days: dict[datetime.date | str, str] = {}
        self._around_money: dict[str, tuple[str, str]] = {}
        self._separators = self._simple_separators()
        self._point = self._separators[ord(".")] if self._separators is not None else ""
        self._as_python = self._separators == {ord(","): ",", ord("."): "."}
        self._around_percent = self._around(self._percent[0].apply(Decimal(1), self.locale), "100")

    def _simple_separators(self) -> dict[int, str] | None:
        """What stands for Python's separators where the locale groups as Python does, by threes.

        Babel takes 50 µs for a number, Python's own format 2 µs; a page has a hundred numbers.
        """
        pattern = parse_pattern(self.locale.decimal_formats[None].pattern)
        if pattern.grouping != (3, 3) or pattern.prefix != ("", "-") or pattern.suffix != ("", ""):
            return None
        symbols = self.locale.number_symbols["latn"]
        return {
            ord(","): symbols["group"].replace(" ", NBSP),
            ord("."): symbols["decimal"].replace(" ", NBSP),
        }

    @staticmethod
    def _around(text: str, number: str) -> tuple[str, str]:
        """What stands before and after the number in a text."""
        before, _, after = text.replace(" ", NBSP).partition(number)
        return before, after

    @staticmethod
    def _with_decimals(pattern: str, decimals: int) -> NumberPattern:
        """A pattern of the locale with a fixed number of decimals."""
        parsed = parse_pattern(pattern)
        parsed.frac_prec = (decimals, decimals)
        return parsed

    def _plain(self, value: Number, decimals: int) -> str:
        if self._separators is not None:
            text = plain_text(value, decimals)
            if self._as_python:
                return text
            if "," in text:
                return text.translate(self._separators)
            return text.replace(".", self._point)
        key = ("number", value, decimals)
        text = self._cache.get(key, "")
        if not text:
            pattern = self._patterns.get(decimals)
            if pattern is None:
                pattern = self._with_decimals(self.locale.decimal_formats[None].pattern, decimals)
                self._patterns[decimals] = pattern
            text = self._keep(key, pattern.apply(rounded(exact(value), decimals), self.locale))
        return text

    def _keep(self, key: tuple[str, Number, int], text: str) -> str:
        if len(self._cache) >= _CACHE_LIMIT:
            self._cache.clear()
        text = text.replace(" ", NBSP)
        self._cache[key] = text
        return text

    def integer(self, value: Number) -> str:
        """A whole number with the locale's grouping: 32,768 or 32.768."""
        return self._plain(value, 0)

    def number(self, value: Number, decimals: int = 2) -> str:
        """A number with exactly that many decimals."""
        return self._plain(value, decimals)

    def compact(self, value: Number, decimals: int = 2) -> str:
        """A number with at most that many decimals and no zeros at its end: 16, 0.5, 1,638.4."""
        return self._plain(value, used_decimals(value, decimals))

    def three_digits(self, value: Number) -> str:
        """Three significant digits, at most two decimals; whole from 100 on."""
        return self._plain(value, three_digit_decimals(value))

    def unit(self, value: Number, unit: str, decimals: int = 2) -> str:
        """A number that already is in ``unit``, with no zeros at its end: 64 GB, 1,638.4 GB/s."""
        return f"{self.compact(value, decimals)}{NBSP}{unit}"

    def gib(self, value_bytes: Number, decimals: int = 2) -> str:
        """Bytes as GiB (2**30): 204.19 GiB."""
        return f"{self._plain(value_bytes / GIB, decimals)}{NBSP}GiB"

    def gb(self, value_bytes: Number, decimals: int = 2) -> str:
        """Bytes as GB (10**9): 219.25 GB."""
        return f"{self._plain(value_bytes / GB, decimals)}{NBSP}GB"

    def mib(self, value_bytes: Number, decimals: int = 0) -> str:
        """Bytes as MiB (2**20), as llama.cpp prints its buffers."""
        return f"{self._plain(value_bytes / MIB, decimals)}{NBSP}MiB"

    def bytes_auto(self, value_bytes: Number) -> str:
        """Bytes in the largest binary unit that leaves at least 1, three significant digits."""
        for size, unit in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
            if abs(value_bytes) >= size:
                return f"{self.three_digits(value_bytes / size)}{NBSP}{unit}"
        return f"{self.integer(value_bytes)}{NBSP}B"

    def tps(self, value: Number) -> str:
        """Tokens per second: 118 tok/s, 21.4 tok/s, 3.82 tok/s."""
        return f"{self.three_digits(value)}{NBSP}tok/s"

    def span(self, low: Number, high: Number) -> str:
        """An interval without unit, both ends with the decimals of the larger: 18.2–24.6."""
        decimals = three_digit_decimals(max(abs(low), abs(high)))
        return f"{self._plain(low, decimals)}–{self._plain(high, decimals)}"

    def tps_range(self, value: Number, low: Number | None, high: Number | None) -> str:
        """A speed with its interval: 21.4 (18.2–24.6) tok/s; without one just the speed."""
        if low is None or high is None:
            return self.tps(value)
        decimals = three_digit_decimals(value)
        span = f"{self._plain(low, decimals)}–{self._plain(high, decimals)}"
        return f"{self._plain(value, decimals)}{NBSP}({span}){NBSP}tok/s"

    def gib_range(self, value: Number, low: Number | None, high: Number | None) -> str:
        """Bytes with their interval as GiB: 12.41 (12.30–12.55) GiB."""
        if low is None or high is None or (low == value == high):
            return self.gib(value)
        span = f"{self._plain(low / GIB, 2)}–{self._plain(high / GIB, 2)}"
        return f"{self._plain(value / GIB, 2)}{NBSP}({span}){NBSP}GiB"

    def percent(self, fraction: Number, decimals: int = 0) -> str:
        """A share, 1.0 being all of it: 94% or 94 %."""
        if self._separators is not None and is_plain(fraction, decimals + 2):
            digits = int(f"{fraction:.{decimals + 2}f}".replace(".", ""))
            before, after = self._around_percent
            return f"{before}{self._plain(digits / 10**decimals, decimals)}{after}"
        key = ("percent", fraction, decimals)
        text = self._cache.get(key)
        if text is None:
            pattern = self._percent.get(decimals)
            if pattern is None:
                source = self.locale.percent_formats[None].pattern
                pattern = self._percent[decimals] = self._with_decimals(source, decimals)
            text = self._keep(
                key, pattern.apply(rounded(exact(fraction), decimals + 2), self.locale)
            )
        return text

    def _money(self, value: Number, currency: str, decimals: int) -> str:
        """A sum with fixed decimals; what stands around the number is looked up once."""
        found = self._around_money.get(currency)
        if found is None:
            one = self._usd.apply(Decimal(1), self.locale, currency=currency, currency_digits=False)
            before, after = self._around(one, self._plain(1, 2))
            if before[-1:].isalpha():  # a code instead of a sign keeps its distance
                before += NBSP
            found = self._around_money[currency] = (before, after)
        text = self._plain(abs(value), decimals)
        sign = "-" if value < 0 and text.strip("0.,") else ""
        return f"{sign}{found[0]}{text}{found[1]}"

    def price(self, value: Number, currency: str = "USD") -> str:
        """A price as somebody asks it, with two to four decimals: $2.29, $0.8048, 0,3869 €."""
        return self._money(value, currency, max(2, used_decimals(value, 4)))

    def cost(self, value: Number, currency: str = "USD") -> str:
        """A calculated sum: cents from 1 on, below that three digits: $9.17, $0.412, $0.0087."""
        size = abs(value)
        for decimals, least in _COST_DECIMALS:
            if size >= least:
                return self._money(value, currency, decimals)
        raise ValueError(f"{value!r} is not a number that can be printed")

    def amount(self, value: Number, currency: str = "USD", cents: bool = True) -> str:
        """A sum in a currency, with cents (277,78 €) or without (21.000 €)."""
        return self._money(value, currency, 2 if cents else 0)

    def usd(self, value: Number, cents: bool = True) -> str:
        """US dollars with cents ($277.78, 277,78 $) or without ($21,000)."""
        if value >= 0 and self._separators is not None:
            return self._money(value, "USD", 2 if cents else 0)
        key = ("usd", value, int(cents))
        text = self._cache.get(key)
        if text is None:
            pattern = self._usd if cents else self._usd_whole
            amount = rounded(exact(value), 2 if cents else 0)
            text = pattern.apply(amount, self.locale, currency="USD", currency_digits=False)
            text = self._keep(key, text)
        return text

    def usd_span(self, low: Number, high: Number) -> str:
        """A range of whole dollars: $200–$250, 200–250 $ where the sign comes last."""
        first, last = self.usd(low, cents=False), self.usd(high, cents=False)
        number = self._plain(low, 0)
        return f"{number if first.startswith(number) else first}–{last}"

    def tokens(self, value: Number) -> str:
        """A token count in full: 32,768."""
        return self._plain(value, 0)

    def tokens_short(self, value: Number) -> str:
        """A token count as people say it: 8K, 128K, 1M (powers of 1024); others in full."""
        for size, letter in ((1_048_576, "M"), (1024, "K")):
            if value >= size and value == value // size * size:
                return f"{self._plain(value // size, 0)}{letter}"
        return self._plain(value, 0)

    def billions(self, value: Number) -> str:
        """A parameter count in billions: 358.3B, 32B, 0.6B (the trade's own spelling)."""
        return f"{self.compact(value / 1e9, 1 if value >= 1e9 else 2)}B"

    def seconds(self, value: Number) -> str:
        """A duration: 380 ms, 3.82 s, 118 s, 12 min, 3.4 h."""
        if value < 0.999 or (value < 1.0 and rounded(exact(value), 3) < 1):
            return f"{self._plain(value * 1000.0, 0)}{NBSP}ms"
        if value < 600:
            return f"{self.three_digits(value)}{NBSP}s"
        if value < 5400:
            return f"{self._plain(value / 60.0, 0)}{NBSP}min"
        return f"{self.compact(value / 3600.0, 1)}{NBSP}h"

    def date(self, value: datetime.date | str) -> str:
        """A day, from a date or ISO text: Sep 14, 2026 or 14. Sept. 2026."""
        text = self._days.get(value)
        if text is None:
            day = datetime.date.fromisoformat(value) if isinstance(value, str) else value
            if len(self._days) >= _CACHE_LIMIT:
                self._days.clear()
            text = self._days[value] = format_skeleton("yMMMd", day, locale=self.locale)
        return text

    def month(self, value: datetime.date | str) -> str:
        """A month, from a date or ``2026-09``: September 2026."""
        day = datetime.date.fromisoformat(f"{value[:7]}-01") if isinstance(value, str) else value
        return format_date(day, format="LLLL yyyy", locale=self.locale)

    def filters(self) -> dict[str, Callable[..., object]]:
        """Every format as a Jinja filter, under the method's name; plus ``data`` and ``svg``."""
        return {name: getattr(self, name) for name in _FILTER_NAMES} | {
            "data": self.data,
            "svg": svg_number,
        }

    def plain_filters(self) -> frozenset[str]:
        """Filters of numbers whose text needs no escaping, whatever the number is."""
        shown = f"{self.number(-1234567.5, 1)}{self.percent(-1234.5, 1)}{self.percent(0.5)}"
        return _NUMBER_FILTERS if escape_text(shown) == shown else frozenset()

    def data(self, value: Number, format_name: str, *arguments: object) -> Markup:
        """``<data value="204.1913">204.19 GiB</data>``: text for people, number for machines.

        The machine value is in the unit printed (GiB, GB, MiB, percent), to four decimals.
        """
        text = getattr(self, format_name)(value, *arguments)
        machine = svg_number(value / _DATA_UNITS.get(format_name, 1.0), 4)
        return as_markup(f'<data value="{machine}">{escape_text(text)}</data>')


_DATA_UNITS = {"gib": GIB, "gib_range": GIB, "gb": GB, "mib": MIB, "percent": 0.01}

# Their units are written here, or are none; the rest takes words from elsewhere.
_NUMBER_FILTERS = frozenset({
    "integer", "number", "compact", "three_digits", "gib", "gb", "mib", "bytes_auto", "tps", "span",
    "tps_range", "gib_range", "percent", "tokens", "tokens_short", "billions", "seconds",
})  # fmt: skip

_FILTER_NAMES = (
    "integer", "number", "compact", "three_digits", "unit", "gib", "gb", "mib", "bytes_auto",
    "tps", "span", "tps_range", "gib_range", "percent", "usd", "price", "cost", "amount", "tokens",
    "tokens_short", "billions", "seconds", "date", "month",
)  # fmt: skip


@lru_cache(KEPT_NUMBERS)
def svg_number(value: Number, decimals: int = 2) -> str:
    """A number for machines (SVG coordinates, ``value=`` attributes): no grouping, dot, short."""
    text = f"{value:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in {"-0", ""} else text


def finalize(value: object) -> object:
    """Jinja's last look at every output: a number nobody formatted is a bug of the template.

    Raises:
        TypeError: a float, a bool, None, or an int of four digits and more.
    """
    if value is None or isinstance(value, (float, bool, Decimal)):
        raise TypeError(f"{value!r} reached a template unformatted: use a filter such as |gib")
    if isinstance(value, int) and not -1000 < value < 1000:
        raise TypeError(f"{value!r} needs |integer (text) or |svg (markup) in a template")
    return value
