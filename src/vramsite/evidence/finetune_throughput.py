"""How much of a device's matrix rate published training runs reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vramsite.evidence.statistics import quantile
from vramsite.sizing.finetune_speed import training_flops_per_token

if TYPE_CHECKING:
    from vramsite.catalog import Catalog
    from vramsite.catalog.finetune_rules import FinetuneRulesFile
    from vramsite.evidence.finetune_cases import TrainingCase

LEAST_TOKENS = 1024.0  # a step with fewer leaves the device idle between kernels
LEAST_ROWS = 5
LEAST_SOURCES = 2


def throughput_shares(
    cases: list[TrainingCase], catalog: Catalog, rules: FinetuneRulesFile
) -> dict[str, dict[str, dict[str, float | int]]]:
    """By device family and method: count, sources, low and high (80 % of the runs).

    Runs on one device alone: whether others mean each or all of their devices is not always said.
    Left out where fewer than five rows of two sources are there.
    """
    shares: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for case in cases:
        found = _share(case, catalog, rules)
        if found is not None:
            family, share = found
            shares.setdefault((family, case.row.method), []).append((case.group, share))
    result: dict[str, dict[str, dict[str, float | int]]] = {}
    for (family, method), pairs in sorted(shares.items()):
        sources = len({group for group, _ in pairs})
        if len(pairs) >= LEAST_ROWS and sources >= LEAST_SOURCES:
            ordered = sorted(share for _, share in pairs)
            result.setdefault(family, {})[method] = {
                "count": len(pairs),
                "sources": sources,
                "low": round(quantile(ordered, 0.1), 3),
                "high": round(quantile(ordered, 0.9), 3),
            }
    return result


def _share(
    case: TrainingCase, catalog: Catalog, rules: FinetuneRulesFile
) -> tuple[str, float] | None:
    row = case.row
    tokens = case.choice.sequence_tokens * case.choice.micro_batch
    if row.tokens_per_second is None or row.devices != 1.0 or tokens < LEAST_TOKENS:
        return None
    names = [name for name in rules.throughput_devices if row.device.startswith(name)]
    if not names or rules.throughput_devices[names[0]] not in catalog.gpus:
        return None
    device = catalog.device(rules.throughput_devices[names[0]])
    if device.bf16_flops is None:
        return None
    work = training_flops_per_token(case.shape, case.experts_used_share, case.choice)
    return device.family, row.tokens_per_second * work / device.bf16_flops
