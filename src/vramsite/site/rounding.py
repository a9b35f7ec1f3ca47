"""Rounding half to even on the shortest decimal form of a float, quickly where it is plain.

A float and its shortest decimal form round alike unless that form lies exactly between two
results (2.675 does, though the float is a little less). Python's own format is ten times as fast
as its decimals, so only what is near such a middle takes the long way.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache

Number = float  # ints are welcome

KEPT_NUMBERS = 4096  # those of some pages

_TWICE = tuple(2.0 * 10.0**decimals for decimals in range(8))
# Below it a float's error is far less than the margin that is kept from the middles.
_MOST = 1e11
_MARGIN = 0.001
_UNGROUPED = 999.0
_FIXED = tuple(f"%.{decimals}f" for decimals in range(8))
_THREE_DIGIT_STEPS = ((Decimal(10), 2), (Decimal(100), 1))


def exact(value: Number | Decimal) -> Decimal:
    """The shortest decimal form of a float, exactly.

    Raises:
        ValueError: nan or infinity.
    """
    number = value if isinstance(value, Decimal) else Decimal(repr(value))
    if not number.is_finite():
        raise ValueError(f"{value!r} is not a number that can be printed")
    return number


def rounded(number: Decimal, decimals: int) -> Decimal:
    """So many decimals; never a negative zero."""
    found = number.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN)
    return abs(found) if found.is_zero() else found


def grouped(value: Number, decimals: int) -> str:
    """The rounded number with exactly so many decimals, grouped as Python does: 1,638.40."""
    if is_plain(value, decimals):
        return f"{value or 0:,.{decimals}f}"  # never a negative zero
    return f"{rounded(exact(value), decimals):,f}"


@lru_cache(KEPT_NUMBERS)
def plain_text(value: Number, decimals: int) -> str:
    """The rounded number as Python prints it; kept, since every language prints the same ones."""
    small = ungrouped(value, decimals)
    return grouped(value, decimals) if small is None else small


def ungrouped(value: Number, decimals: int) -> str | None:
    """The same of a number below a thousand, quickly; None where that is not plain."""
    if 0.0 <= value < _UNGROUPED and decimals < len(_TWICE):
        between = value * _TWICE[decimals] % 1.0
        if _MARGIN < between < 1.0 - _MARGIN or value % 1.0 == 0.0:
            return _FIXED[decimals] % (value or 0)
    return None


def is_plain(value: Number | Decimal, decimals: int) -> bool:
    """Whether Python's own format rounds this number as `rounded` does."""
    if not isinstance(value, Decimal) and 0.0 <= value < _MOST and decimals < len(_TWICE):
        twice = value * _TWICE[decimals]
        return twice < _MOST and (_MARGIN < twice % 1.0 < 1.0 - _MARGIN or value % 1.0 == 0.0)
    return False


@lru_cache(KEPT_NUMBERS)
def used_decimals(value: Number, most: int) -> int:
    """Decimals of the number rounded to at most so many, without zeros at its end."""
    if is_plain(value, most):
        return len(f"{value:.{most}f}".partition(".")[2].rstrip("0"))
    exponent = rounded(exact(value), most).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def three_digit_decimals(value: Number) -> int:
    """Decimals that leave three significant digits and at most two: 3.82, 21.4, 118, 10,619.

    The bounds apply to the rounded number, so 99.96 prints as 100 and not as 100.0.
    """
    size = abs(value)
    if size < 9.99:
        return 2
    if 10.0 <= size < 99.9:
        return 1
    if size >= 100.0:
        return 0
    number = abs(exact(value))
    for bound, decimals in _THREE_DIGIT_STEPS:
        if rounded(number, decimals) < bound:
            return decimals
    return 0
