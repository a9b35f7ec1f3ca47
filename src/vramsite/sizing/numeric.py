"""The few numeric helpers that Python and JavaScript do alike to the last bit."""

from __future__ import annotations


def floor(value: float) -> float:
    """Largest whole number not above `value` (compiled to Math.floor)."""
    return value // 1.0


def ceil_to(value: float, multiple: float) -> float:
    """`value` rounded up to a whole multiple; exact for whole numbers below 2**53."""
    return -floor(-value / multiple) * multiple


def index(value: float) -> int:
    """A whole number as a list index or a range bound (compiled to the number itself)."""
    return int(value)
