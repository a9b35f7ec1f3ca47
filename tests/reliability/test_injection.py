"""Hostile texts in every free field: the built site is the same tree, and nothing of them runs."""

from __future__ import annotations

import re
import shlex
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hostile_catalog import HOSTILE, HOSTILE_LABELS, write_pair
from outcomes import site_of, spec_of
from small_catalog import dump, plain, write_small
from trees import html_tree, trees

from vramsite.catalog.check import check
from vramsite.site.build import build_site
from vramsite.site.i18n import I18nError, load_translations
from vramsite.site.pages import PageKey

HARMLESS_DIFFERENCES = re.compile(r"^(?:width|viewBox|textLength|x|d|transform)$")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The built hostile site and its plain twin."""
    folder = tmp_path_factory.mktemp("injection")
    hostile, harmless = write_pair(folder)
    assert check(hostile) == check(harmless) == []
    before = set(folder.rglob("*"))
    for data in (hostile, harmless):
        build_site(spec_of(data), data.parent / "out", jobs=1)
    # What a build writes is called after its output folder, and lies in it or beside it.
    written = {path.relative_to(folder) for path in set(folder.rglob("*")) - before}
    assert all(path.parts[1].lstrip(".").startswith("out") for path in written)
    return hostile.parent / "out", harmless.parent / "out"


def differences(one: Any, two: Any, place: str = "") -> list[str]:
    """Where two trees differ, but for the sizes of what holds a text."""
    if type(one) is not type(two):
        return [f"{place}: {one!r:.150} / {two!r:.150}"]
    if isinstance(one, dict):
        if one.keys() != two.keys():
            return [f"{place}: keys {sorted(one.keys() ^ two.keys())[:5]}"]
        names = [name for name in one if not HARMLESS_DIFFERENCES.match(str(name))]
        return [
            text for name in names for text in differences(one[name], two[name], f"{place}/{name}")
        ]
    if isinstance(one, list | tuple):
        if len(one) != len(two):
            return [f"{place}: {len(one)} and {len(two)} parts, {one[:4]!r:.200}"]
        pairs = enumerate(zip(one, two, strict=True))
        return [text for at, (a, b) in pairs for text in differences(a, b, f"{place}/{at}")]
    return [] if one == two else [f"{place}: {one!r:.150} / {two!r:.150}"]


def test_every_file_is_the_same_tree(sites: tuple[Path, Path]) -> None:
    hostile, harmless = (trees(site) for site in sites)
    assert hostile.keys() == harmless.keys()
    assert len([name for name in hostile if name.endswith(".html")]) > 50
    for found in (hostile, harmless):  # the words of a search index are the texts'
        index = found["api/v1/search.json"]
        found["api/v1/search.json"] = {
            name: [entry[:2] for entry in rows] if isinstance(rows, list) else rows
            for name, rows in index.items()
        }
    wrong = {
        name: found[:3]
        for name in hostile
        if name not in (".vramsite",) and (found := differences(hostile[name], harmless[name]))
    }
    assert wrong == {}


def test_no_page_links_to_what_a_text_names(sites: tuple[Path, Path]) -> None:
    for path in sites[0].rglob("*.html"):
        for item in html_tree(path.read_bytes()):
            if isinstance(item, tuple) and isinstance(item[1], list):
                for name, value in item[1]:
                    assert not name.startswith("on"), (path, item)
                    assert name != "style", (path, item)
                    if name in ("href", "src", "action", "content") and ":" in value:
                        assert not value.lower().startswith(("javascript:", "data:", "vbscript:"))
                    if name in ("href", "src", "action", "srcset", "formaction"):
                        assert "evil.example" not in value
                        assert value.startswith(("/", "#", "?", "https://")) or not value


def test_no_cell_of_a_table_is_a_formula(sites: tuple[Path, Path]) -> None:
    import csv

    with (sites[0] / "api/v1/verdicts.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row), row


def test_lists_for_machines_keep_their_form(sites: tuple[Path, Path]) -> None:
    lines = (sites[0] / "llms.txt").read_text(encoding="utf-8").split("\n")
    links = [line for line in lines if line.startswith("- [")]
    assert len(links) >= 10
    for line in links:
        assert re.fullmatch(
            r"- \[(?:[^\[\]\\]|\\.)*\]\(https://example\.org/[^)\s]*\): .*", line
        ), line


@pytest.mark.browser
def test_nothing_runs_in_a_browser(sites: tuple[Path, Path], browser: Any) -> None:
    import threading

    from vramsite.site.serve import SiteServer

    with SiteServer(sites[0], "/", port=0, reload=False) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            _look_at_pages(sites[0], server.url, browser)
        finally:
            server.shutdown()
            thread.join()


def _look_at_pages(site: Path, url: str, browser: Any) -> None:
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: said.append(f"{message.text} {message.location['url']}"))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    names = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    names = [name for name in names if not name.startswith("de/")] + ["de/index.html"]
    names += sorted(path.relative_to(site).as_posix() for path in site.rglob("*.svg"))
    for name in names:
        page.goto(url + name.removesuffix("index.html"))
        assert page.evaluate("window.harmed") is None, name
        assert page.url.startswith(url), name
    # What scripts put into the page is a text too.
    page.goto(f"{url}en/")
    page.locator("[role=combobox]").first.fill("T0")
    page.locator("#search-list [role=option]").first.wait_for(timeout=10_000)
    _untouched(page)
    for name in ("en/find/?d=rtx-4090", "en/compare/?p=qwen3-8b_rtx-4090&p=gpt-oss-20b_rtx-4090",
                 "en/models/qwen3-8b/rtx-4090/?c=16384&q=Q8_0"):  # fmt: skip
        page.goto(url + name)
        page.wait_for_load_state("networkidle")
        _untouched(page)
    assert [text for text in said if "favicon" not in text] == []
    assert all(address.startswith(url) for address in asked)
    page.close()


def _untouched(page: Any) -> None:
    assert page.evaluate("window.harmed") is None
    marks = page.evaluate(
        "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes].map(a => a.name))"
        ".filter(name => name.startsWith('on') || name === 'style' || name === 'autofocus')"
    )
    assert [name for name in marks if name != "style"] == []
    assert page.locator("iframe, object, embed, base, svg[onload], img[src=x]").count() == 0


# Fields that reach a command, and what somebody might put there.
SHELL = [
    "a/b; touch harmed", "a/$(touch harmed)", "a/`touch harmed`", "a/b && sh", "a/b | sh",
    "a/b\nsh", "a/b > x", "--help", "-rf/x", "a/b'c", 'a/b"c', "a/b c", "a/../..", "../b",
    "a/b\\", "a/*", "~/b", "a/{b,c}", "a/b#c", "a/!b", "a/b:c", "a/\u202eb", "a/ｂ", "a/b%0a",
]  # fmt: skip
FIELDS = [
    ("hf_repo",), ("gguf_repo",), ("files", 0, "repo"), ("files", 0, "format"),
    ("files", 0, "note"),    ("checkpoint", "format"),
]  # fmt: skip
_COMMAND = re.compile(r"<pre[^>]*><code>(.*?)</code></pre>", re.S)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_small(tmp_path_factory.mktemp("commands"))


def commands(data: Path) -> list[str]:
    """The lines of every command of a pair's pages."""
    site = site_of(data)
    found = []
    for gpu in ("rtx-4090", "mac-studio-m3-ultra-512gb"):
        html = site.page(PageKey("pair", ("qwen3-8b", gpu)), "en")
        for block in _COMMAND.findall(html):
            found += unescape(re.sub(r"<[^>]*>", "", block)).strip().split("\n")
    return found


def shell_words(line: str) -> list[str]:
    """The words as a shell sees them; what acts on a shell comes out as a word of its own."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&`$")
    lexer.whitespace_split, lexer.commenters = True, "#"
    return list(lexer)


@pytest.mark.parametrize("keys", FIELDS, ids=lambda keys: ".".join(map(str, keys)))
def test_a_value_stays_one_word_of_a_command(small: Path, keys: tuple[str | int, ...]) -> None:
    from hostile_values import spoilt

    path = small / "models/qwen/qwen3-8b.yaml"
    kept, whole = path.read_bytes(), plain(path)
    assert len(commands(small)) >= 4
    try:
        for value in SHELL:
            text = f"named {value} in the repository" if keys[-1] == "note" else value
            content = whole if keys != ("files", 0, "note") else spoilt(
                whole, ("files", 0), {**whole["files"][0], "note": text}
            )  # fmt: skip
            dump(path, content if keys[-1] == "note" else spoilt(whole, keys, text))
            if check(small):
                continue
            for line in commands(small):
                words = shell_words(line)
                assert words == shlex.split(line), line
                assert "harmed" not in line
                assert not any(word in ("--help", "-rf/x") for word in words), line
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize(
    "name",
    ["..", "a..b", ".hidden", "a/b", "A", "a b", "a;b", "-a", "a_b", "ä", "a\u202eb", "a" * 90],
)
@pytest.mark.parametrize("kind", ["models/qwen", "gpus/nvidia", "cloud"])
def test_an_id_cannot_lead_anywhere(small: Path, kind: str, name: str) -> None:
    source = next((small / kind).glob("*.yaml"))
    path = small / kind / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(source.read_bytes())
    try:
        faults = check(small)
        hidden = name.startswith(".")  # not looked at
        assert bool(faults) != hidden
    finally:
        path.unlink()
        if path.parent != small / kind:
            path.parent.rmdir()


@pytest.mark.parametrize("url", [
    "http://a.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x",
    "//a.example",    "https://", "https://a@b.example/", "https://a.example\\@b.example", "https://a.example/<x>",
    "https://a b.example", "ftp://a.example", "https:a.example", " https://a.example",
    "https://a.example/\"x", "https://a.example/'x", "https://a.example\u202e/x",
])  # fmt: skip
def test_links_of_data_are_https(small: Path, url: str) -> None:
    path = small / "cloud/lambda.yaml"
    kept, whole = path.read_bytes(), plain(path)
    whole["offers"][0]["url"] = url
    try:
        dump(path, whole)
        assert any("offers[0].url" in str(fault) for fault in check(small))
    finally:
        path.write_bytes(kept)


def po(text: str, message: str = "Home") -> str:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n'
        f'msgid "{message}"\nmsgstr "{quoted}"\n'
    )


@pytest.mark.parametrize(
    "text", [text for text in [*HOSTILE, *HOSTILE_LABELS] if set(text) & set('<>"') or "%(" in text]
)
def test_a_hostile_translation_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "de/LC_MESSAGES").mkdir(parents=True)
    (tmp_path / "de/LC_MESSAGES/messages.po").write_text(po(text), encoding="utf-8")
    with pytest.raises(I18nError, match=r"messages\.po: (?:markup|placeholders) of 'Home'"):
        load_translations(tmp_path, "de")


def test_markup_that_english_has_may_be_translated(tmp_path: Path) -> None:
    (tmp_path / "de/LC_MESSAGES").mkdir(parents=True)
    path = tmp_path / "de/LC_MESSAGES/messages.po"
    english = "Use <code>%(flag)s</code> here"
    path.write_text(po("Hier <code>%(flag)s</code> nehmen", english), encoding="utf-8")
    assert load_translations(tmp_path, "de").gettext(english) == "Hier <code>%(flag)s</code> nehmen"
    path.write_text(po("Hier <b>%(flag)s</b> nehmen", english), encoding="utf-8")
    with pytest.raises(I18nError, match="markup"):
        load_translations(tmp_path, "de")
