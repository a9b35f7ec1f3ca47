"""`vramsite accuracy speed`: predicted against measured speeds, on any file of rows.

The site's own coefficients are used, so on rows of data/measurements/ the errors are in sample;
the report of `vramsite calibrate` has those of rows left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from vramsite.catalog import Catalog, MeasurementRow
from vramsite.catalog.calibration import coefficients, load_calibration
from vramsite.evidence.measurement_file import RowFault, read_rows
from vramsite.evidence.speed_case import SPEED_METRICS, CaseReader, CaseRefusedError, SpeedCase
from vramsite.evidence.speed_parts import total_rate
from vramsite.evidence.statistics import quantile
from vramsite.sizing.records import Estimate
from vramsite.sizing.speed import decode_total, prefill, ttft
from vramsite.sizing.speed_records import SpeedCoefficients

Summary = dict[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Compared:
    """One row, predicted; value and bounds in the unit of its metric."""

    row: MeasurementRow
    case: SpeedCase
    measured: float
    predicted: float
    low: float
    high: float
    basis: str

    @property
    def ratio(self) -> float:
        """Predicted / measured."""
        return self.predicted / self.measured

    @property
    def covered(self) -> bool:
        """Whether the 80 % interval holds the measured value."""
        return self.low <= self.measured <= self.high


@dataclass(frozen=True, slots=True)
class RefusedSpeed:
    """A usable row that was not predicted, and why."""

    row: MeasurementRow
    reason: str


@dataclass(slots=True)
class SpeedAccuracy:
    """All rows of a file: predicted, refused, and lines that are no rows."""

    compared: list[Compared] = field(default_factory=list)
    refused: list[RefusedSpeed] = field(default_factory=list)
    faults: list[RowFault] = field(default_factory=list)


class SpeedJudge:
    """Predicts measurement rows with the calibration of a data folder."""

    def __init__(self, catalog: Catalog, data_dir: Path) -> None:
        data_dir = data_dir.resolve()
        self._reader = CaseReader(catalog, data_dir)
        self._calibration = load_calibration(data_dir)

    def compare(self, rows: Iterable[MeasurementRow]) -> SpeedAccuracy:
        """Every usable row with both ids and a speed, predicted or refused."""
        result = SpeedAccuracy()
        for row in rows:
            if not row.usable or row.metric not in SPEED_METRICS:
                continue
            if row.model_id is None or row.gpu_id is None:
                continue
            try:
                result.compared.append(self._one(row))
            except (CaseRefusedError, ValueError, KeyError) as error:
                result.refused.append(RefusedSpeed(row, str(error)))
        return result

    def _one(self, row: MeasurementRow) -> Compared:
        case = self._reader.read(row)
        found = coefficients(
            self._calibration,
            self._reader.model,
            case.gpu,
            case.settings,
            case.arch,
            row.power_limit_w,
            row.date,
        )
        estimate = self._estimate(case, found)
        if estimate.value is None or estimate.low is None or estimate.high is None:
            raise CaseRefusedError("bandwidth or matrix throughput of the device are not known")
        scale = 1e3 if row.metric == "ttft_ms" else 1.0
        measured = row.value if row.metric == "ttft_ms" else total_rate(case)
        return Compared(
            row,
            case,
            measured,
            estimate.value * scale,
            estimate.low * scale,
            estimate.high * scale,
            estimate.basis,
        )

    def _estimate(self, case: SpeedCase, found: SpeedCoefficients) -> Estimate:
        arch, work, device, settings = case.arch, case.work, case.device, case.settings
        ram = case.ram_bytes_per_s
        prompt = max(case.prompt_tokens, 1.0)
        if case.row.metric == "ttft_ms":
            return ttft(arch, work, device, settings, found, ram, prompt)
        if case.row.metric == "prefill_tps":
            return prefill(arch, work, device, settings, found, ram, prompt, case.depth_tokens)
        plain = decode_total(
            arch,
            work,
            device,
            settings,
            self._reader.rules,
            found,
            ram,
            case.depth_tokens,
            case.sequences,
        )
        if not case.conditions.wall_clock or case.prompt_tokens <= 1.0:
            return plain
        first = ttft(arch, work, device, settings, found, ram, prompt)
        return _over_whole_request(plain, first, case.conditions.generated_tokens)

    def judge(self, rows_path: Path) -> dict[str, dict[str, Summary]]:
        """{metric: {cut: summary}} of a file of rows; MeasurementFileError where it is none."""
        rows, faults = read_rows(rows_path)
        result = self.compare(rows)
        result.faults = faults
        return summaries(result)


def judge(catalog: Catalog, rows_path: Path, data_dir: Path) -> dict[str, dict[str, Summary]]:
    """The JSON object of `vramsite accuracy speed --rows FILE --json`."""
    return SpeedJudge(catalog, data_dir).judge(rows_path)


def _over_whole_request(plain: Estimate, first: Estimate, generated: float) -> Estimate:
    """The rate over whole requests: each sequence's prompt is processed once."""
    if plain.value is None or first.value is None:
        return plain
    value = 1.0 / (1.0 / plain.value + first.value / generated)
    low = plain.low / plain.value if plain.low is not None else 1.0
    high = plain.high / plain.value if plain.high is not None else 1.0
    return Estimate(
        value=value,
        low=value * low,
        high=value * high,
        basis=plain.basis,
        device_measurements=plain.device_measurements,
        family_measurements=plain.family_measurements,
    )


def model_class(case: SpeedCase) -> str:
    """dense, moe or hybrid (with recurrent layers, experts or not)."""
    if case.work.recurrent_layers > 0.0:
        return "hybrid"
    return "moe" if case.arch.expert_count > 0.0 else "dense"


def summaries(result: SpeedAccuracy) -> dict[str, dict[str, Summary]]:
    """{metric: {cut: count, refused, median, p90, bias, coverage}}.

    Cuts: all; single (one device, one stream, nothing offloaded); engine:, device:, class:,
    streams:, gpus:, offload: and their value. A refused row is counted in the cuts that its own
    columns tell; all and single are there whatever was judged.
    """
    compared: dict[tuple[str, str], list[Compared]] = {}
    refused: dict[tuple[str, str], int] = {}
    for entry in result.compared:
        for cut in [*_row_cuts(entry.row), *_case_cuts(entry.case)]:
            compared.setdefault((entry.row.metric, cut), []).append(entry)
    for missing in result.refused:
        for cut in _row_cuts(missing.row):
            key = (missing.row.metric, cut)
            refused[key] = refused.get(key, 0) + 1
    for fault in result.faults:
        if fault.metric in SPEED_METRICS:
            key = (fault.metric, "all")
            refused[key] = refused.get(key, 0) + 1
    found: dict[str, dict[str, Summary]] = {
        metric: {"all": _summary([], 0), "single": _summary([], 0)} for metric in SPEED_METRICS
    }
    for metric, cut in sorted({*compared, *refused}):
        entries = compared.get((metric, cut), [])
        found[metric][cut] = _summary(entries, refused.get((metric, cut), 0))
    return found


def _row_cuts(row: MeasurementRow) -> Iterator[str]:
    batch = row.batch or 1.0
    yield "all"
    if batch <= 1.0 and row.gpu_count == 1 and row.offload == "none":
        yield "single"
    yield f"engine:{row.engine}"
    yield "streams:one" if batch <= 1.0 else "streams:several"
    yield "gpus:one" if row.gpu_count == 1 else "gpus:several"
    yield "offload:none" if row.offload == "none" else "offload:some"


def _case_cuts(case: SpeedCase) -> Iterator[str]:
    yield f"device:{case.gpu.kind}"
    yield f"class:{model_class(case)}"


def _summary(entries: list[Compared], refused: int) -> Summary:
    errors = sorted(abs(entry.ratio - 1.0) for entry in entries)
    return {
        "count": len(entries),
        "refused": refused,
        "median": quantile(errors, 0.5) if errors else None,
        "p90": quantile(errors, 0.9) if errors else None,
        "bias": median(entry.ratio for entry in entries) if entries else None,
        "coverage": sum(entry.covered for entry in entries) / len(entries) if entries else None,
    }


def text_report(found: dict[str, dict[str, Summary]]) -> str:
    """The same as a table for people."""
    head = f"{'metric':<12} {'cut':<22} {'count':>6} {'refused':>8}"
    lines = [head + f" {'median':>8} {'p90':>8} {'bias':>7} {'coverage':>9}"]
    for metric, cuts in found.items():
        for cut in sorted(cuts, key=lambda name: (name != "all", name != "single", name)):
            entry = cuts[cut]
            cells = [
                _share(entry["median"], 8),
                _share(entry["p90"], 8),
                f"{entry['bias']:>7.3f}" if entry["bias"] is not None else f"{'-':>7}",
                _share(entry["coverage"], 9),
            ]
            lines.append(
                f"{metric:<12} {cut:<22} {entry['count']:>6} {entry['refused']:>8} "
                + " ".join(cells)
            )
    return "\n".join(lines) + "\n"


def _share(value: float | int | None, width: int) -> str:
    return f"{'-':>{width}}" if value is None else f"{value:>{width}.1%}"
