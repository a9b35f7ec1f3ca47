"""Templates compiled for the browser: what is translated, escaped and refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment

from vramsite.site.assets import Assets
from vramsite.site.i18n import load_translations
from vramsite.site.render import make_environment
from vramsite.site.template_js import TemplateError, compile_macros
from vramsite.site.urls import Urls

ROOT = Path(__file__).resolve().parents[2]
MARKUP = ROOT / "templates/assets/js/markup.js"
FORMAT = ROOT / "templates/assets/js/format.js"

PO = """msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "%(count)s layer of %(name)s"
msgid_plural "%(count)s layers of %(name)s"
msgstr[0] "%(count)s Schicht von %(name)s"
msgstr[1] "%(count)s Schichten von %(name)s"

msgid "It needs %(size)s, 100 %% of it"
msgstr "Zu 100 %% sind es %(size)s"
"""

PARTS = """{% macro word(code) %}
{% if code == "a" %}A & B{% else %}{{ code }}{% endif %}
{% endmacro %}
{% macro cell(text, thin=false) -%}
<td{% if thin %} class="thin"{% endif %}>{{ text }}</td>
{%- endmacro %}
"""

CASES = [
    ("{{ v.name }}", "&lt;a href=&#34;x&#34;&gt;"),
    ("{{ word('a') }}|{{ word(v.name) }}", "A & B|"),
    ("{{ cell(v.name, true) }}{{ cell('x') }}{{ cell(text='y', thin=true) }}", "<td>"),
    ("{% set n = v.bytes|gib %}{{ n }} {{ v.bytes|data('gib') }}", "GiB"),
    ("{% trans size=v.bytes|gib %}It needs {{ size }}, 100 % of it{% endtrans %}", "100"),
    (
        "{% for c in [1, 2] %}{% trans count=c, name=v.name %}{{ count }} layer of {{ name }}"
        "{% pluralize count %}{{ count }} layers of {{ name }}{% endtrans %}"
        "{{ ';' if not loop.last }}{% endfor %}",
        ";",
    ),
    ("{% for x in v.empty %}{{ x }}{% else %}none{% endfor %}", "none"),
    ("{% for a, b in v.pairs %}{{ a }}={{ b }} {% endfor %}", "k=v"),
    ("{% if v.empty %}yes{% elif v.missing is none %}missing{% endif %}", "missing"),
    ("{% if not v.empty and v.name is not none %}{{ v.name|length }}{% endif %}", ""),
    ("{{ v.missing or _('It is') }}|{{ ' x '|trim }}|{{ v.bytes|svg(0) }}", "|x|"),
    ("{{ fragment('parts.html', 'cell', 7, v.name) }}{{ url('pair', v.id, 'b') }}", "/de/models/"),
    ("{{ 'in' if v.id in ['m', 'n'] else 'out' }}{{ fmt.span(1.0, 2.5) }}", "in"),
    ("{{ v.name ~ ' <' ~ word('a') }}", "&lt;"),
]
VIEW = {
    "name": '<a href="x">',
    "bytes": 3.5 * 2**30,
    "empty": [],
    "pairs": [["k", "v"], ["l", "w"]],
    "missing": None,
    "id": "m",
}


def environment(tmp_path: Path, template: str) -> Environment:
    locale = tmp_path / "locales/de/LC_MESSAGES"
    locale.mkdir(parents=True)
    (locale / "messages.po").write_text(PO, encoding="utf-8")
    templates = tmp_path / "templates"
    templates.mkdir()
    (templates / "parts.html").write_text(PARTS, encoding="utf-8")
    head = '{% from "parts.html" import word, cell %}\n'
    (templates / "page.html").write_text(head + template, encoding="utf-8")
    return make_environment(
        templates,
        "de",
        ("en", "de"),
        load_translations(tmp_path / "locales", "de"),
        Urls.from_base_url("https://example.org/"),
        Assets.from_files({}),
    )


def test_the_browser_prints_what_jinja_prints(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    macros = "".join(
        f"{{% macro m{place}(v) %}}{text}{{% endmacro %}}\n"
        for place, (text, _) in enumerate(CASES)
    )
    env = environment(tmp_path, macros)
    names = {f"m{place}": ("page.html", f"m{place}") for place in range(len(CASES))}
    module = tmp_path / "parts.mjs"
    module.write_text(compile_macros(env, names, "/", frozenset()), encoding="utf-8")
    script = tmp_path / "run.mjs"
    script.write_text(
        f"""import {{ helpers }} from {json.dumps(MARKUP.as_uri())};
        import {{ formatter }} from {json.dumps(FORMAT.as_uri())};
        import parts from {json.dumps(module.as_uri())};
        const made = parts(helpers(formatter("de")));
        const view = {json.dumps(VIEW)};
        const drawn = {json.dumps(list(names))}.map((name) => String(made[name](view)));
        console.log(JSON.stringify(drawn));
        """,
        encoding="utf-8",
    )
    answer = subprocess.run([node, script], capture_output=True, text=True, check=True)
    template = env.get_template("page.html").module
    view = SimpleNamespace(**VIEW)
    wanted = [str(getattr(template, name)(view)) for name in names]
    assert json.loads(answer.stdout) == wanted
    for (_, part), text in zip(CASES, wanted, strict=True):
        assert part in text


@pytest.mark.parametrize(
    ("template", "found"),
    [
        ("{{ 1 + v.bytes }}", "Add"),
        ("{{ unknown }}", "the name 'unknown'"),
        ("{{ v.name|upper }}", "the filter 'upper'"),
        ("{{ v.call() }}", "this call"),
        ("{% if v.bytes is even %}x{% endif %}", "the test 'even'"),
        ("{% if 1 < v.bytes < 3 %}x{% endif %}", "a chain of comparisons"),
        ("{{ url('nowhere') }}", "a link to 'nowhere'"),
        ("{{ cell('a', wide=true) }}", "other parameters"),
    ],
)
def test_what_is_not_known_is_refused_with_template_and_line(
    tmp_path: Path, template: str, found: str
) -> None:
    env = environment(tmp_path, f"\n{{% macro m(v) %}}{template}{{% endmacro %}}\n")
    with pytest.raises(TemplateError, match=r"templates/page\.html:3: .*cannot be drawn") as caught:
        compile_macros(env, {"m": ("page.html", "m")}, "/", frozenset())
    assert found in str(caught.value)


def test_templates_given_by_the_server_pass_through(tmp_path: Path) -> None:
    env = environment(tmp_path, "{% macro m(v) %}{{ word(v) }}{% endmacro %}\n")
    text = compile_macros(env, {"m": ("page.html", "m")}, "/", frozenset({"parts.html"}))
    assert 'parts_word=a=>a??""' in text
    assert "A & B" not in text
