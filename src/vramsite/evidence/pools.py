"""Published start-up logs of vLLM and SGLang: bytes loaded, the pool, and tokens that it holds."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vramsite.catalog.quant_recipes import load_checkpoint_recipes
from vramsite.evidence.run_name import RunName, device_name, model_name
from vramsite.evidence.statistics import Comparison
from vramsite.sizing.checkpoints import checkpoint_weights
from vramsite.sizing.records import Settings
from vramsite.sizing.vllm_memory import pool_bytes, pool_tokens, split_weight_bytes

if TYPE_CHECKING:
    from vramsite.catalog import Catalog

GIB = 2.0**30


@dataclass(frozen=True, slots=True)
class PoolJudgement:
    """One figure of one log: "loaded_gib", "pool_gib" (from the share that the engine was given of
    the device) or "pool_tokens" (from the size of the pool).
    """

    term: str
    engine: str
    model: str
    comparison: Comparison


def judged_pools(catalog: Catalog, data_dir: Path) -> Iterator[PoolJudgement]:
    """Of data/evidence/paged_pools.csv, where it is there."""
    path = data_dir / "evidence" / "paged_pools.csv"
    if not path.is_file():
        return
    recipes = load_checkpoint_recipes(data_dir)
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            model = row["model"]
            profile = catalog.engines[row["engine"]].profile()
            if profile is None or model not in catalog.models:
                continue
            arch = catalog.architecture(model)
            settings = Settings(
                engine=row["engine"],
                format=row["format"],
                kv_type_k=row["kv_type"],
                kv_type_v=row["kv_type"],
                context_tokens=float(row["sequence_tokens"]),
                gpus=float(row["gpu_count"]),
                split="tensor",
                vision=True,
            )
            label = f"{row['id']}: {model} {row['format']}, {row['engine']}"
            run = RunName(
                model=model_name(catalog, model),
                format=row["format"],
                context_tokens=settings.context_tokens,
                devices=settings.gpus,
                device=device_name(catalog, row["gpu"], row["gpu"]),
            )
            if row["loaded_gib"]:
                weights = checkpoint_weights(arch, recipes[row["format"]])
                loaded = split_weight_bytes(arch, weights, settings, profile) / GIB
                found = Comparison(label, loaded, float(row["loaded_gib"]), run)
                yield PoolJudgement("loaded_gib", row["engine"], model, found)
            device_gib = _device_gib(catalog, row)
            if row["pool_gib"] and row["utilization"] and device_gib is not None:
                given = replace(profile, utilization=float(row["utilization"]))
                if row["step_tokens"]:
                    step = float(row["step_tokens"])
                    given = replace(given, step_tokens=step, step_tokens_large=step)
                left = pool_bytes(
                    arch,
                    checkpoint_weights(arch, recipes[row["format"]]),
                    settings,
                    given,
                    device_gib * GIB,
                    catalog.assumptions.sizing("cuda").runtime_bytes,
                )
                found = Comparison(label, left / GIB, float(row["pool_gib"]), run)
                yield PoolJudgement("pool_gib", row["engine"], model, found)
            if row["pool_tokens"]:
                pool = float(row["pool_gib"]) * GIB
                held = pool_tokens(arch, settings, profile, pool, settings.context_tokens)
                found = Comparison(label, held, float(row["pool_tokens"]), run)
                yield PoolJudgement("pool_tokens", row["engine"], model, found)


def _device_gib(catalog: Catalog, row: dict[str, str]) -> float | None:
    """As the log states it, else as the catalog knows the device."""
    if row["device_gib"]:
        return float(row["device_gib"])
    known = catalog.device(row["gpu"]).capacity_bytes if row["gpu"] in catalog.gpus else None
    return None if known is None else known / GIB
