"""The same in a real Chromium: answers of the engine and numbers as text."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from chromium import page_over
from flatten import difference
from ground_truth import ROOT, Ground
from javascript import HERE
from numbers_as_text import LOCALES, expected, question

pytestmark = pytest.mark.browser

SAMPLE = 1_000
ANSWERS = """async () => {
  const [{ answerAll }, engine, whole, slices, cases] = await Promise.all([
    import("/answer_all.mjs"),
    import("/engine.mjs"),
    import("/whole.mjs"),
    fetch("/slices.json").then((answer) => answer.json()),
    fetch("/cases.json").then((answer) => answer.json()),
  ]);
  return answerAll({ engine, whole, ...slices, ...cases });
}"""
TEXTS = """async ([locale, asked]) => {
  const [{ formatAll }, { formatter }] = await Promise.all([
    import("/format_all.mjs"),
    import("/format.js"),
  ]);
  return formatAll(formatter, locale, asked);
}"""


def test_chromium_does_as_python_does(ground: Ground, browser: Any) -> None:
    for path in (
        HERE / "answer_all.mjs",
        HERE / "format_all.mjs",
        ROOT / "templates/assets/js/format.js",
    ):
        shutil.copy(path, ground.folder)
    cases = ground.cases(SAMPLE)
    with page_over(browser, ground.folder) as page:
        found = page.evaluate(ANSWERS)
        texts = {locale: page.evaluate(TEXTS, [locale, question()]) for locale in LOCALES}
    wanted = ground.answers(cases)
    assert len(found) == len(wanted) >= SAMPLE
    wrong = [place for place in range(len(cases)) if found[place] != wanted[place]]
    text = "\n".join(
        f"{cases[place]}: {difference(wanted[place], found[place])}" for place in wrong[:5]
    )
    assert not wrong, f"{len(wrong)} of {len(cases)} answers differ:\n{text}"
    for locale in LOCALES:
        assert texts[locale] == expected(locale)
