"""Rounding against its definition: half to even on the shortest decimal form of the float."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vramsite.site.formatting import Formatter
from vramsite.site.rounding import three_digit_decimals, used_decimals

ENGLISH, GERMAN = Formatter("en"), Formatter("de")
NUMBERS = st.one_of(
    st.floats(-1e15, 1e15),
    st.floats(0.0, 2000.0),
    st.integers(-4000, 4000).map(lambda count: count / 16.0),
    st.integers(0, 2_000_000).map(lambda count: count / 1000.0),
    st.integers(-(10**12), 10**12),
)


def by_definition(value: float, decimals: int) -> Decimal:
    step = Decimal(1).scaleb(-decimals)
    found = Decimal(repr(value)).quantize(step, rounding=ROUND_HALF_EVEN)
    return found if found else abs(found)


@given(NUMBERS, st.integers(0, 4))
@example(2.675, 2)
@example(0.125, 2)
@example(998.995, 2)
@example(999.995, 2)
@example(-0.0, 0)
@example(1e15, 4)
def test_a_number_prints_as_its_decimal_form_rounds(value: float, decimals: int) -> None:
    expected = f"{by_definition(value, decimals):,f}"
    assert ENGLISH.number(value, decimals) == expected
    swapped = expected.replace(",", " ").replace(".", ",").replace(" ", ".")
    assert GERMAN.number(value, decimals) == swapped


@given(NUMBERS)
def test_zeros_at_the_end_are_not_counted(value: float) -> None:
    digits = f"{by_definition(value, 3):f}".partition(".")[2]
    assert used_decimals(value, 3) == len(digits.rstrip("0"))


@given(st.floats(0.0, 1e6))
@example(9.995)
@example(9.994999999)
@example(99.95)
def test_three_digits_count_on_the_rounded_number(value: float) -> None:
    decimals = three_digit_decimals(value)
    assert decimals == 0 or by_definition(value, decimals) < 10 ** (3 - decimals)
    assert decimals == 2 or by_definition(value, decimals + 1) >= 10 ** (2 - decimals)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="not a number that can be printed"):
        ENGLISH.number(value, 2)
