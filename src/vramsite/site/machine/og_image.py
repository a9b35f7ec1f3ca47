"""The picture that goes with a link to a page: 1200 × 630 pixels, drawn when the site is built.

The font is the one that comes with Pillow, so that every machine draws the same bytes. It holds
ASCII and little else: accents are drawn over their letters, what cannot be drawn is left out.

Each ink is drawn by itself, as how much of it lies where; together they are a picture of few
colours, a third as large as one of all, and as quickly packed.
"""

from __future__ import annotations

import hashlib
import io
import json
import unicodedata
from dataclasses import asdict, dataclass
from functools import lru_cache

import PIL
from PIL import Image, ImageChops, ImageColor, ImageDraw, ImageFont

SIZE = (1200, 630)
DRAWING = 2
"""Raise it with every change to what is drawn: it is part of the pictures' names."""

_MARGIN = 72
_GROUND, _INK, _QUIET, _LINE = "#11151b", "#f2f5f9", "#a9b6c4", "#313b48"
ACCENTS = {
    "fits": "#6fdc9c",
    "tight": "#f5c25b",
    "unified": "#8cc4ff",
    "raised": "#8cc4ff",
    "offload": "#ffab75",
    "exceeds": "#a9b6c4",
    "unknown": "#a9b6c4",
}
_PLAIN = str.maketrans({
    "\u00a0": " ", "\u202f": " ", "–": "-", "—": "-", "−": "-", "×": "x", "’": "'", "ß": "ss",
    "“": '"', "”": '"', "„": '"', "…": "...", "·": "·",
})  # fmt: skip
_DIAERESIS = "\u0308"
_NAME_LENGTH = 10
_SHADES = 15  # of an ink at the edge of a letter


@dataclass(frozen=True, slots=True)
class Card:
    """What one picture says: a heading, a line under it, and up to two figures with their text.

    ``verdict`` chooses the colour of the strip at the left and of the figures.
    """

    title: str
    subtitle: str
    figures: tuple[tuple[str, str], ...]
    site: str
    verdict: str = "unified"

    def name(self) -> str:
        """The part of the file's name that tells the content."""
        content = json.dumps([DRAWING, PIL.__version__, asdict(self)], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:_NAME_LENGTH]


def drawable(text: str) -> str:
    """The text in letters that the font has, and those with two dots over them."""
    out: list[str] = []
    for letter in unicodedata.normalize("NFD", text.translate(_PLAIN)):
        if " " <= letter <= "~" or letter == "·" or (letter == _DIAERESIS and out):
            out.append(letter)
    return "".join(out)


def can_draw(text: str) -> bool:
    """Whether nothing but accents gets lost."""
    letters = unicodedata.normalize("NFD", text.translate(_PLAIN))
    kept = drawable(text)
    marks = sum(1 for letter in letters if unicodedata.combining(letter) and letter != _DIAERESIS)
    return len(kept) == len(letters) - marks


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType: no picture can be drawn")
    return font


class _Sheet:
    """A picture in the making: for each ink how much of it lies where, nowhere two of them."""

    def __init__(self) -> None:
        self._inks: dict[str, Image.Image] = {}

    def ink(self, colour: str) -> ImageDraw.ImageDraw:
        """Where to draw, with 255, what is to have a colour."""
        if colour not in self._inks:
            self._inks[colour] = Image.new("L", SIZE)
        return ImageDraw.Draw(self._inks[colour])

    def picture(self) -> Image.Image:
        """All inks on their ground."""
        ground = ImageColor.getrgb(_GROUND)
        palette = [*ground]
        whole = Image.new("L", SIZE)
        for place, (colour, layer) in enumerate(self._inks.items()):
            shades = [(level * _SHADES + 127) // 255 for level in range(256)]
            first = place * _SHADES
            places = [shade and first + shade for shade in shades]
            whole = ImageChops.lighter(whole, layer.point(places))
            for shade in range(1, _SHADES + 1):
                palette += [
                    round(below + (above - below) * shade / _SHADES)
                    for below, above in zip(ground, ImageColor.getrgb(colour), strict=True)
                ]
        whole.putpalette(palette)
        return whole


def _text(sheet: _Sheet, at: tuple[int, int], text: str, size: int, colour: str) -> None:
    """One line whose top left corner is ``at``; dots are set over the letters that want them."""
    draw = sheet.ink(colour)
    font, bold = _font(size), size // 40
    plain = text.replace(_DIAERESIS, "")
    draw.text(at, plain, fill=255, font=font, stroke_width=bold, anchor="la")
    before = ""
    for letter, following in zip(text, text[1:] + " ", strict=True):
        if letter == _DIAERESIS:
            continue
        if following == _DIAERESIS:
            left = at[0] + font.getlength(before)
            _dots(draw, left + font.getlength(letter) / 2, at[1], letter, size)
        before += letter


def _dots(draw: ImageDraw.ImageDraw, middle: float, top: int, letter: str, size: int) -> None:
    radius = max(1.0, size * 0.055)
    height = _font(size).getbbox(letter, anchor="la")[1] + top - radius * 2.6
    for side in (-1, 1):
        x = middle + side * size * 0.115
        draw.ellipse((x - radius, height - radius, x + radius, height + radius), fill=255)


def _fitting(text: str, sizes: tuple[int, ...], width: int) -> tuple[str, int]:
    """The text with the largest size at which it is no wider, cut short at the smallest."""
    for size in sizes:
        if _font(size).getlength(text) <= width:
            return text, size
    while text and _font(sizes[-1]).getlength(text + "...") > width:
        text = text[:-1]
    return text.rstrip() + "...", sizes[-1]


def draw_png(card: Card) -> bytes:
    """The picture; the same card gives the same bytes with the same Pillow."""
    accent = ACCENTS.get(card.verdict, _QUIET)
    sheet = _Sheet()
    width = SIZE[0] - 2 * _MARGIN
    sheet.ink(accent).rectangle((0, 0, 18, SIZE[1]), fill=255)
    title, size = _fitting(drawable(card.title), (84, 76, 68, 60, 52, 44), width)
    _text(sheet, (_MARGIN, 76), title, size, _INK)
    subtitle, size = _fitting(drawable(card.subtitle), (36, 32, 28), width)
    _text(sheet, (_MARGIN, 190), subtitle, size, _QUIET)
    column = width // max(1, len(card.figures))
    for place, (figure, label) in enumerate(card.figures):
        left = _MARGIN + place * column
        text, size = _fitting(drawable(figure), (92, 80, 68, 56), column - 24)
        _text(sheet, (left, 296 + (92 - size) // 2), text, size, accent)
        for row, line in enumerate(_lines(drawable(label), 30, column - 32)[:2]):
            _text(sheet, (left, 410 + row * 40), line, 30, _INK)
    sheet.ink(_LINE).line((_MARGIN, 536, SIZE[0] - _MARGIN, 536), fill=255, width=2)
    _text(sheet, (_MARGIN, 560), drawable(card.site), 28, _QUIET)
    out = io.BytesIO()
    sheet.picture().save(out, "PNG", compress_level=3)
    return out.getvalue()


def _lines(text: str, size: int, width: int) -> list[str]:
    """The text broken at spaces into lines no wider than that."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and _font(size).getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
