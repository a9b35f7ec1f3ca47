"""Robust fit of pooled effects: log(time) = log(sum of part x product of effects) + error.

Each part of a step has a coefficient, the product of an overall value and of effects of the groups
a row is in. Effects are shrunk towards 1 by their spread (partial pooling), errors have the long
tails of Student's t, so that a wrong row counts little. Effects of sources and publishers take up
what is common to one reporter's machine and never reach a prediction. Gauss-Newton on the
posterior mode; deterministic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from vramsite.catalog.speed_model import PhaseModel

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Effect = tuple[str, str, str]  # part or "shared", kind of group or "all", name

TAIL_DEGREES = 4.0
CONVERGED = 1e-3  # of the negative log posterior
LEAST_ROWS_OF_REPORTER = 3  # fewer say nothing about the reporter that is not noise
REPORTERS = ("source", "publisher")


@dataclass(frozen=True, slots=True)
class Observation:
    """One measured time: its parts, the groups of its configuration, who reported it."""

    parts: Mapping[str, float]
    names: Mapping[str, str]
    source: str
    publisher: str
    seconds: float
    fixed_seconds: float = 0.0  # known share of the time that no coefficient changes


class PooledFit:
    """The design of one phase, and fits of all or some of its rows."""

    def __init__(self, model: PhaseModel, observations: Sequence[Observation]) -> None:
        self._model = model
        self._parts = list(model.parts)
        self.effects: dict[Effect, int] = {}
        starts: list[float] = []
        spreads: list[float] = []
        frequent = self._frequent_reporters(observations)
        rows: list[int] = []
        columns: list[int] = []
        of_part: list[int] = []
        count = len(observations)
        self._size = np.zeros((len(self._parts), count))
        for at, seen in enumerate(observations):
            for place, part in enumerate(self._parts):
                size = seen.parts.get(part, 0.0)
                if size <= 0.0:
                    continue
                self._size[place, at] = size
                for effect, start, spread in self._effects_of(part, seen, frequent):
                    if effect not in self.effects:
                        self.effects[effect] = len(self.effects)
                        starts.append(start)
                        spreads.append(spread)
                    rows.append(at)
                    columns.append(self.effects[effect])
                    of_part.append(place)
        self._rows = np.array(rows)
        self._columns = np.array(columns)
        self._of_part = np.array(of_part)
        self._start = np.array(starts)
        self._precision = np.array(spreads) ** -2.0
        self._fixed = np.array([seen.fixed_seconds for seen in observations])
        self.log_seconds = np.log([seen.seconds for seen in observations])
        self.sources = [seen.source for seen in observations]
        self.publishers = [seen.publisher for seen in observations]
        self._of_reporter = np.array([key[1] in REPORTERS for key in self.effects])
        self.count = count

    def fit(
        self, keep: Flags | None = None, start: Floats | None = None, rounds: int = 40
    ) -> Floats:
        """Log effects that fit the kept rows best; `start` speeds up a fit of nearly all rows."""
        kept = np.ones(self.count, bool) if keep is None else keep
        theta = self._start.copy() if start is None else start.copy()
        damping = 1e-3
        best = self._objective(theta, kept)
        for _ in range(rounds):
            jacobian, errors, weights = self._linearised(theta, kept)
            weighted = jacobian.multiply(weights[:, None]).tocsr()
            normal = (jacobian.T @ weighted).toarray()
            slope = jacobian.T @ (weights * errors) - self._precision * (theta - self._start)
            diagonal = np.diag(normal) + self._precision
            better = best
            while damping < 1e6:
                system = normal + np.diag(self._precision + damping * diagonal)
                factor = linalg.cho_factor(system, overwrite_a=True, check_finite=False)
                step = linalg.cho_solve(factor, slope, check_finite=False)
                better = self._objective(theta + step, kept)
                if better <= best + CONVERGED:
                    theta = theta + step
                    damping = max(damping / 5.0, 1e-7)
                    break
                damping *= 5.0
            if best - better < CONVERGED:
                break
            best = better
        return theta

    def log_predictions(self, theta: Floats, *, with_reporters: bool = False) -> Floats:
        """Predicted log seconds of every row, as for a reporter nobody knows by default."""
        used = theta if with_reporters else np.where(self._of_reporter, 0.0, theta)
        return np.asarray(np.log(self._times(used).sum(axis=0) + self._fixed))

    def left_out(self, theta: Floats, folds: Sequence[str], rounds: int = 4) -> Floats:
        """Predicted log seconds of every row from a fit without its fold."""
        labels = np.array(folds)
        result = np.zeros(self.count)
        for fold in sorted(set(folds)):
            mine = labels == fold
            fitted = self.fit(~mine, theta, rounds)
            result[mine] = self.log_predictions(fitted)[mine]
        return result

    def factors(self, theta: Floats) -> dict[Effect, float]:
        """Effects as factors, reporters left out."""
        values = np.exp(theta)
        return {
            effect: float(values[at])
            for effect, at in self.effects.items()
            if effect[1] not in REPORTERS
        }

    def _frequent_reporters(self, observations: Sequence[Observation]) -> set[tuple[str, str]]:
        counts = Counter(("source", seen.source) for seen in observations)
        counts += Counter(("publisher", seen.publisher) for seen in observations)
        return {key for key, rows in counts.items() if rows >= LEAST_ROWS_OF_REPORTER}

    def _effects_of(
        self, part: str, seen: Observation, frequent: set[tuple[str, str]]
    ) -> list[tuple[Effect, float, float]]:
        prior = self._model.parts[part]
        found: list[tuple[Effect, float, float]] = [
            ((part, "all", ""), float(np.log(prior.start)), prior.spread)
        ]
        for kind, spread in prior.groups.items():
            if seen.names[kind]:
                found.append(((part, kind, seen.names[kind]), 0.0, spread))
        for kind, spread in self._model.shared.items():
            if kind in REPORTERS:
                name = seen.source if kind == "source" else seen.publisher
                if (kind, name) in frequent:
                    found.append((("shared", kind, name), 0.0, spread))
            elif seen.names[kind]:
                found.append((("shared", kind, seen.names[kind]), 0.0, spread))
        return found

    def _times(self, theta: Floats) -> Floats:
        logs = np.zeros_like(self._size)
        np.add.at(logs, (self._of_part, self._rows), theta[self._columns])
        return np.asarray(self._size * np.exp(logs))

    def _residuals(self, theta: Floats, kept: Flags) -> tuple[Floats, Floats, Floats]:
        times = self._times(theta)
        whole = times.sum(axis=0) + self._fixed
        return times, whole, np.where(kept, self.log_seconds - np.log(whole), 0.0)

    def _objective(self, theta: Floats, kept: Flags) -> float:
        _, _, errors = self._residuals(theta, kept)
        scaled = errors**2 / (self._model.scale**2 * TAIL_DEGREES)
        away = theta - self._start
        fit = (TAIL_DEGREES + 1.0) / 2.0 * np.log1p(scaled).sum()
        return float(fit + 0.5 * (self._precision * away**2).sum())

    def _linearised(self, theta: Floats, kept: Flags) -> tuple[sparse.csr_matrix, Floats, Floats]:
        times, whole, errors = self._residuals(theta, kept)
        share = times / whole
        jacobian = sparse.csr_matrix(
            (share[self._of_part, self._rows], (self._rows, self._columns)),
            shape=(self.count, len(self.effects)),
        )
        scale = self._model.scale
        weights = (TAIL_DEGREES + 1.0) / (TAIL_DEGREES + (errors / scale) ** 2) / scale**2
        return jacobian, errors, np.where(kept, weights, 0.0)
