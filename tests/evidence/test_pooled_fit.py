"""The fit finds what made-up times were made of, pools what it has little of, forgives a liar."""

from __future__ import annotations

import numpy as np
import pytest

from vramsite.catalog.speed_model import PhaseModel, Prior
from vramsite.evidence.pooled_fit import Observation, PooledFit

MODEL = PhaseModel(
    scale=0.05,
    parts={
        "read": Prior(start=1.0, spread=1.0, groups={"family": 0.2, "device": 0.2}),
        "fixed": Prior(start=0.5, spread=2.0, groups={}),
    },
    shared={"source": 0.1},
)


def seen(
    size: float, seconds: float, family: str = "f", device: str = "d", source: str = "s"
) -> Observation:
    return Observation(
        {"read": size, "fixed": 1.0}, {"family": family, "device": device}, source, "p", seconds
    )


def test_a_slope_and_an_offset_are_told_apart() -> None:
    rows = [seen(size, 1.5 * size + 0.3) for size in (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)]
    fit = PooledFit(MODEL, rows)
    factors = fit.factors(fit.fit())
    read = factors["read", "all", ""] * factors["read", "family", "f"]
    read *= factors["read", "device", "d"]
    assert read == pytest.approx(1.5, rel=0.02)
    assert factors["fixed", "all", ""] == pytest.approx(0.3, rel=0.05)


def test_a_device_with_one_row_stays_near_its_family() -> None:
    family = [seen(size, 1.5 * size, device=f"d{at}") for at, size in enumerate((5.0, 6.0, 7.0))]
    lone = seen(8.0, 16.0, device="new")
    fit = PooledFit(MODEL, [*family * 3, lone])
    theta = fit.fit()
    predicted = float(np.exp(fit.log_predictions(theta)[-1]))
    assert 12.0 < predicted < 16.0


def test_one_wrong_row_moves_little() -> None:
    rows = [seen(size, 1.5 * size) for size in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)]
    honest = PooledFit(MODEL, rows)
    fooled = PooledFit(MODEL, [*rows, seen(3.0, 45.0)])
    before = honest.log_predictions(honest.fit())[:6]
    after = fooled.log_predictions(fooled.fit())[:6]
    assert np.abs(after - before).max() < 0.05


def test_a_reporter_effect_never_reaches_a_prediction() -> None:
    rows = [seen(size, 1.5 * size, source="a") for size in (1.0, 2.0, 3.0, 4.0)]
    rows += [seen(size, 1.8 * size, source="b") for size in (1.0, 2.0, 3.0, 4.0)]
    fit = PooledFit(MODEL, rows)
    theta = fit.fit()
    plain = fit.log_predictions(theta)
    assert plain[0] == pytest.approx(plain[4])
    own = fit.log_predictions(theta, with_reporters=True)
    assert own[4] > own[0]


def test_a_left_out_row_does_not_predict_itself() -> None:
    rows = [seen(size, 1.5 * size, source="a") for size in (1.0, 2.0, 3.0)]
    rows.append(seen(2.0, 6.0, source="odd"))
    fit = PooledFit(MODEL, rows)
    theta = fit.fit()
    left_out = fit.left_out(theta, fit.sources, rounds=20)
    assert np.exp(left_out[3]) == pytest.approx(3.0, rel=0.05)


def test_a_known_share_of_the_time_is_not_explained_twice() -> None:
    with_fixed = [
        Observation({"read": size}, {"family": "f", "device": "d"}, "s", "p", size + 2.0, 2.0)
        for size in (1.0, 2.0, 4.0)
    ]
    fit = PooledFit(MODEL, with_fixed)
    factors = fit.factors(fit.fit())
    read = factors["read", "all", ""] * factors["read", "family", "f"]
    assert read * factors["read", "device", "d"] == pytest.approx(1.0, rel=0.02)
