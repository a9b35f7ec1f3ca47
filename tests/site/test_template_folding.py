"""Templates as they are compiled: constants in place, and nothing unescaped that must not be."""

from __future__ import annotations

from babel.support import NullTranslations
from jinja2 import DictLoader
from markupsafe import Markup

from vramsite.site.translated import LocaleEnvironment


def environment(calls: list[tuple[str, ...]], **templates: str) -> LocaleEnvironment:
    def url(*parts: str) -> str:
        calls.append(parts)
        return "/" + "/".join(parts) + "?a&b"

    def fragment(text: str) -> Markup:
        return Markup("<i>{}</i>").format(text)

    loader = DictLoader({name.replace("_", "."): text for name, text in templates.items()})
    found = LocaleEnvironment(NullTranslations(), loader=loader, autoescape=True)
    found.filters["tons"] = lambda value: f"{value:.1f} t"
    found.plain_filters = {"tons"}
    found.fragment = fragment
    found.globals.update(url=url, locale="en", fragment=fragment)
    return found


def code(env: LocaleEnvironment, name: str) -> str:
    assert env.loader is not None
    return str(env.compile(env.loader.get_source(env, name)[0], name, None, raw=True))


def test_links_with_constant_parts_are_asked_for_once() -> None:
    calls: list[tuple[str, ...]] = []
    env = environment(calls, a_html="{{ url('x') }} {{ locale }}{% if y %}{{ url(y) }}{% endif %}")
    template = env.get_template("a.html")
    assert calls == [("x",)]
    assert template.render(y="z") == "/x?a&amp;b en/z?a&amp;b"
    assert template.render(y="") == "/x?a&amp;b en"
    assert calls == [("x",), ("z",)]


def test_a_name_that_a_template_gives_itself_is_its_own() -> None:
    text = "{% set locale = 'own' %}{{ locale }}{% for url in [len] %}{{ url('abc') }}{% endfor %}"
    assert environment([], a_html=text).get_template("a.html").render(len=len) == "own3"


def test_outputs_beside_each_other_are_one_text() -> None:
    text = "<p>{% trans %}one{% endtrans %} {% trans %}two{% endtrans %}</p>"
    assert "'<p>one two</p>'" in code(environment([], a_html=text), "a.html")


def test_markup_stays_and_text_is_escaped() -> None:
    env = environment(
        [],
        m_html="{% macro b(text) %}<b>{{ text }}</b>{% endmacro %}",
        a_html=(
            "{% import 'm.html' as m %}{% from 'm.html' import b as bold %}"
            "{% macro own(text) %}<u>{{ text }}</u>{% endmacro %}"
            "{{ m.b(t) }}{{ bold(t)|trim }}{{ own(t) }}{{ fragment(t) }}{{ n|tons }}{{ t }}"
        ),
    )
    page = env.get_template("a.html").render(t="<&", n=1.25)
    assert page == "<b>&lt;&amp;</b><b>&lt;&amp;</b><u>&lt;&amp;</u><i>&lt;&amp;</i>1.2 t&lt;&amp;"


def test_a_value_under_the_name_of_a_macro_is_escaped() -> None:
    env = environment(
        [],
        a_html=(
            "{% macro b(text) %}<b>{{ text }}</b>{% endmacro %}"
            "{% for b in [str] %}{{ b('<') }}{% endfor %}"
        ),
    )
    assert env.get_template("a.html").render(str=str) == "&lt;"


def test_macros_take_arguments_as_jinja_does() -> None:
    env = environment(
        [],
        a_html=(
            "{% macro two(a, b='x') %}{{ a }}{{ b }}{% endmacro %}"
            "{% macro around(tag) %}<{{ tag }}>{{ caller() }}</{{ tag }}>{% endmacro %}"
            "{{ two('1') }} {{ two('1', '2') }} {{ two(b='2', a='1') }}"
            "{% call around('p') %}<br>{{ '<' }}{% endcall %}"
        ),
    )
    assert env.get_template("a.html").render() == "1x 12 12<p><br>&lt;</p>"
