"""Configurations to ask the engine about: every model, device, engine, format and edge."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from vramsite.catalog import Catalog
from vramsite.site.engine_js.data import SliceMaker, compact
from vramsite.sizing.answer import DeviceFacts, SharedRules
from vramsite.sizing.records import Settings

CONTEXT_EDGES = (1, 2, 255, 256, 257, 4096)
UBATCHES = (64, 100, 128, 256, 512, 513, 1024, 2048)
PARALLEL = (1, 1, 1, 2, 3, 4, 7, 8, 16, 32, 64)

# What a device lacks: fields of its record and of its speed record.
VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "plain": {},
    "no_bandwidth": {"device": {"bandwidth_bytes_per_s": None}},
    "no_compute": {"speed": {"compute_flops": None}},
    "no_memory": {"device": {"usable_bytes": None, "capacity_bytes": None}},
    "no_links": {"device": {"link_bytes_per_s": None, "host_link_bytes_per_s": None}},
    "unified": {"device": {"kind": "unified"}},
    "tiny": {"device": {"usable_bytes": 1.0e8}},
    "huge": {"device": {"usable_bytes": 1.0e13}},
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question. `variant` names what is changed about the device."""

    model_id: str
    gpu_id: str
    settings: Settings
    variant: str = "plain"

    def json(self) -> dict[str, Any]:
        """As it travels to JavaScript."""
        return {
            "model": self.model_id,
            "device": self.gpu_id,
            "settings": compact(self.settings),
            "variant": self.variant,
        }


def changed(facts: DeviceFacts, variant: str) -> DeviceFacts:
    """The device under a variant."""
    change = VARIANTS[variant]
    return replace(
        facts,
        device=replace(facts.device, **change.get("device", {})),
        speed=replace(facts.speed, **change.get("speed", {})),
    )


@dataclass(slots=True)
class CaseMaker:
    """Draws cases, the same ones for the same seed; a share of them for every model."""

    catalog: Catalog
    maker: SliceMaker
    rules: SharedRules
    seed: int = 20261130
    _formats: dict[str, list[str]] = field(default_factory=dict)

    def cases(self, count: int) -> Iterator[Case]:
        """At least `count` cases, model by model."""
        models = list(self.catalog.models)
        each = -(-count // len(models))
        gpus = list(self.catalog.gpus)
        for place, model_id in enumerate(models):
            rng = random.Random(f"{self.seed} {model_id}")
            for number in range(each):
                # Devices take turns, so that each of them meets many models.
                yield self._case(rng, model_id, gpus[(place * 7 + number) % len(gpus)])

    def _case(self, rng: random.Random, model_id: str, gpu_id: str) -> Case:
        arch = self.catalog.architecture(model_id)
        formats = self._formats.get(model_id)
        if formats is None:
            formats = [entry.format for entry in self.maker.model(model_id).files]
            self._formats[model_id] = formats
        parallel = rng.choice(PARALLEL)
        engine = rng.choice([*self.catalog.engines, "llama.cpp", "llama.cpp", "unheard of"])
        types = self._cache_types(rng, engine)
        kv_type_k = rng.choice(types)
        same = rng.random() < 0.7
        settings = Settings(
            engine=engine,
            backend=self._backend(rng, gpu_id),
            format=rng.choice(formats) if rng.random() < 0.99 else "no such format",
            imatrix=rng.random() < 0.2,
            context_tokens=float(self._context(rng, arch.context_max_tokens, parallel)),
            parallel=float(parallel),
            kv_unified=rng.random() < 0.3,
            kv_type_k=kv_type_k if rng.random() < 0.99 else "q9_9",
            kv_type_v=kv_type_k if same else rng.choice(types),
            ubatch_tokens=float(rng.choice(UBATCHES)),
            outputs_max=float(rng.choice([1, parallel, 512])),
            flash_attention=rng.random() < 0.8,
            full_window_cache=rng.random() < 0.15,
            kv_offload=rng.random() < 0.9,
            gpus=float(rng.choice([1, 1, 1, 2, 2, 3, 4, 8, rng.randint(1, 16)])),
            split="tensor" if rng.random() < 0.35 else "layer",
            gpu_layers=self._layers(rng, arch.layer_count + 2.0),
            cpu_moe_layers=self._layers(rng, arch.layer_count),
            vision=rng.random() < 0.2,
            draft_tokens=float(rng.choice([0, 0, 0, 1, 3, 8])),
        )
        variant = "plain" if rng.random() < 0.75 else rng.choice(list(VARIANTS))
        return Case(model_id, gpu_id, settings, variant)

    def _cache_types(self, rng: random.Random, engine: str) -> list[str]:
        """llama.cpp's, for an engine with a profile mostly those that both know."""
        common = [entry.name for entry in self.rules.engine.cache.types]
        for profile in self.rules.engine.profiles:
            own = [entry.name for entry in profile.cache_types]
            if profile.engine == engine and own:
                return own if rng.random() < 0.2 else [name for name in own if name in common]
        return common

    def _backend(self, rng: random.Random, gpu_id: str) -> str:
        if rng.random() < 0.02:
            return rng.choice(["cuda", "metal", "cpu", "abacus"])
        return rng.choice(self.catalog.gpus[gpu_id].backends)

    def _context(self, rng: random.Random, longest: float, parallel: int) -> int:
        most = int(longest) * parallel
        if rng.random() < 0.2:
            return min(rng.choice(CONTEXT_EDGES), most)
        if rng.random() < 0.1:
            return most
        return max(1, int(most ** rng.random()))

    def _layers(self, rng: random.Random, most: float) -> float | None:
        return None if rng.random() < 0.6 else float(rng.randint(0, int(most)))
