"""Formats by locale, as tables: what goes in, what an English and a German reader must see.

``~`` stands for the no-break space in the expected texts.
"""

from __future__ import annotations

from typing import Any

import pytest
from markupsafe import Markup

from vramsite.site.formatting import Formatter, finalize, svg_number

ENGLISH = Formatter("en")
GERMAN = Formatter("de")
GIB = 1024**3

CASES: list[tuple[str, tuple[Any, ...], str, str]] = [
    ("integer", (32768,), "32,768", "32.768"),
    ("integer", (999,), "999", "999"),
    ("integer", (-1200,), "-1,200", "-1.200"),
    ("number", (1638.4, 1), "1,638.4", "1.638,4"),
    ("number", (0.5, 0), "0", "0"),  # half to even
    ("number", (1.5, 0), "2", "2"),
    ("number", (2.5, 0), "2", "2"),
    ("number", (0.125, 2), "0.12", "0,12"),
    ("number", (0.375, 2), "0.38", "0,38"),
    ("number", (2.675, 2), "2.68", "2,68"),  # the shortest decimal form counts, not the binary
    ("number", (-0.001, 2), "0.00", "0,00"),
    ("compact", (16.0,), "16", "16"),
    ("compact", (0.5,), "0.5", "0,5"),
    ("compact", (100,), "100", "100"),
    ("compact", (3350.25, 1), "3,350.2", "3.350,2"),
    ("unit", (64, "GB"), "64~GB", "64~GB"),
    ("unit", (1638.4, "GB/s"), "1,638.4~GB/s", "1.638,4~GB/s"),
    ("gib", (219248742236.16,), "204.19~GiB", "204,19~GiB"),
    ("gib", (2713.68 * GIB,), "2,713.68~GiB", "2.713,68~GiB"),
    ("gib", (0,), "0.00~GiB", "0,00~GiB"),
    ("gb", (219248742236.16,), "219.25~GB", "219,25~GB"),
    ("mib", (5.5 * 1024**2,), "6~MiB", "6~MiB"),
    ("mib", (1500 * 1024**2,), "1,500~MiB", "1.500~MiB"),
    ("bytes_auto", (512,), "512~B", "512~B"),
    ("bytes_auto", (1536,), "1.50~KiB", "1,50~KiB"),
    ("bytes_auto", (24 * 1024**2,), "24.0~MiB", "24,0~MiB"),
    ("bytes_auto", (204.19 * GIB,), "204~GiB", "204~GiB"),
    ("tps", (118.4,), "118~tok/s", "118~tok/s"),
    ("tps", (21.44,), "21.4~tok/s", "21,4~tok/s"),
    ("tps", (3.821,), "3.82~tok/s", "3,82~tok/s"),
    ("tps", (0.04,), "0.04~tok/s", "0,04~tok/s"),
    ("tps", (9.996,), "10.0~tok/s", "10,0~tok/s"),
    ("tps", (99.96,), "100~tok/s", "100~tok/s"),
    ("tps", (10619.2,), "10,619~tok/s", "10.619~tok/s"),
    ("tps_range", (21.4, 18.21, 24.6), "21.4~(18.2–24.6)~tok/s", "21,4~(18,2–24,6)~tok/s"),
    ("tps_range", (118.0, None, None), "118~tok/s", "118~tok/s"),
    ("usd_span", (200.0, 1250.0), "$200–$1,250", "200–1.250~$"),
    ("span", (9.5, 118), "10–118", "10–118"),
    ("gib_range", (2 * GIB, 1.9 * GIB, 2.2 * GIB), "2.00~(1.90–2.20)~GiB", "2,00~(1,90–2,20)~GiB"),
    ("gib_range", (2 * GIB, 2 * GIB, 2 * GIB), "2.00~GiB", "2,00~GiB"),
    ("percent", (3.19,), "319%", "319~%"),
    ("percent", (0.9412, 1), "94.1%", "94,1~%"),
    ("percent", (0.08,), "8%", "8~%"),
    ("usd", (277.78,), "$277.78", "277,78~$"),
    ("usd", (21000, False), "$21,000", "21.000~$"),
    ("usd", (3.8,), "$3.80", "3,80~$"),
    ("usd", (0.0,), "$0.00", "0,00~$"),
    ("price", (2.29,), "$2.29", "2,29~$"),
    ("price", (6,), "$6.00", "6,00~$"),
    ("price", (0.8048,), "$0.8048", "0,8048~$"),
    ("price", (50.0856,), "$50.0856", "50,0856~$"),
    ("price", (0.3869, "EUR"), "€0.3869", "0,3869~€"),
    ("cost", (277.7777,), "$277.78", "277,78~$"),
    ("cost", (0.99999,), "$1.00", "1,00~$"),
    ("cost", (0.41236,), "$0.412", "0,412~$"),
    ("cost", (0.0999,), "$0.0999", "0,0999~$"),
    ("cost", (0.0087123,), "$0.00871", "0,00871~$"),
    ("cost", (0.0,), "$0.00", "0,00~$"),
    ("tokens", (131072,), "131,072", "131.072"),
    ("tokens_short", (8192,), "8K", "8K"),
    ("tokens_short", (131072,), "128K", "128K"),
    ("tokens_short", (1048576,), "1M", "1M"),
    ("tokens_short", (1000000,), "1,000,000", "1.000.000"),
    ("tokens_short", (512,), "512", "512"),
    ("billions", (358.3e9,), "358.3B", "358,3B"),
    ("billions", (32e9,), "32B", "32B"),
    ("billions", (0.596e9,), "0.6B", "0,6B"),
    ("seconds", (0.38,), "380~ms", "380~ms"),
    ("seconds", (0.99996,), "1.00~s", "1,00~s"),
    ("seconds", (3.821,), "3.82~s", "3,82~s"),
    ("seconds", (118.2,), "118~s", "118~s"),
    ("seconds", (750,), "12~min", "12~min"),
    ("seconds", (12345,), "3.4~h", "3,4~h"),
    ("date", ("2026-09-14",), "Sep 14, 2026", "14. Sept. 2026"),
    ("month", ("2026-03",), "March 2026", "März 2026"),
]


@pytest.mark.parametrize(("name", "arguments", "english", "german"), CASES)
def test_format(name: str, arguments: tuple[Any, ...], english: str, german: str) -> None:
    assert getattr(ENGLISH, name)(*arguments) == english.replace("~", "\u00a0")
    assert getattr(GERMAN, name)(*arguments) == german.replace("~", "\u00a0")


def test_a_kept_result_is_the_same_result() -> None:
    assert GERMAN.usd(277.78) == GERMAN.usd(277.78)
    assert GERMAN.integer(1) == "1"
    assert GERMAN.number(1, 2) == "1,00"  # not the text kept for another number of decimals


def test_the_cache_is_bounded() -> None:
    formatter = Formatter("en")
    for value in range(45_000):
        formatter.integer(value)
    assert len(formatter._cache) <= 20_000


@pytest.mark.parametrize(
    ("name", "value", "markup"),
    [
        ("gib", 219248742236.16, '<data value="204.1913">204,19\u00a0GiB</data>'),
        ("tps", 21.444, '<data value="21.444">21,4\u00a0tok/s</data>'),
        ("percent", 0.9412, '<data value="94.12">94\u00a0%</data>'),
        ("integer", 32768, '<data value="32768">32.768</data>'),
    ],
)
def test_data_holds_the_machine_value(name: str, value: float, markup: str) -> None:
    data = GERMAN.data(value, name)
    assert data == markup
    assert isinstance(data, Markup)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_text_for_what_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="not a number"):
        ENGLISH.gib(value)


@pytest.mark.parametrize(
    ("value", "text"), [(12.0, "12"), (0.125, "0.12"), (-0.001, "0"), (1234567, "1234567")]
)
def test_svg_numbers_are_for_machines(value: float, text: str) -> None:
    assert svg_number(value) == text


@pytest.mark.parametrize("value", [1.5, None, True, 32768])
def test_an_unformatted_value_must_not_reach_a_page(value: object) -> None:
    with pytest.raises(TypeError):
        finalize(value)


@pytest.mark.parametrize("value", ["1.5", 12, Markup("<b>")])
def test_text_and_small_counts_pass(value: object) -> None:
    assert finalize(value) is value
