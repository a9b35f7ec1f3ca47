"""Coefficients as products of effects: which hold, in what order, how close the evidence is."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from vramsite.sizing.effects import (
    DeviceSpeed,
    Effect,
    EngineSpeed,
    IntervalRow,
    PartEffects,
    PhaseEffects,
    RuntimeRows,
    SpeedTables,
    speed_coefficients,
)
from vramsite.sizing.errors import SizingError
from vramsite.sizing.model_work import Routing
from vramsite.sizing.records import Settings
from vramsite.sizing.speed_records import DecodeCosts, Evidence, PrefillCosts

NOTHING = PhaseEffects(decode=[], prefill=[])
ONE = [Effect(factor=1.0)]
BASE = PhaseEffects(
    decode=[PartEffects(part=item.name, effects=ONE) for item in fields(DecodeCosts)],
    prefill=[
        PartEffects(part=name, effects=ONE)
        for name in (*(item.name for item in fields(PrefillCosts)), "first_token")
    ],
)


def tables(
    effects: PhaseEffects = NOTHING, levels: str = "device family engine all"
) -> SpeedTables:
    intervals = [
        IntervalRow(kind=kind, level=level, engine=engine, low=0.5, high=2.0 + place)
        for kind in ("single", "batch", "several", "offload", "prompt")
        for place, level in enumerate(levels.split())
        for engine in ("llama.cpp", "other")
    ]
    return SpeedTables(
        effects=PhaseEffects(
            decode=[*BASE.decode, *effects.decode], prefill=[*BASE.prefill, *effects.prefill]
        ),
        rows=[counted(decode=7.0)],
        engines=[
            EngineSpeed(engine="ollama", group="llama.cpp", pass_tokens=0.0),
            EngineSpeed(engine="vllm", group="vllm", pass_tokens=2048.0),
            EngineSpeed(engine="other", group="other", pass_tokens=1024.0),
        ],
        intervals=intervals,
        wide_cache_types=["f16"],
        routing=Routing(busy_share=0.5, busy_traffic=0.5),
        draft_acceptance=0.7,
        draft_cost_share=0.1,
    )


def counted(**counts: float) -> RuntimeRows:
    return RuntimeRows(
        engine="llama.cpp",
        backend="cuda",
        **{"decode": 0.0, "batch": 0.0, "prefill": 0.0, "ttft": 0.0, **counts},
    )


def device(effects: PhaseEffects = NOTHING, rows: float = 0.0, family: float = 0.0) -> DeviceSpeed:
    return DeviceSpeed(
        effects=effects,
        device_rows=[counted(decode=rows)],
        family_rows=[counted(decode=family, prefill=3.0)],
        compute_flops=None,
    )


def phase(part: str, *effects: Effect) -> PhaseEffects:
    return PhaseEffects(decode=[PartEffects(part=part, effects=list(effects))], prefill=[])


OLLAMA = Settings(engine="ollama", backend="cuda")


@pytest.mark.parametrize(
    ("effect", "settings", "holds"),
    [
        (Effect(factor=3.0), OLLAMA, True),
        (Effect(factor=3.0, engine="llama.cpp", backend="cuda"), OLLAMA, True),
        (Effect(factor=3.0, engine="vllm", backend="cuda"), OLLAMA, False),
        (Effect(factor=3.0, backend="rocm"), OLLAMA, False),
        (Effect(factor=3.0, format_class="q4_k"), OLLAMA, True),
        (Effect(factor=3.0, format_class="q8"), OLLAMA, False),
        (Effect(factor=3.0, cache_bits="16"), OLLAMA, True),
        (Effect(factor=3.0, cache_bits="16"), replace(OLLAMA, kv_type_v="q8_0"), False),
        (Effect(factor=3.0, cache_bits="less"), replace(OLLAMA, kv_type_k="q8_0"), True),
        (Effect(factor=3.0, attention="flash"), OLLAMA, True),
        (Effect(factor=3.0, attention="plain"), replace(OLLAMA, flash_attention=False), True),
        (Effect(factor=3.0, engine="other"), replace(OLLAMA, engine="unheard of"), True),
    ],
)
def test_an_effect_holds_where_all_its_conditions_do(
    effect: Effect, settings: Settings, holds: bool
) -> None:
    found = speed_coefficients(tables(phase("steps", effect)), device(), NOTHING, settings, "q4_k")
    assert found.decode.steps == (3.0 if holds else 1.0)
    assert found.decode.layers == 1.0


def test_effects_of_all_origins_and_of_all_parts_multiply() -> None:
    found = speed_coefficients(
        tables(phase("layers", Effect(factor=2.0))),
        device(phase("", Effect(factor=5.0))),
        phase("layers", Effect(factor=7.0)),
        OLLAMA,
        "q4_k",
    )
    assert found.decode.layers == 70.0
    assert found.decode.steps == 5.0
    assert found.prefill.layer_passes == 1.0


@pytest.mark.parametrize(
    ("rows", "family", "settings", "level", "high"),
    [
        (4.0, 9.0, OLLAMA, "device", 2.0),
        (0.0, 9.0, OLLAMA, "family", 3.0),
        (0.0, 0.0, OLLAMA, "engine", 4.0),
        (4.0, 9.0, replace(OLLAMA, backend="rocm"), "all", 5.0),
        (4.0, 9.0, replace(OLLAMA, engine="vllm"), "all", 5.0),
    ],
)
def test_the_closest_evidence_gives_the_interval(
    rows: float, family: float, settings: Settings, level: str, high: float
) -> None:
    found = speed_coefficients(tables(), device(NOTHING, rows, family), NOTHING, settings, "")
    assert found.decode_evidence.basis == level
    assert found.single.high == high


def test_each_metric_has_evidence_of_its_own() -> None:
    found = speed_coefficients(tables(), device(rows=4.0, family=9.0), NOTHING, OLLAMA, "")
    assert found.decode_evidence == Evidence(
        basis="device", device_measurements=4.0, family_measurements=9.0
    )
    assert (found.prefill_evidence.basis, found.prefill_evidence.family_measurements) == (
        "family",
        3.0,
    )
    assert found.batch_evidence.basis == "all"
    assert found.prompt.high == 3.0  # that of the family


def test_an_engine_not_listed_is_the_last_one() -> None:
    found = speed_coefficients(tables(), device(), NOTHING, replace(OLLAMA, engine="new"), "")
    assert found.pass_tokens == 1024.0


def test_a_missing_interval_is_an_error() -> None:
    with pytest.raises(SizingError, match="interval_without_row"):
        speed_coefficients(tables(levels="device"), device(), NOTHING, OLLAMA, "")


def test_a_part_that_nothing_is_known_about_is_an_error() -> None:
    bare = replace(tables(), effects=PhaseEffects(decode=BASE.decode[1:], prefill=BASE.prefill))
    with pytest.raises(SizingError, match="part_without_cost"):
        speed_coefficients(bare, device(), NOTHING, OLLAMA, "")
