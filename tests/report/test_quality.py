from __future__ import annotations

from datetime import date

import pytest
from made_up_report import made_up_book

from vramsite.catalog.quant_quality import QualityRow
from vramsite.report.quality import quality

FORMATS = ("Q8_0", "Q6_K", "Q4_K_M", "Q2_K")


def row(model, name, **changes):
    facts = {
        "model": model,
        "format": name,
        "dataset": "a text",
        "source": "https://example.org/one (a copy)",
        "as_of": date(2026, 3, 1),
        "ppl_ratio": 1.02,
    }
    return QualityRow(**(facts | changes))


def book_with(*rows):
    book = made_up_book()
    book.quality_rows = lambda: list(rows)
    return book


def test_the_models_own_figures_come_first():
    others = [row("Acme-8B", name) for name in FORMATS]
    mine = [row("Acme small", name, model_id="small-8b") for name in ("Q8_0", "Q4_K_M")]
    found = quality(book_with(*others, *mine), "small-8b")
    assert found.own
    assert [line.format for line in found.studies[0].lines] == ["Q8_0", "Q4_K_M"]


def test_sources_and_texts_are_never_mixed():
    rows = [
        row("Acme small", name, model_id="small-8b", source=source, dataset=text)
        for name in ("Q8_0", "Q4_K_M")
        for source in ("https://example.org/one", "https://example.org/two")
        for text in ("a text", "another text")
    ]
    studies = quality(book_with(*rows), "small-8b").studies
    assert len({(study.url, study.dataset) for study in studies}) == len(studies) == 4


def test_of_other_models_the_same_line_then_the_nearest_size_stands_in():
    rows = [row(model, name) for model in ("Other-8B", "Acme-70B", "Acme-7B") for name in FORMATS]
    found = quality(book_with(*rows), "small-8b")
    assert not found.own
    assert [study.model for study in found.studies] == ["Acme-7B"]


def test_a_few_odd_formats_do_not_stand_in_for_another_model():
    rows = [row("Acme-8B", name) for name in ("Q4_0", "IQ1_S", "Q8_0")]
    assert quality(book_with(*rows), "small-8b").studies == []


def test_a_logarithm_of_the_ratio_becomes_the_ratio():
    # ln 2: twice the perplexity, 100 % more.
    rows = [
        row("Acme", name, model_id="small-8b", ppl_ratio=None, ln_ppl_ratio=0.6931471805599453)
        for name in ("Q4_K_M", "Q2_K")
    ]
    line = quality(book_with(*rows), "small-8b").studies[0].lines[0]
    assert line.more_perplexity == pytest.approx(1.0)
