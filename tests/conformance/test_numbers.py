"""Intl in Node prints numbers as Babel does in Python."""

from __future__ import annotations

import json

import pytest
from javascript import HERE, run_node
from numbers_as_text import FORMATS, LOCALES, expected, numbers, question

FORMAT_JS = HERE.parents[1] / "templates/assets/js/format.js"


@pytest.mark.parametrize("locale", LOCALES)
def test_node_prints_numbers_as_python_does(locale: str) -> None:
    text = run_node(
        HERE / "format_in_node.mjs", str(FORMAT_JS), locale, text=json.dumps(question())
    )
    found, wanted = json.loads(text), expected(locale)
    assert len(found) == len(wanted) == 1_000
    for value, one, other in zip(numbers(), found, wanted, strict=True):
        for (name, _, more), text_there, text_here in zip(FORMATS, one, other, strict=True):
            assert text_there == text_here, (name, value, more)
