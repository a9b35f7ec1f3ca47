"""Memory against evidence: one judgement a term of a row, and their statistics.

Evidence is llama.cpp's own breakdown (data/evidence/), published logs (data/measurements/), or a
file of somebody else. Nothing is skipped silently: a row that cannot be judged is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vramsite.catalog.measurements import measurements
from vramsite.evidence.accounting import Accountant, RowRefusedError
from vramsite.evidence.pools import judged_pools
from vramsite.evidence.published import MEMORY_METRICS, PublishedMemory
from vramsite.evidence.rows import AccountingRow, RowsFile, WeightRow, read_rows
from vramsite.evidence.run_name import accounting_run, published_run, weight_run
from vramsite.evidence.statistics import Comparison, TermErrors
from vramsite.sizing.errors import SizingError

if TYPE_CHECKING:
    from vramsite.catalog import Catalog, MeasurementRow

OWN_FILES = ("llama_cpp_memory.csv", "llama_cpp_weight_placement.csv", "llama_cpp_weights.csv")
MIB = 2.0**20
Summaries = dict[str, dict[str, Any]]  # by term
# The targets a term in bytes is held to: relative share, or so many bytes, whichever is more.
TIGHT = (0.01, 4.0 * MIB)
LOOSE = (0.05, 32.0 * MIB)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One term of one row: predicted and measured, or the reason why it cannot be judged."""

    term: str
    engine: str
    family: str  # llama.cpp's name of the architecture, "" where it has none
    row: str  # in words
    comparison: Comparison | None
    refusal: str = ""
    unusable: bool = False  # its own source calls it unusable; kept out of the statistics


def judge_memory(catalog: Catalog, data_dir: Path, rows: Path | None) -> Summaries:
    """{term: statistics}; of `rows`, or of our own evidence. Raises RowsError.

    Keys of a term: count, refused, exact, median, p90, p95, max (relative errors), worst (ten
    rows), refused_rows (reasons); bytes and MiB also say what share of rows is within 1 % or
    4 MiB and within 5 % or 32 MiB. Where there are any: unusable (rows that the file itself marks).
    """
    if rows is None:
        return summarised(own_judgements(catalog, data_dir))
    return summarised(judgements(catalog, read_rows(rows)))


def own_judgements(catalog: Catalog, data_dir: Path) -> Iterator[Judgement]:
    """Of data/evidence/, and of the memory figures in data/measurements/."""
    accountant = Accountant(catalog)
    for name in OWN_FILES:
        path = data_dir / "evidence" / name
        if path.is_file():
            yield from judgements(catalog, read_rows(path), accountant)
    yield from _published(catalog, measurements(data_dir))
    for pool in judged_pools(catalog, data_dir):
        family = _family(catalog, pool.model)
        row = pool.comparison.row
        yield Judgement(pool.term, pool.engine, family, row, pool.comparison)


def judgements(
    catalog: Catalog, file: RowsFile, accountant: Accountant | None = None
) -> Iterator[Judgement]:
    """Of all rows of a file, of whatever kind. An accountant keeps what files share."""
    accountant = accountant or Accountant(catalog)
    for row in file.accounting:
        yield from _accounting(catalog, accountant, row)
    for entry in file.weights:
        yield from _weights(catalog, accountant, entry)
    yield from _published(catalog, file.measurements)
    for metric, reason in file.unreadable:
        if metric in MEMORY_METRICS:
            yield Judgement(metric, "", "", reason, None, reason)


def summarised(found: Iterable[Judgement]) -> Summaries:
    """Statistics of each term, in order of appearance."""
    terms: dict[str, TermErrors] = {}
    unusable: dict[str, int] = {}
    for judgement in found:
        errors = terms.setdefault(judgement.term, TermErrors())
        if judgement.unusable:
            unusable[judgement.term] = unusable.get(judgement.term, 0) + 1
        elif judgement.comparison is None:
            errors.refusals.append(judgement.refusal)
        else:
            errors.comparisons.append(judgement.comparison)
    result: Summaries = {}
    for term, errors in terms.items():
        summary: dict[str, Any] = errors.summary()
        scale = MIB if term.endswith("_mib") else 1.0
        if scale != 1.0 or term.endswith("bytes"):
            summary["within_1pct_4mib"] = share_within(errors.comparisons, TIGHT, scale)
            summary["within_5pct_32mib"] = share_within(errors.comparisons, LOOSE, scale)
        if term in unusable:
            summary["unusable"] = unusable[term]
        result[term] = summary
    return result


def share_within(
    found: list[Comparison], limit: tuple[float, float], unit_bytes: float
) -> float | None:
    """Share of comparisons within a relative limit or one in bytes; None where there are none."""
    if not found:
        return None
    within = 0
    for comparison in found:
        off = abs(comparison.predicted - comparison.measured)
        allowed = max(limit[0] * abs(comparison.measured), limit[1] / unit_bytes)
        within += off <= allowed
    return within / len(found)


def memory_text(result: Summaries) -> str:
    """The statistics as a table of plain text, with the worst rows of each term."""
    lines = [
        f"{'term':<22}{'count':>7}{'refused':>9}{'exact':>7}"
        f"{'median':>10}{'p90':>10}{'p95':>10}{'max':>10}{'<1%/4MiB':>10}"
    ]
    for term, summary in result.items():
        shares = "".join(f"{_percent(summary[key]):>10}" for key in ("median", "p90", "p95", "max"))
        lines.append(
            f"{term:<22}{summary['count']:>7}{summary['refused']:>9}{summary['exact']:>7}{shares}"
            f"{_percent(summary.get('within_1pct_4mib')):>10}"
        )
    for term, summary in result.items():
        lines += _details(term, summary)
    return "\n".join(lines)


def _details(term: str, summary: dict[str, Any]) -> list[str]:
    lines = []
    off = [entry for entry in summary["worst"] if entry["error"] > 0.0]
    refused = summary["refused_rows"]
    if off:
        lines += ["", f"{term}: worst rows"]
    for entry in off:
        lines.append(
            f"  {_percent(entry['error']):>8}  {entry['predicted']:>16,.6g} for "
            f"{entry['measured']:,.6g}  {entry['row']}"
        )
    if refused:
        lines += ["", f"{term}: {summary['refused']} refused, for instance"]
        lines += [f"  {reason}" for reason in refused]
    if "unusable" in summary:
        lines += ["", f"{term}: {summary['unusable']} rows that the source marks unusable"]
    return lines


def _percent(value: object) -> str:
    return f"{value:.3%}" if isinstance(value, float) else "-"


def _family(catalog: Catalog, model_id: str | None) -> str:
    model = catalog.models.get(model_id or "")
    return (model.gguf_arch or "") if model else ""


def _accounting(
    catalog: Catalog, accountant: Accountant, row: AccountingRow
) -> Iterator[Judgement]:
    family = _family(catalog, row.model)
    run = accounting_run(catalog, row)
    terms = ["error_rows"] if row.error else list(row.measured)
    predicted: dict[str, float] = {}
    refusal = ""
    refused_as_llama_cpp_does = False
    try:
        predicted = accountant.predict(row)
    except RowRefusedError as reason:
        refusal = str(reason)
    except SizingError as error:
        refusal = f"{row.label}: the engine refuses this: {error.code}"
        refused_as_llama_cpp_does = True
    if row.error and (predicted or refused_as_llama_cpp_does):
        said = 1.0 if refused_as_llama_cpp_does else 0.0
        comparison = Comparison(f"{row.label} ({row.error[:80]})", said, 1.0, run)
        yield Judgement("error_rows", "llama.cpp", family, row.label, comparison)
        return
    for term in terms:
        found = None
        if predicted:
            found = Comparison(row.label, predicted[term], row.measured[term], run)
        yield Judgement(term, "llama.cpp", family, row.label, found, refusal)


def _weights(catalog: Catalog, accountant: Accountant, row: WeightRow) -> Iterator[Judgement]:
    family = _family(catalog, row.model)
    run = weight_run(catalog, row)
    predicted: dict[str, float] = {}
    refusal = ""
    try:
        predicted = accountant.predict_weights(row)
    except RowRefusedError as reason:
        refusal = str(reason)
    for term, measured in row.measured.items():
        found = Comparison(row.label, predicted[term], measured, run) if predicted else None
        yield Judgement(term, "llama.cpp", family, row.label, found, refusal)


def _published(catalog: Catalog, rows: Iterable[MeasurementRow]) -> Iterator[Judgement]:
    engine = PublishedMemory(catalog)
    for row in rows:
        if row.metric not in MEMORY_METRICS:
            continue
        family = _family(catalog, row.model_id)
        label = (
            f"{row.id}: {row.model_id or row.model_name} {row.quant or ''}, {row.engine}, "
            f"{row.gpu_count} x {row.gpu_id or row.gpu_name}, {row.context_tokens or 0:.0f} tokens"
        )
        found = None
        refusal = ""
        if row.usable:
            try:
                run = published_run(catalog, row)
                found = Comparison(label, engine.predict(row), row.value, run)
            except RowRefusedError as reason:
                refusal = f"{row.id}: {reason}"
            except SizingError as error:
                refusal = f"{row.id}: the engine refuses this: {error.code}"
        yield Judgement(row.metric, row.engine, family, label, found, refusal, not row.usable)
