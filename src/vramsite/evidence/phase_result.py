"""One phase of the calibration, fitted: what the errors and intervals are computed from."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vramsite.evidence.pooled_fit import Floats, PooledFit
from vramsite.evidence.speed_case import SpeedCase

OWN_FOLD_ROWS = 6  # sources with fewer rows share folds
SHARED_FOLDS = 12


@dataclass(frozen=True, slots=True)
class PhaseResult:
    """Cases, the fit, and log(predicted / measured seconds) of every case."""

    cases: list[SpeedCase]
    fit: PooledFit
    theta: Floats
    in_sample: Floats
    left_out: Floats  # without the row's source
    by_publisher: Floats  # without all sources of its publisher


def folds(sources: Sequence[str]) -> list[str]:
    """One fold for each source with many rows; the others share a dozen."""
    counts = Counter(sources)
    return [
        source
        if counts[source] >= OWN_FOLD_ROWS
        else f"shared {zlib.crc32(source.encode()) % SHARED_FOLDS}"
        for source in sources
    ]
