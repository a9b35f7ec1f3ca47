"""The project's own languages are complete and up to date."""

from __future__ import annotations

from pathlib import Path

from vramsite.site.i18n import catalog_faults, discover_locales

ROOT = Path(__file__).resolve().parents[2]


def test_every_message_is_translated() -> None:
    assert catalog_faults(ROOT) == []


def test_english_and_german_are_there() -> None:
    assert discover_locales(ROOT / "locales")[:2] == ("en", "de")


def test_every_text_exists_in_every_language() -> None:
    prose = ROOT / "templates" / "prose"
    english = {path.name for path in (prose / "en").glob("*.md")}
    assert english
    for locale in discover_locales(ROOT / "locales"):
        assert {path.name for path in (prose / locale).glob("*.md")} == english
