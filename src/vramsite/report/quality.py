"""What is published on the quality of weight formats, for a model or the nearest one measured.

A study is what one source says of one model on one text; only its own rows may be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING

from vramsite.report.choices import MATRIX_FORMATS

if TYPE_CHECKING:
    from datetime import date

    from vramsite.catalog.quant_quality import QualityRow
    from vramsite.report.book import Book

ADDRESS = re.compile(r"https://([A-Za-z0-9.-]+)(?:/[^\s<>\"'()]*)?")
BILLIONS = re.compile(r"(\d+(?:\.\d+)?)B\b")
LEAST_FORMATS = 4  # so many of the usual formats make a study worth standing in for another model
FAR = 9.0


@dataclass(frozen=True, slots=True)
class QualityLine:
    """One format: bits a weight, perplexity over the study's baseline, mean KL divergence."""

    format: str
    imatrix: bool
    bits: float | None
    more_perplexity: float | None
    kld: float | None


@dataclass(frozen=True, slots=True)
class Study:
    """One source on one model; `median` tells that its divergences are medians, not means."""

    model: str
    model_id: str | None
    dataset: str
    url: str | None
    host: str
    as_of: date
    median: bool
    lines: list[QualityLine]

    @property
    def has_perplexity(self) -> bool:
        """Whether any line has a perplexity."""
        return any(line.more_perplexity is not None for line in self.lines)

    @property
    def has_bits(self) -> bool:
        """Whether any line has its bits a weight."""
        return any(line.bits is not None for line in self.lines)

    @property
    def has_divergence(self) -> bool:
        """Whether any line has a KL divergence."""
        return any(line.kld is not None for line in self.lines)


@dataclass(frozen=True, slots=True)
class Quality:
    """What a page shows: studies of the model itself (`own`), or the nearest one of another."""

    own: bool
    studies: list[Study]


def quality(book: Book, model_id: str) -> Quality:
    """The published quality of a model's formats; no studies where nothing is on record."""
    studies = _studies(book)
    own = [study for study in studies if study.model_id == model_id]
    if own:
        # A baseline or noise floor by itself compares nothing.
        return Quality(True, [study for study in own if len(study.lines) > 1] or own)
    card = book.model_card(model_id)
    wide = [study for study in studies if _usual(study) >= LEAST_FORMATS]
    if not wide:
        return Quality(False, [])
    near = min(wide, key=lambda study: _distance(study, card.name, card.params_total))
    lines = [line for line in near.lines if line.format in MATRIX_FORMATS]
    plain = {line.format for line in lines if not line.imatrix}
    shown = [line for line in lines if not line.imatrix or line.format not in plain]
    return Quality(
        False,
        [
            Study(
                model=near.model,
                model_id=near.model_id,
                dataset=near.dataset,
                url=near.url,
                host=near.host,
                as_of=near.as_of,
                median=near.median,
                lines=shown,
            )
        ],
    )


def _usual(study: Study) -> int:
    return len({line.format for line in study.lines} & set(MATRIX_FORMATS))


def _distance(study: Study, name: str, params_total: int | None) -> tuple[bool, float, str]:
    """Another maker's line of models is far, then counts the size its name tells."""
    told = BILLIONS.search(study.model)
    apart = FAR
    if told and params_total:
        apart = abs(log(float(told[1]) * 1e9 / params_total))
    return (_line(study.model) != _line(name), apart, study.model)


def _line(name: str) -> str:
    """The word that a maker's models are called by: Llama-3-8B and Llama 3.1 are llama."""
    letters = re.match(r"[A-Za-z]+", name)
    return letters[0].casefold() if letters else ""


def _studies(book: Book) -> list[Study]:
    known = book.memo.get(("studies",))
    if isinstance(known, list):
        return known
    groups: dict[tuple[str, str, str, bool], list[QualityRow]] = {}
    for row in book.quality_rows():
        if row.ppl_ratio is None and row.ln_ppl_ratio is None and row.kld is None:
            continue
        link = ADDRESS.match(row.source)
        median = (row.kld_statistic or "").startswith("median")
        key = (row.model, link[0] if link else row.source, row.dataset, median)
        groups.setdefault(key, []).append(row)
    found = [_study(rows) for rows in groups.values()]
    book.memo[("studies",)] = found
    return found


def _study(rows: list[QualityRow]) -> Study:
    first = rows[0]
    link = ADDRESS.match(first.source)
    lines = [_line_of(row) for row in rows]
    lines.sort(key=lambda line: (-(line.bits or 0.0), line.kld or 0.0))
    return Study(
        model=first.model,
        model_id=first.model_id,
        dataset=first.dataset,
        url=link[0] if link else None,
        host=link[1] if link else first.source,
        as_of=first.as_of,
        median=(first.kld_statistic or "").startswith("median"),
        lines=lines,
    )


def _line_of(row: QualityRow) -> QualityLine:
    more = None
    if row.ppl_ratio is not None:
        more = row.ppl_ratio - 1.0
    elif row.ln_ppl_ratio is not None:
        more = exp(row.ln_ppl_ratio) - 1.0
    return QualityLine(
        format=row.format,
        imatrix=row.imatrix is not None,
        bits=row.bpw,
        more_perplexity=more,
        kld=row.kld,
    )
