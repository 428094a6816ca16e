"""Halfspaces by weighted least squares: the weak learner for policies on a few measured quantities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...basics.checks import check_between
from ...basics.conventions import level
from ...basics.typing import Floats, Matrix, Rng
from ..batch import Batch
from .base import Hypothesis, WeakLearner

_GRID = 2.0**24  # numbers are kept to so many parts: sums in another order must not make another hypothesis


@dataclass(frozen=True, slots=True)
class Linear(Hypothesis):
    """sign(weights . x + offset), +1 at zero."""

    weights: tuple[float, ...]
    offset: float

    def predict(self, X: Matrix) -> Floats:
        margin = np.full(len(X), self.offset)
        for feature, weight in enumerate(self.weights):  # column by column: the same sum for any block of rows
            margin += weight * X[:, feature]
        return np.where(margin >= 0.0, 1.0, -1.0)


@dataclass(frozen=True)
class LinearLearner(WeakLearner):
    """The halfspace whose margin fits the labels best in the sense of least squares.

    (The halfspace of largest correlation cannot be found efficiently; this one is a usual stand-in.) Columns are
    brought to mean 0 and variance 1 first. If the opposite halfspace or a constant has a larger correlation with the
    labels, that one is returned.

    Parameters
    ----------
    ridge : float
        What is added to the covariance of the columns.
    offset : bool
        Without it halfspaces pass through the origin: columns are not centred, and there are no constants. That suits
        problems that are symmetric, as balancing is.
    """

    ridge: float = 1e-3
    offset: bool = True

    def __post_init__(self) -> None:
        check_between(self.ridge, 0.0, float("inf"), "ridge", open_low=False, open_high=True)

    def fit(self, batch: Batch, rng: Rng) -> Linear:
        mass = batch.mass / batch.mass.sum()
        centre = mass @ batch.X if self.offset else np.zeros(batch.X.shape[1])
        spread = np.sqrt(mass @ (batch.X - centre) ** 2)
        known = spread > 1e-12 * (1.0 + np.abs(centre))  # a constant column says nothing
        scale = np.where(known, spread, 1.0)
        Z = np.where(known, (batch.X - centre) / scale, 0.0)
        covariance = (mass[:, None] * Z).T @ Z + self.ridge * np.eye(len(centre))
        mean = float(mass @ batch.target) if self.offset else 0.0
        fitted = np.linalg.lstsq(covariance, (mass * (batch.target - mean)) @ Z, rcond=None)[0]
        return self._best(batch, _on_grid(fitted, scale, centre, mean))

    def _best(self, batch: Batch, found: Linear) -> Linear:
        none = (0.0,) * len(found.weights)
        opposite = Linear(tuple(-weight for weight in found.weights), -found.offset)
        candidates = [found, opposite, *([Linear(none, 1.0), Linear(none, -1.0)] if self.offset else [])]
        return candidates[int(np.argmax([level(batch.signed @ one.predict(batch.X)) for one in candidates]))]


def _on_grid(fitted: Floats, scale: Floats, centre: Floats, mean: float) -> Linear:
    """The halfspace in terms of the columns as they came, rounded; the sign of the margin is all that counts."""
    largest = float(np.max(np.abs(fitted), initial=0.0))
    if largest == 0.0:
        return Linear((0.0,) * len(fitted), 1.0 if mean >= 0 else -1.0)
    seen = np.where(np.abs(fitted) * _GRID >= largest, fitted / largest, 0.0)
    weights = _rounded(seen / scale, np.abs(seen / scale))
    terms = np.append(weights * centre, mean / largest)
    offset = _rounded(np.array([mean / largest - weights @ centre]), np.abs(terms).max(keepdims=True))
    return Linear(tuple(weights.tolist()), float(offset[0]))


def _rounded(values: Floats, sizes: Floats) -> Floats:
    """Values to so many parts of the power of two at or above their size."""
    unit = np.exp2(np.ceil(np.log2(np.where(sizes > 0, sizes, 1.0)))) / _GRID
    return np.asarray(np.rint(values / unit) * unit + 0.0)
