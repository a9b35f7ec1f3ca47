"""Extraction, compilation and the faults of catalogs, on a made-up project."""

from __future__ import annotations

from pathlib import Path

import pytest

from vramsite.site.i18n import (
    I18nError,
    add_locale,
    catalog_faults,
    discover_locales,
    extract_messages,
    load_translations,
    native_name,
    placeholders,
    po_path,
    update_catalogs,
)

TEMPLATE = """
{% trans %}
  Memory
  needed
{% endtrans %}
{{ _("Fits on %(device)s", device=name) }}
{% trans count=n %}One device{% pluralize %}{{ count }} devices{% endtrans %}
"""
PYTHON = 'def words(_: object) -> object:\n    return _("Verdict")\n'
HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
GOOD = (
    HEADER
    + """msgid "Memory needed"
msgstr "Nötiger Speicher"

msgid "Fits on %(device)s"
msgstr "Passt auf %(device)s"

msgid "One device"
msgid_plural "%(count)s devices"
msgstr[0] "Ein Gerät"
msgstr[1] "%(count)s Geräte"

msgid "Verdict"
msgstr "Urteil"
"""
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "templates/pages/page.html", TEMPLATE)
    write(tmp_path / "src/vramsite/report/words.py", PYTHON)
    write(tmp_path / "locales/de/LC_MESSAGES/messages.po", GOOD)
    update_catalogs(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def edit_po(root: Path, old: str, new: str) -> None:
    path = po_path(root / "locales", "de")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_templates_and_python_are_extracted(root: Path) -> None:
    ids = {message.id for message in extract_messages(root) if message.id}
    plural = ("One device", "%(count)s devices")
    assert ids == {"Memory needed", "Fits on %(device)s", plural, "Verdict"}


def test_a_complete_catalog_has_no_faults(root: Path) -> None:
    assert catalog_faults(root) == []
    assert update_catalogs(root) == []  # and nothing to write


def test_messages_compile_in_memory(root: Path) -> None:
    translations = load_translations(root / "locales", "de")
    assert translations.gettext("Verdict") == "Urteil"
    assert translations.ngettext("One device", "%(count)s devices", 2) == "%(count)s Geräte"
    assert load_translations(root / "locales", "en").gettext("Verdict") == "Verdict"
    assert not list(root.rglob("*.mo"))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('msgstr "Urteil"', 'msgstr ""', "missing translation of 'Verdict'"),
        ('msgid "Verdict"', '#, fuzzy\nmsgid "Verdict"', "fuzzy translation of 'Verdict'"),
        ("Passt auf %(device)s", "Passt auf %(gerät)s", "placeholders of 'Fits on"),
        ("Passt auf %(device)s", "Passt darauf", "placeholders of 'Fits on"),
        ('msgstr[1] "%(count)s Geräte"', 'msgstr[1] ""', "missing plural form"),
    ],
)
def test_each_fault_is_named(root: Path, old: str, new: str, fault: str) -> None:
    edit_po(root, old, new)
    faults = catalog_faults(root)
    assert len(faults) == 1
    assert fault in faults[0]
    assert "locales/de/LC_MESSAGES/messages.po" in faults[0]


def test_a_fuzzy_message_is_not_shown(root: Path) -> None:
    edit_po(root, 'msgid "Verdict"', '#, fuzzy\nmsgid "Verdict"')
    assert load_translations(root / "locales", "de").gettext("Verdict") == "Verdict"


def test_a_new_message_makes_the_files_stale_until_they_are_updated(root: Path) -> None:
    write(root / "templates/pages/more.html", '{{ _("Speed") }}')
    faults = catalog_faults(root)
    assert any("messages.pot is stale" in fault for fault in faults)
    changed = {path.name for path in update_catalogs(root)}
    assert changed == {"messages.pot", "messages.po"}
    (missing,) = catalog_faults(root)
    assert "missing translation of 'Speed'" in missing


def test_a_message_that_is_gone_is_dropped(root: Path) -> None:
    (root / "src/vramsite/report/words.py").write_text("")
    update_catalogs(root)
    assert "Verdict" not in po_path(root / "locales", "de").read_text(encoding="utf-8")
    assert catalog_faults(root) == []


def test_moving_a_message_changes_no_file(root: Path) -> None:
    write(root / "templates/pages/page.html", "\n\n\n" + TEMPLATE)
    assert update_catalogs(root) == []


def test_a_template_that_does_not_parse_is_an_error(root: Path) -> None:
    write(root / "templates/pages/page.html", "{% trans %}never closed")
    with pytest.raises(Exception, match="unclosed translation block"):
        extract_messages(root)


def test_one_folder_adds_a_language(root: Path) -> None:
    assert discover_locales(root / "locales") == ("en", "de")
    write(root / "locales/pt_BR/LC_MESSAGES/messages.po", HEADER)
    assert discover_locales(root / "locales") == ("en", "de", "pt-BR")


def test_a_new_language_starts_with_every_message_missing(root: Path) -> None:
    add_locale(root, "pt-BR")
    faults = catalog_faults(root)
    assert len(faults) == 4
    assert all("pt_BR" in fault and "missing" in fault for fault in faults)
    with pytest.raises(I18nError, match="exists"):
        add_locale(root, "pt-BR")


@pytest.mark.parametrize("name", ["xx_bogus", "deutsch"])
def test_an_unknown_language_is_an_error(root: Path, name: str) -> None:
    write(root / f"locales/{name}/LC_MESSAGES/messages.po", HEADER)
    with pytest.raises(I18nError, match=name):
        discover_locales(root / "locales")


def test_a_folder_without_messages_is_an_error(root: Path) -> None:
    (root / "locales/fr").mkdir()
    with pytest.raises(I18nError, match=r"messages\.po is missing"):
        discover_locales(root / "locales")


def test_placeholders() -> None:
    assert placeholders("%(a)s of {b}, %s, 100%% {}") == {"%(a)s", "{b}", "%s", "{}"}
    assert placeholders("100%") == set()


def test_native_names() -> None:
    assert [native_name(code) for code in ("en", "de", "fr")] == ["English", "Deutsch", "Français"]
