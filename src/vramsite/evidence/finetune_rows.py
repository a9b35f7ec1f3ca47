"""Published peaks of fine-tuning memory as training runs the engine can be asked about.

A file holds a list of rows, or a mapping with the list under `rows`; keys are those of
data/measurements/finetune.yaml. Further keys are ignored, and so are rows that say `usable: 0`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from vramsite.catalog.faults import shortened
from vramsite.evidence.rows import MOST_ROWS, RowsError, file_text

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NEEDED = ("model", "method", "peak_memory_gib")
MOST_DEPTH = 24


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One published peak; None where the row does not say."""

    place: int
    model: str
    model_id: str | None
    shape: Mapping[str, object] | None
    method: str  # full, lora, qlora
    method_name: str  # as written: dora, galore, ...
    base: str | None
    optimizer: str | None
    rank: float | None
    targets: tuple[str, ...] | None
    targets_text: str
    sequence_tokens: float | None
    micro_batch: float | None
    accumulation: float | None
    checkpointing: str | None
    flash_attention: bool | None
    fused_cross_entropy: bool | None
    double_quant: bool | None
    sharding: str
    offload: str
    devices: float
    framework: str
    device: str
    tokens_per_second: float | None
    device_gib: float | None  # of one device, where its name says
    peak_gib: float
    shown_gib: float | None  # what the driver showed, where the row has both
    metric: str
    group: str

    @property
    def label(self) -> str:
        """Names the row in a list of the worst."""
        tokens = f"{self.sequence_tokens:.0f} tokens" if self.sequence_tokens else "? tokens"
        batch = f" x {self.micro_batch:.0f}" if self.micro_batch else ""
        return (
            f"row {self.place}: {self.model} {self.method_name} {self.base}, {tokens}{batch}, "
            f"{self.sharding} x {self.devices:.0f}, {self.framework}, {self.metric}"
        )


def read_training_rows(path: Path) -> list[TrainingRow]:
    """All usable rows. Raises RowsError for a file or a row that cannot be read."""
    data = _load(path)
    if isinstance(data, dict):
        if not isinstance(data.get("rows"), list):
            raise RowsError(f"{path}: a mapping without a list under 'rows'; write a list of rows")
        data = data["rows"]
    if not isinstance(data, list):
        raise RowsError(f"{path}: not a list of rows; each row starts with '- model: ...'")
    if len(data) > MOST_ROWS:
        raise RowsError(f"{path}: more than {MOST_ROWS} rows; split it")
    if not data:
        raise RowsError(f"{path}: holds no rows")
    rows: list[TrainingRow] = []
    faults: list[str] = []
    for place, item in enumerate(data, 1):
        try:
            row = _row(place, item)
        except _FaultError as fault:
            faults.append(f"{path}: row {place}: {fault}")
            if len(faults) >= 10:
                break
        else:
            if row is not None:
                rows.append(row)
    if faults:
        raise RowsError("\n".join(faults))
    return rows


def _load(path: Path) -> object:
    text = file_text(path)
    try:
        _refuse_tricks(path, text)
        result: object = yaml.load(text, Loader=_Loader)
    except RowsError:
        raise
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error)
        raise RowsError(f"{path}{line}: not valid YAML: {problem}") from error
    return result


def _refuse_tricks(path: Path, text: str) -> None:
    # Before anything is built: aliases multiply, and the builder recurses.
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if getattr(event, "anchor", None) is not None:
            raise RowsError(f"{path}{_line(event)}: an alias or anchor; write the value out")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            raise RowsError(f"{path}{_line(event)}: nested deeper than {MOST_DEPTH} levels")


def _line(event: yaml.Event) -> str:
    return f":{event.start_mark.line + 1}" if event.start_mark is not None else ""


class _FaultError(ValueError):
    pass


def _row(place: int, item: object) -> TrainingRow | None:
    if not isinstance(item, dict):
        raise _FaultError("is no mapping of keys to values")
    missing = [key for key in _NEEDED if item.get(key) is None]
    if missing:
        raise _FaultError(f"{', '.join(missing)} missing; needed are {', '.join(_NEEDED)}")
    if item.get("usable") in (0, False, "0"):
        return None
    peak = _number(item, "peak_memory_gib")
    if not peak:
        raise _FaultError("peak_memory_gib: found 0; write the peak of one device in GiB")
    shape = item.get("shape")
    if shape is not None and not isinstance(shape, dict):
        raise _FaultError("shape: is no mapping; write {layers: 32, hidden: 4096, ...}")
    method_name = _text(item, "method").lower()
    targets, targets_text = _targets(item.get("target_modules"))
    return TrainingRow(
        place=place,
        model=_text(item, "model"),
        model_id=_text(item, "model_id") or None,
        shape=shape,
        method=_method(method_name),
        method_name=method_name,
        base=_text(item, "base_precision").lower() or None,
        optimizer=_text(item, "optimizer").lower() or None,
        rank=_number(item, "lora_rank"),
        targets=targets,
        targets_text=targets_text,
        sequence_tokens=_number(item, "seq_len"),
        micro_batch=_number(item, "micro_batch"),
        accumulation=_number(item, "gradient_accumulation"),
        checkpointing=_text(item, "gradient_checkpointing").lower() or None,
        flash_attention=_flag(item, "flash_attention"),
        fused_cross_entropy=_flag(item, "fused_ce"),
        double_quant=_flag(item, "double_quant"),
        sharding=_text(item, "sharding").lower() or "none",
        offload=_text(item, "offload").lower(),
        devices=_number(item, "gpu_count") or 1.0,
        framework=_text(item, "framework"),
        device=_text(item, "gpu"),
        tokens_per_second=_number(item, "tokens_per_second"),
        device_gib=_device_gib(_text(item, "gpu")),
        peak_gib=peak,
        shown_gib=_number(item, "peak_reserved_gib"),
        metric=_text(item, "memory_metric").lower() or "unknown",
        group=_text(item, "group") or _text(item, "source") or "-",
    )


def _device_gib(name: str) -> float | None:
    found = re.search(r"(\d{1,4}) ?GB", name)
    return float(found.group(1)) if found is not None else None


def _method(name: str) -> str:
    if name.startswith("q") and name not in ("qat",):
        return "qlora"
    if name in (
        "full",
        "fft",
        "sft",
        "full-parameter",
        "qat",
        "galore",
        "badam",
        "lisa",
        "pretrain",
    ):
        return "full"
    return "lora"


def _text(item: Mapping[str, object], key: str) -> str:
    value = item.get(key)
    if value is None:
        return ""
    if isinstance(value, list | dict):
        raise _FaultError(f"{key}: found a {type(value).__name__}; write a plain value")
    return str(value).strip()


def _number(item: Mapping[str, object], key: str) -> float | None:
    value = item.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _FaultError(f"{key}: found {shortened(repr(value))}; write a number")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _FaultError(f"{key}: found {shortened(repr(value))}; write a number") from None
    if not 0.0 <= number < 2.0**53:
        raise _FaultError(f"{key}: found {shortened(repr(value))}; write a number from 0 up")
    return number


def _flag(item: Mapping[str, object], key: str) -> bool | None:
    text = _text(item, key).lower()
    if not text:
        return None
    return text not in ("false", "0", "no", "none", "eager")


def _targets(value: object) -> tuple[tuple[str, ...] | None, str]:
    if value is None:
        return None, ""
    if isinstance(value, list):
        names = tuple(str(name).strip().lower() for name in value)
        return names, ", ".join(names)
    if isinstance(value, dict):
        raise _FaultError("target_modules: found a mapping; write a list of names or one text")
    return None, str(value).strip().lower()
