"""Pictures for links: their size, the same bytes each time, named and kept by their content."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from machine_sample import LOCALES, sample_context
from PIL import Image

from vramsite.site.machine.og_image import Card, can_draw, draw_png, drawable
from vramsite.site.manifest import MANIFEST, manifest_parts
from vramsite.site.pages import PageKey
from vramsite.site.publish import publish, sweep, unfinished
from vramsite.site.writing import MARKER, MARKER_TEXT, FolderWriter

CARD = Card(
    title="Qwen3 8B",
    subtitle="Qwen · 8.2B parameters",
    figures=(("5.6 GiB", "memory"), ("40 tok/s", "on a device with a long name of its own")),
    site="vramsite · example.org",
    verdict="fits",
)


def pixels(card: Card) -> Image.Image:
    image: Image.Image = Image.open(io.BytesIO(draw_png(card)))
    return image


def test_size_and_weight() -> None:
    content = draw_png(CARD)
    image = pixels(CARD)
    assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(content) < 300_000


def test_the_same_card_gives_the_same_bytes_and_another_one_others() -> None:
    assert draw_png(CARD) == draw_png(replace(CARD))
    other = replace(CARD, subtitle="Qwen · 8.3B parameters")
    assert draw_png(other) != draw_png(CARD)
    assert other.name() != CARD.name() == replace(CARD).name()


@pytest.mark.parametrize("length", [1, 60, 400])
def test_a_text_of_any_length_stays_inside(length: int) -> None:
    card = replace(CARD, title="W" * length, figures=(("W" * length, "W " * length),))
    image = pixels(card)
    edge = image.crop((1200 - 60, 0, 1200, 630)).getcolors()
    assert edge is not None
    assert len(edge) == 1  # nothing but the ground


@pytest.mark.parametrize(
    ("text", "drawn", "whole"),
    [
        ("Qwen3 8B · x", "Qwen3 8B · x", True),
        ("5,6\u00a0GiB – Größe", "5,6 GiB - Gro\u0308sse", True),
        ("Café", "Cafe", True),
        ("通义 Qwen", " Qwen", False),
    ],
)
def test_what_the_font_can_draw(text: str, drawn: str, whole: bool) -> None:
    assert drawable(text) == drawn
    assert can_draw(text) is whole


def test_dots_stand_over_their_letter() -> None:
    plain, dotted = pixels(replace(CARD, title="Aug")), pixels(replace(CARD, title="Äüg"))
    title = (0, 40, 1200, 180)
    assert plain.crop(title).tobytes() != dotted.crop(title).tobytes()
    below = (0, 185, 1200, 630)
    assert plain.crop(below).tobytes() == dotted.crop(below).tobytes()


def test_one_picture_a_model_and_language() -> None:
    machine = sample_context().machine
    assert machine is not None
    pages = [PageKey("model", ("small-8b",)), PageKey("pair", ("small-8b", "mid-12gb"))]
    for locale in LOCALES:
        addresses = {machine.image(key, locale) for key in pages}
        assert len(addresses) == 1
        assert addresses.pop().startswith(f"https://example.org/repo/share/{locale}/small-8b.")
    others = {machine.image(key, "en") for key in (PageKey("home"), PageKey("device", ("x",)))}
    assert len(others) == 1


def test_a_picture_is_drawn_once_and_swept_when_nothing_names_it(tmp_path: Path) -> None:
    output = tmp_path / "out"
    drawn: list[str] = []

    def draw(name: str) -> bytes:
        drawn.append(name)
        return b"png"

    def build(names: list[str]) -> None:
        with unfinished(output) as folder:
            writer = FolderWriter(folder, output)
            for name in names:
                writer.write_once(f"share/{name}", partial(draw, name))
            writer.write(MARKER, MARKER_TEXT)
            files = writer.take()[0]
            digests = [(name, files[name].digest) for name in sorted(files)]
            writer.write_parts(MANIFEST, manifest_parts(digests))
            sweep(folder, sorted(files | writer.take()[0]))
            publish(folder, output)

    build(["a.png", "b.png"])
    assert drawn == ["a.png", "b.png"]
    build(["a.png", "c.png"])
    assert drawn == ["a.png", "b.png", "c.png"]
    assert sorted(path.name for path in (output / "share").iterdir()) == ["a.png", "c.png"]
