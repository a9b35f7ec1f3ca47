"""A small picture a pair for other people's pages: the model, the device, the speed.

System fonts differ in width, so each text is told how long it is (``textLength``): the letters
close up or spread a little instead of running over the edge.
"""

from __future__ import annotations

from functools import lru_cache
from xml.sax.saxutils import escape

from vramsite.sizing.records import Size

COLOURS = {
    "fits": "#17653a",
    "tight": "#7a4b00",
    "unified": "#11518f",
    "raised": "#11518f",
    "offload": "#8f3a07",
}
NEUTRAL = "#4b5968"
"""White on each of these has a contrast above 4.5:1."""

RUNS = {
    "fits": "runs",
    "tight": "just fits",
    "unified": "runs",
    "raised": "runs with a raised limit",
    "offload": "runs with offload",
}
NOT = {"exceeds": "too large for", "unknown": "not known for"}

_PAD = 7.0
_NARROW = frozenset("ijl|.,:;'!·() ")
_BROAD = frozenset("mwMW%@")


@lru_cache(maxsize=1024)
def width(text: str) -> float:
    """About how wide a text is at 11 px in Verdana or DejaVu Sans, in px."""
    total = 0.0
    for letter in text:
        if letter in _NARROW:
            total += 4.0
        elif letter in _BROAD:
            total += 10.2
        elif letter.isupper() or letter.isdigit():
            total += 7.4
        else:
            total += 6.6
    return round(total, 1)


def badge(model: str, device: str, size: Size, speed: str | None) -> bytes:
    """The picture of one pair; ``speed`` is text such as "118 tok/s", None where not known."""
    verdict = size.fit.verdict
    runs = RUNS.get(verdict)
    if runs is None:
        answer = f"{NOT.get(verdict, NOT['unknown'])} {device}"
    else:
        answer = f"{runs} on {device}" + (f" · {speed}" if speed else "")
    return draw(model, answer, COLOURS.get(verdict, NEUTRAL)).encode()


def draw(left: str, right: str, colour: str) -> str:
    """Two fields side by side; the texts are escaped here."""
    left_width, right_width = width(left), width(right)
    edge = left_width + 2.0 * _PAD
    total = edge + right_width + 2.0 * _PAD
    left, right = escape(left), escape(right)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total:.0f}" height="20" '
        f'viewBox="0 0 {total:.1f} 20" role="img"><title>{left}: {right}</title>'
        f'<rect width="{total:.1f}" height="20" rx="3" fill="#2b333d"/>'
        f'<path d="M{edge:.1f} 0H{total - 3.0:.1f}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{edge:.1f}z" '
        f'fill="{colour}"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{_PAD:.0f}" y="14" textLength="{left_width}">{left}</text>'
        f'<text x="{edge + _PAD:.1f}" y="14" textLength="{right_width}">{right}</text></g></svg>\n'
    )
