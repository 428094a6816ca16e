"""Parities of few coordinates on the cube {-1, +1}^n: the weak learner behind halfspaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import cast

import numpy as np

from ...basics.checks import check_count
from ...basics.conventions import level, sign_of
from ...basics.typing import Floats, Ints, Matrix, Rng
from ...kernels.walsh import BLOCK, subsets, walsh_vector
from ..batch import Batch
from .base import Hypothesis, WeakLearner


@dataclass(frozen=True, slots=True)
class Parity(Hypothesis):
    """sign * product of x[i] over i in ``subset``; the empty subset is the constant."""

    subset: tuple[int, ...]
    sign: int

    def predict(self, X: Matrix) -> Floats:
        return np.asarray(np.prod(X[:, list(self.subset)], axis=1, dtype=np.float64) * self.sign)

    def features(self) -> Sequence[int]:
        return self.subset

    @classmethod
    def weighted_sum(cls, hypotheses: Sequence[Hypothesis], coefs: Sequence[int], X: Matrix) -> Ints:
        """One matrix product for all, by blocks of rows; exact, since sums of units are far below 2**53."""
        parities = cast("Sequence[Parity]", hypotheses)
        weights = np.array([coef * parity.sign for coef, parity in zip(coefs, parities, strict=True)], dtype=np.float64)
        total = np.empty(len(X), dtype=np.int64)
        for start in range(0, len(X), BLOCK):
            rows = np.asarray(X[start : start + BLOCK], dtype=np.float64)
            values = np.empty((len(parities), len(rows)))
            for place, parity in enumerate(parities):
                np.prod(rows[:, np.array(parity.subset, dtype=np.int64)], axis=1, out=values[place])
            total[start : start + BLOCK] = np.rint(weights @ values)
        return total


@dataclass(frozen=True)
class ParityLearner(WeakLearner):
    """The best parity of at most ``degree`` coordinates, exactly (empirical risk minimisation).

    Ties go to the lower degree, then to the first subset in lexicographic order; a correlation of 0 takes sign +1.

    Parameters
    ----------
    degree : int
        The most coordinates of a parity.
    """

    degree: int

    def __post_init__(self) -> None:
        check_count(self.degree, "degree", least=0)

    def check(self, X: Matrix) -> None:
        if not (np.abs(X) == 1).all():
            raise ValueError(
                "Parities need features in {-1, +1}. Got other values. Map 0/1 features with 2*X - 1, or cut numeric "
                "ones at a threshold first."
            )

    def size(self, n_features: int) -> int:
        """The number of parities, both signs counted: the size of the base class."""
        return 2 * sum(comb(n_features, k) for k in range(min(self.degree, n_features) + 1))

    def fit(self, batch: Batch, rng: Rng) -> Parity:
        return self.best(self.correlations(batch.X, batch.signed), batch.X.shape[1])[0]

    def correlations(self, X: Matrix, signed: Floats) -> Floats:
        """The correlation of every parity with rows of this signed mass, in the order of :func:`subsets`."""
        self.check(X)  # rows of a stream are seen here for the first time
        return walsh_vector(X, signed, self.degree)

    def best(self, correlations: Floats, n_features: int) -> tuple[Parity, float]:
        """The parity of largest absolute correlation, with the sign that makes it positive; and that correlation."""
        best = int(np.argmax(level(np.abs(correlations))))
        sign = sign_of(correlations[best])
        return Parity(subsets(n_features, self.degree)[best], sign), float(sign * correlations[best])
