from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from babel.support import NullTranslations
from jinja2 import Environment, UndefinedError
from markupsafe import Markup

from vramsite.site.assets import AssetError, Assets
from vramsite.site.prose import ProseError, load_prose
from vramsite.site.render import CSP, make_environment
from vramsite.site.urls import Urls
from vramsite.site.writing import FolderWriter

MACROS = """
{% macro cell(name, size) %}<td>{{ name }}</td><td>{{ size|gib }}</td>{% endmacro %}
"""


@pytest.fixture
def env(tmp_path: Path) -> Environment:
    (tmp_path / "rows.html").write_text(MACROS)
    return make_environment(
        tmp_path,
        "de",
        ("en", "de"),
        NullTranslations(),
        Urls.from_base_url("https://example.org/repo/"),
        Assets.from_files({"style.css": b"a {}"}),
    )


@pytest.mark.parametrize(
    ("template", "names", "text"),
    [
        ("{{ x|gib }}", {"x": 1.5 * 2**30}, "1,50\u00a0GiB"),
        ("{{ url('pair', 'a', 'b') }}", {}, "/repo/de/models/a/b/"),
        ("{{ x }}", {"x": "<b>&"}, "&lt;b&gt;&amp;"),
        ("{{ csp }}", {}, CSP),
        ("{{ noindex }}", {}, '<meta name="robots" content="noindex, follow">'),
        ("{{ languages['de'] }}", {}, "Deutsch"),
        ("{{ _('%(share)s of all', share=x|percent) }}", {"x": 0.5}, "50\u00a0% of all"),
        ("{% trans %}\n  two\n  lines\n{% endtrans %}", {}, "two lines"),
        ("{% trans name=x %}to {{ name }}{% endtrans %}", {"x": "<"}, "to &lt;"),
    ],
)
def test_templates_have_what_they_need(
    env: Environment, template: str, names: dict[str, object], text: str
) -> None:
    assert env.from_string(template).render(**names) == text


@pytest.mark.parametrize("value", [1.5, None, 12345, True])
def test_an_unformatted_value_stops_the_page(env: Environment, value: object) -> None:
    with pytest.raises(TypeError):
        env.from_string("{{ x }}").render(x=value)


def test_an_unknown_name_stops_the_page(env: Environment) -> None:
    with pytest.raises(UndefinedError, match="nobody"):
        env.from_string("{{ nobody }}").render()


def test_a_fragment_is_rendered_once_a_key(env: Environment) -> None:
    template = env.from_string("{{ fragment('rows.html', 'cell', key, name, size) }}")
    first = template.render(key="a", name="<a>", size=2.0**30)
    assert first == "<td>&lt;a&gt;</td><td>1,00\u00a0GiB</td>"
    assert template.render(key="a", name="other", size=0.0) == first
    assert template.render(key="b", name="other", size=0.0) != first


def test_assets_are_addressed_by_content(env: Environment) -> None:
    one = Assets.from_files({"style.css": b"a {}", "page.js": b"1"})
    same = Assets.from_files({"page.js": b"1", "style.css": b"a {}"})
    other = Assets.from_files({"style.css": b"a{}", "page.js": b"1"})
    assert one == same
    assert one.folder != other.folder
    assert one.relative("page.js") == f"{one.folder}page.js"
    address = env.from_string("{{ asset('style.css') }}").render()
    assert address.startswith("/repo/assets/")
    with pytest.raises(AssetError, match=r"no asset 'a.css'"):
        one.relative("a.css")


def test_assets_are_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/deep/page.js").write_bytes(b"1")
    (tmp_path / "in/.hidden").write_bytes(b"no")
    assets = Assets.from_folder(tmp_path / "in", {"made.js": b"22"})
    assert list(assets.files) == ["deep/page.js", "made.js"]
    writer = FolderWriter(tmp_path / "out")
    assets.write(writer)
    assert sum(facts.size for facts in writer.take()[0].values()) == 3
    assert (tmp_path / "out" / assets.relative("deep/page.js")).read_bytes() == b"1"


def test_prose_is_markdown_with_values(tmp_path: Path, env: Environment) -> None:
    path = tmp_path / "prose/de/about.md"
    path.parent.mkdir(parents=True)
    path.write_text("# Über uns\n\n## Speicher\n\nEs sind {{ size|gib }}.\n\n|a|b|\n|-|-|\n|1|2|\n")
    prose = load_prose(tmp_path, env, "de", "about", size=2.5 * 2**30)
    assert prose.title == "Über uns"
    assert '<h2 id="speicher">Speicher</h2>' in prose.body
    assert "<p>Es sind 2,50\u00a0GiB.</p>" in prose.body
    assert "<table>" in prose.body
    assert 'href="#speicher"' in prose.toc
    assert isinstance(prose.body, Markup)


def test_prose_that_is_missing_or_untitled_is_an_error(tmp_path: Path, env: Environment) -> None:
    with pytest.raises(ProseError, match=r"about\.md"):
        load_prose(tmp_path, env, "de", "about")
    (tmp_path / "prose/de").mkdir(parents=True)
    (tmp_path / "prose/de/about.md").write_text("no title\n")
    with pytest.raises(ProseError, match="first line"):
        load_prose(tmp_path, env, "de", "about")


def test_words_are_rendered_once_for_the_same_arguments(tmp_path: Path) -> None:
    shown: list[str] = []

    @dataclass(frozen=True)
    class Code:
        name: str

        @property
        def text(self) -> str:
            shown.append(self.name)
            return self.name

    (tmp_path / "components").mkdir()
    (tmp_path / "components/words.html").write_text(
        "{% macro word(code) %}<i>{{ code.text }}</i>{% endmacro %}"
        "{% macro echo(text) %}{{ text }}{% endmacro %}"
    )
    env = make_environment(
        tmp_path,
        "en",
        ("en",),
        NullTranslations(),
        Urls.from_base_url("https://example.org/"),
        Assets.from_files({}),
    )
    start = '{% import "components/words.html" as words %}'
    template = env.from_string(start + "{{ words.word(x) }}")
    pages = [template.render(x=Code(name)) for name in ("<", ">", "<")]
    assert pages == ["<i>&lt;</i>", "<i>&gt;</i>", "<i>&lt;</i>"]
    assert shown == ["<", ">"]
    template = env.from_string(start + "{{ words.echo(x) }}")
    assert [template.render(x=x) for x in ("<", Markup("<"), "<")] == ["&lt;", "<", "&lt;"]


def test_assets_kept_from_the_last_site_have_their_addresses_and_hashes(tmp_path: Path) -> None:
    (tmp_path / "page.js").write_bytes(b"1")
    made = Assets.from_folder(tmp_path, {"page.js": b"22", "b.js": b"3"})  # made over its source
    kept = Assets.kept(*made.to_keep())
    assert kept.relative("page.js") == made.relative("page.js")
    # echo -n 22 | openssl dgst -sha256 -binary | base64
    assert kept.integrity("page.js") == "sha256-eF8+x+sy8wuQzQ/PNlfTiLX/Qpfy+XFv9m6bacBd3Qk="
    with pytest.raises(AssetError, match=r"no asset 'a\.js'; there are: b\.js, page\.js"):
        kept.integrity("a.js")
