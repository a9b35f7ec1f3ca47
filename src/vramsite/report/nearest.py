"""The published measurements nearest to a pair: what a reader can hold its estimate against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import TYPE_CHECKING

from vramsite.catalog.measurements import measurements
from vramsite.report.measured import address, comparable, published_date

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vramsite.catalog import Catalog, MeasurementRow
    from vramsite.catalog.gpu_record import GpuRecord

SHOWN = 4
ENOUGH = 2  # rows of the pair itself that need no others beside them
SHOWN_OF_OTHERS = 3
LIKE_BANDWIDTH = log(2.0)  # and devices whose bandwidth is
PAGE_BITS = 4.8  # of a weight in the format that pages show by default
PAGE_CONTEXT_TOKENS = 8192.0
PAGE_ENGINE = "llama.cpp"
PAGE_PROMPT_TOKENS = 4096.0
LIKE_ACTIVE = log(2.0)  # models whose active parameters are within a factor of two
SOME_TOKENS = 8192.0  # added to contexts, so that an empty one is not infinitely far
UNDATED_YEAR = 2024.0
# What a difference between a run and the page weighs; all are about the size of 1.
OTHER_ENGINE, CONTEXT, A_YEAR, OTHER_DENSITY, POWER_LIMIT = 0.7, 0.4, 0.2, 0.7, 0.5
UNKNOWN_MODEL = 0.7  # one without a page here
# What it weighs to repeat a row that was chosen already
SAME_SOURCE, SAME_FORMAT, SAME_RUN = 0.6, 0.4, 2.0


@dataclass(frozen=True, slots=True)
class NearRow:
    """One published run of one stream on one device, wholly in its memory.

    `other` names the device or the model where it is not the pair's own; `backend` is given
    where it is not the device's usual one; `prompt_tps` is of the same run, where published;
    `same_source`: it stands where the row above does.
    """

    model_id: str | None
    gpu_id: str
    other: str
    format: str | None
    engine: str
    backend: str
    context_tokens: float | None
    decode_tps: float
    prompt_tps: float | None
    url: str | None
    host: str | None
    date: str | None
    same_source: bool = False


@dataclass(frozen=True, slots=True)
class Nearest:
    """Rows by closeness: of the pair; of the model on devices of the family; of models with about
    as many active parameters on the device; of the model on devices of like bandwidth.
    """

    rows: list[NearRow]
    own: int  # so many of them are of the pair itself

    @property
    def none(self) -> bool:
        """Nothing published is near."""
        return not self.rows


class Published:
    """All comparable runs, by model and by device; made once in a process.

    `about`: a model and a device, the only pair that will be asked for.
    """

    def __init__(self, catalog: Catalog, about: tuple[str, str] | None = None) -> None:
        self._gpus = catalog.gpus
        self._models = catalog.models
        self._by_model: dict[str, list[MeasurementRow]] = {}
        self._by_gpu: dict[str, list[MeasurementRow]] = {}
        self._prompts: dict[tuple[object, ...], MeasurementRow] = {}
        self._aparts: dict[int, float] = {}  # of the rows that are kept, by their id()
        data_dir = catalog.data_dir
        for row in measurements(data_dir, about) if about else measurements(data_dir):
            if row.gpu_id not in catalog.gpus or not comparable(row):
                continue
            if row.metric == "prefill_tps":
                self._keep_prompt(row)
            elif row.metric == "decode_tps":
                self._aparts[id(row)] = _apart(row)
                self._by_gpu.setdefault(row.gpu_id, []).append(row)
                if row.model_id in catalog.models:
                    self._by_model.setdefault(row.model_id, []).append(row)

    def nearest(self, model_id: str, gpu_id: str) -> Nearest:
        """At most four rows. Others than the pair's own only where these are few."""
        gpu = self._gpus[gpu_id]
        of_model = self._by_model.get(model_id, [])
        own = _chosen([row for row in of_model if row.gpu_id == gpu_id], self._aparts)
        chosen = list(own)
        if len(chosen) < ENOUGH:
            family = [row for row in of_model if self._of_family(row, gpu)]
            chosen += _others(family, self._device_distance(gpu), SHOWN_OF_OTHERS - len(chosen))
        if len(chosen) < ENOUGH:
            alike = self._alike(model_id, gpu_id)
            chosen += _others(alike, self._model_distance(model_id), SHOWN_OF_OTHERS - len(chosen))
        if len(chosen) < ENOUGH:
            known = {row.id for row in chosen}
            elsewhere = [
                row for row in of_model if row.id not in known and self._like_device(row, gpu)
            ]
            chosen += _others(elsewhere, self._device_distance(gpu), ENOUGH - len(chosen))
        rows = [self._row(row, model_id, gpu_id) for row in chosen]
        for at in range(1, len(rows)):
            if rows[at].url is not None and rows[at].url == rows[at - 1].url:
                rows[at] = replace(rows[at], same_source=True)
        return Nearest(rows, len(own))

    def _keep_prompt(self, row: MeasurementRow) -> None:
        key = _run(row)
        known = self._prompts.get(key)
        if known is None or _prompt_apart(row) < _prompt_apart(known):
            self._prompts[key] = row

    def _of_family(self, row: MeasurementRow, gpu: GpuRecord) -> bool:
        return row.gpu_id != gpu.id and self._gpus[row.gpu_id or ""].family == gpu.family

    def _like_device(self, row: MeasurementRow, gpu: GpuRecord) -> bool:
        other = self._gpus[row.gpu_id or ""]
        return _ratio(other.bandwidth_gb_s, gpu.bandwidth_gb_s) <= LIKE_BANDWIDTH

    def _alike(self, model_id: str, gpu_id: str) -> list[MeasurementRow]:
        active = self._models[model_id].params_active_b
        return [
            row
            for row in self._by_gpu.get(gpu_id, [])
            if row.model_id != model_id and _ratio(row.params_active_b, active) <= LIKE_ACTIVE
        ]

    def _device_distance(self, gpu: GpuRecord) -> Callable[[MeasurementRow], float]:
        bandwidth = gpu.bandwidth_gb_s
        ratios: dict[str, float] = {}

        def distance(row: MeasurementRow) -> float:
            other = row.gpu_id or ""
            ratio = ratios.get(other)
            if ratio is None:
                ratio = ratios[other] = _ratio(self._gpus[other].bandwidth_gb_s, bandwidth)
            return self._aparts[id(row)] + 2.0 * ratio

        return distance

    def _model_distance(self, model_id: str) -> Callable[[MeasurementRow], float]:
        model = self._models[model_id]
        active = model.params_active_b
        sparse = _sparse(model.params_total, active, 1e9)

        def distance(row: MeasurementRow) -> float:
            apart = self._aparts[id(row)] + 2.0 * _ratio(row.params_active_b, active)
            if _sparse(row.params_total_b, row.params_active_b, 1.0) != sparse:
                apart += OTHER_DENSITY
            return apart if row.model_id in self._models else apart + UNKNOWN_MODEL

        return distance

    def _row(self, row: MeasurementRow, model_id: str, gpu_id: str) -> NearRow:
        gpu = self._gpus[row.gpu_id or ""]
        other = ""
        if row.gpu_id != gpu_id:
            other = gpu.name
        elif row.model_id != model_id:
            known = self._models.get(row.model_id or "")
            other = known.name if known else row.model_name
        usual = gpu.backends[0] if gpu.backends else ""
        prompt = self._prompts.get(_run(row))
        url, host = address(row.source)
        return NearRow(
            model_id=row.model_id,
            gpu_id=gpu.id,
            other=other,
            format=row.quant,
            engine=row.engine,
            backend=row.backend if row.backend and row.backend != usual else "",
            context_tokens=row.context_tokens,
            decode_tps=row.value,
            prompt_tps=prompt.value if prompt else None,
            url=url,
            host=host,
            date=published_date(row.date),
        )


def published(catalog: Catalog, memo: dict[tuple[object, ...], object]) -> Published:
    """The process's own, read when first asked for."""
    found = memo.get(("published",))
    if not isinstance(found, Published):
        found = memo["published",] = Published(catalog)
    return found


def _run(row: MeasurementRow) -> tuple[object, ...]:
    """What the figures of one run have in common."""
    return (
        row.source, row.model_name, row.gpu_id, row.engine, row.backend, row.quant,
        row.context_tokens, row.kv_type, row.flash_attention, row.power_limit_w,
    )  # fmt: skip


def _prompt_apart(row: MeasurementRow) -> float:
    return _ratio(row.prompt_tokens, PAGE_PROMPT_TOKENS)


def _ratio(one: float | None, other: float | None) -> float:
    """How far two sizes are apart on a logarithmic scale; unknown is far."""
    if not one or not other:
        return 3.0
    return abs(log(one / other))


def _sparse(total: float | None, active: float | None, unit: float) -> bool:
    return bool(total and active and total / unit > 1.5 * active)


def _apart(row: MeasurementRow) -> float:
    """How unlike a run is to what pages show by default."""
    apart = _ratio(row.bits_per_weight, PAGE_BITS)
    apart += 0.0 if row.engine == PAGE_ENGINE else OTHER_ENGINE
    context = (row.context_tokens or 0.0) + SOME_TOKENS
    apart += CONTEXT * _ratio(context, PAGE_CONTEXT_TOKENS + SOME_TOKENS)
    apart += 0.0 if row.power_limit_w is None else POWER_LIMIT
    date = published_date(row.date)
    return apart - A_YEAR * (float(date[:4]) - UNDATED_YEAR if date else 0.0)


def _chosen(rows: list[MeasurementRow], aparts: dict[int, float]) -> list[MeasurementRow]:
    """The nearest runs of one pair, of unlike sources and formats where there are some."""
    left = sorted(((aparts[id(row)], row.id, row) for row in rows), key=lambda entry: entry[:2])
    chosen: list[MeasurementRow] = []
    while left and len(chosen) < SHOWN:
        best = min(left, key=lambda entry: (entry[0] + _repeats(entry[2], chosen), entry[1]))
        left.remove(best)
        chosen.append(best[2])
    return chosen


def _others(
    rows: Iterable[MeasurementRow], distance: Callable[[MeasurementRow], float], most: int
) -> list[MeasurementRow]:
    """The nearest run of each model and device, nearest first."""
    best: dict[tuple[str | None, str], tuple[float, str, MeasurementRow]] = {}
    for row in rows:
        entry = (distance(row), row.id, row)
        key = (row.gpu_id, row.model_name)
        if key not in best or entry[:2] < best[key][:2]:
            best[key] = entry
    return [entry[2] for entry in sorted(best.values(), key=lambda entry: entry[:2])[:most]]


def _repeats(row: MeasurementRow, chosen: list[MeasurementRow]) -> float:
    return sum(
        SAME_SOURCE * (other.source == row.source)
        + SAME_FORMAT * (other.quant == row.quant and other.engine == row.engine)
        + SAME_RUN * (_conditions(other) == _conditions(row))
        for other in chosen
    )


def _conditions(row: MeasurementRow) -> tuple[object, ...]:
    return row.quant, row.engine, row.backend, row.context_tokens
