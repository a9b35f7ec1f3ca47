"""`vramsite diff`: which pages are new or gone, which numbers changed and by how much."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Any

from vramsite.contribute.diff_prices import PriceChange, price_changes, price_table
from vramsite.contribute.snapshot import NUMBERS

WARN_SHARE = 0.02  # more than this in a number of a model that nobody touched is a warning
SAME_SHARE = 1e-9
MOST_ROWS = 40
_LABELS = {
    "device_bytes": "device memory",
    "host_bytes": "host memory",
    "decode_tps": "decode",
    "prefill_tps": "prefill",
    "ttft_s": "time to first token",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One number of one model over all its devices."""

    model_id: str
    touched: bool  # the model's own file differs
    number: str
    pages: int
    worst_share: float  # signed; the biggest change
    worst_device: str
    before: float
    after: float
    median_share: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs between two snapshots."""

    new_models: list[str]
    gone_models: list[str]
    touched_models: list[str]
    new_devices: list[str]
    gone_devices: list[str]
    touched_devices: list[str]
    new_pairs: int
    gone_pairs: int
    changes: list[Change]
    verdicts: list[tuple[str, str, str]] = field(default_factory=list)  # pair, before, after
    prices: list[PriceChange] = field(default_factory=list)

    @property
    def warnings(self) -> list[Change]:
        """Changes beyond the limit in models that nobody touched."""
        return [
            change
            for change in self.changes
            if not change.touched and abs(change.worst_share) > WARN_SHARE
        ]

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return not (
            self.new_models
            or self.gone_models
            or self.new_devices
            or self.gone_devices
            or self.changes
            or self.verdicts
            or self.prices
        )


def compare(before: dict[str, Any], after: dict[str, Any]) -> Difference:
    """The difference of two snapshots; pairs of a touched device count as touched."""
    models = _touched(before["models"], after["models"])
    devices = _touched(before["devices"], after["devices"])
    old, new = before["pairs"], after["pairs"]
    both = [pair for pair in new if pair in old]
    verdicts = [
        (pair, old[pair]["verdict"], new[pair]["verdict"])
        for pair in both
        if old[pair]["verdict"] != new[pair]["verdict"]
    ]
    return Difference(
        new_models=sorted(set(after["models"]) - set(before["models"])),
        gone_models=sorted(set(before["models"]) - set(after["models"])),
        touched_models=models,
        new_devices=sorted(set(after["devices"]) - set(before["devices"])),
        gone_devices=sorted(set(before["devices"]) - set(after["devices"])),
        touched_devices=devices,
        new_pairs=len(new) - len(both),
        gone_pairs=sum(pair not in new for pair in old),
        changes=_changes(old, new, both, set(models), set(devices)),
        verdicts=verdicts,
        prices=price_changes(before["offers"], after["offers"]),
    )


def _touched(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(name for name in after if name in before and before[name] != after[name])


def _changes(
    old: dict[str, Any], new: dict[str, Any], pairs: list[str], models: set[str], devices: set[str]
) -> list[Change]:
    found: dict[tuple[str, bool, str], list[tuple[float, str, float, float]]] = {}
    for pair in pairs:
        model_id, gpu_id = pair.split(" ")
        touched = model_id in models or gpu_id in devices
        for number in NUMBERS:
            was, now = old[pair].get(number), new[pair].get(number)
            if was is None or now is None or was == now:
                continue
            share = now / was - 1.0 if was else 1.0
            if abs(share) > SAME_SHARE:
                key = (model_id, touched, number)
                found.setdefault(key, []).append((share, gpu_id, was, now))
    changes = []
    for (model_id, touched, number), rows in found.items():
        worst = max(rows, key=lambda row: abs(row[0]))
        changes.append(
            Change(
                model_id=model_id,
                touched=touched,
                number=number,
                pages=len(rows),
                worst_share=worst[0],
                worst_device=worst[1],
                before=worst[2],
                after=worst[3],
                median_share=median(row[0] for row in rows),
            )
        )
    return sorted(changes, key=lambda change: (change.touched, -abs(change.worst_share)))


def difference_text(difference: Difference, base: str, own_code: bool) -> str:
    """The report, in Markdown."""
    lines = [f"## Changes of numbers against `{base}`", ""]
    if not own_code:
        lines += ["Both sides are calculated with the code of this revision.", ""]
    for names, what in (
        (difference.new_models, "new models"),
        (difference.gone_models, "models gone"),
        (difference.new_devices, "new devices"),
        (difference.gone_devices, "devices gone"),
        (difference.touched_models, "models edited"),
        (difference.touched_devices, "devices edited"),
    ):
        if names:
            lines.append(f"- {len(names)} {what}: {_list(names)}")
    if difference.new_pairs or difference.gone_pairs:
        lines.append(
            f"- pair pages in each language: {difference.new_pairs} new, "
            f"{difference.gone_pairs} gone"
        )
    if difference.empty:
        lines.append("No number changes.")
    if difference.warnings:
        count = len({change.model_id for change in difference.warnings})
        lines += [
            "",
            f"**Warning: numbers of {count} models that nobody touched change by more than "
            f"{WARN_SHARE:.0%}.** Say in the pull request why.",
        ]
    if difference.changes:
        lines += _change_table(difference.changes)
    if difference.verdicts:
        lines += _verdict_table(difference.verdicts)
    lines += price_table(difference.prices)
    return "\n".join(lines) + "\n"


def _change_table(changes: list[Change]) -> list[str]:
    lines = [
        "",
        "| | model | number | pages | median | biggest change | on | before | after |",
        "|---|---|---|---:|---:|---:|---|---:|---:|",
    ]
    for change in changes[:MOST_ROWS]:
        mark = "edited" if change.touched else ""
        if not change.touched and abs(change.worst_share) > WARN_SHARE:
            mark = "⚠"
        lines.append(
            f"| {mark} | {change.model_id} | {_LABELS[change.number]} | {change.pages} | "
            f"{change.median_share:+.2%} | {change.worst_share:+.2%} | {change.worst_device} | "
            f"{_value(change.number, change.before)} | {_value(change.number, change.after)} |"
        )
    if len(changes) > MOST_ROWS:
        lines.append(f"| | and {len(changes) - MOST_ROWS} more rows | | | | | | | |")
    return lines


def _verdict_table(verdicts: list[tuple[str, str, str]]) -> list[str]:
    lines = ["", "| pair | verdict before | after |", "|---|---|---|"]
    lines += [f"| {pair} | {was} | {now} |" for pair, was, now in verdicts[:MOST_ROWS]]
    if len(verdicts) > MOST_ROWS:
        lines.append(f"| and {len(verdicts) - MOST_ROWS} more | | |")
    return lines


def _list(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_ROWS])
    return f"{shown}, ..." if len(names) > MOST_ROWS else shown


def _value(number: str, value: float) -> str:
    if number.endswith("_bytes"):
        return f"{value / 2**30:.3f} GiB"
    unit = "s" if number == "ttft_s" else "tok/s"
    return f"{value:,.3g} {unit}" if value < 100 else f"{value:,.0f} {unit}"
