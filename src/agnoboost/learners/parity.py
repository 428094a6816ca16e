"""Parities of few coordinates on the cube {-1, +1}^n: the weak learner behind halfspaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from math import comb

import numpy as np

from .._checks import check_count
from .._memo import LastArray
from .._typing import Floats, Matrix, Rng
from ..batch import Batch
from .base import Hypothesis, WeakLearner, level, sign_of


@dataclass(frozen=True, slots=True)
class Parity(Hypothesis):
    """sign * product of x[i] over i in ``subset``; the empty subset is the constant."""

    subset: tuple[int, ...]
    sign: int

    def predict(self, X: Matrix) -> Floats:
        return np.asarray(np.prod(X[:, list(self.subset)], axis=1, dtype=np.float64) * self.sign)


@dataclass(frozen=True)
class ParityLearner(WeakLearner):
    """The best parity of at most ``degree`` coordinates, exactly (empirical risk minimisation).

    All correlations come from matrix products over the monomials of one degree less. Ties go to the lower degree,
    then to the first subset in lexicographic order; a correlation of 0 takes sign +1.
    """

    degree: int
    _monomials: LastArray[tuple[list[tuple[int, ...]], Floats]] = field(
        default_factory=LastArray, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_count(self.degree, "degree", least=0)

    def check(self, X: Matrix) -> None:
        if not np.isin(X, (-1, 1)).all():
            raise ValueError(
                "Parities need features in {-1, +1}. Got other values. Map 0/1 features with 2*X - 1, or cut numeric "
                "ones at a threshold first."
            )

    def _checked_monomials(self, X: Matrix, degree: int) -> tuple[list[tuple[int, ...]], Floats]:
        self.check(X)  # rows of a stream are seen here for the first time
        return _monomials(X, degree)

    def size(self, n_features: int) -> int:
        """The number of parities, both signs counted: the size of the base class."""
        return 2 * sum(comb(n_features, k) for k in range(min(self.degree, n_features) + 1))

    def fit(self, batch: Batch, rng: Rng) -> Parity:
        subsets, coefs = self.correlations(batch)
        best = int(np.argmax(level(np.abs(coefs))))
        return Parity(subsets[best], sign_of(coefs[best]))

    def correlations(self, batch: Batch) -> tuple[list[tuple[int, ...]], Floats]:
        """All subsets of at most ``degree`` coordinates and the correlation of their parities with the batch."""
        X = batch.X
        n = X.shape[1]
        degree = min(self.degree, n)
        if degree == 0:
            return [()], np.array([batch.signed.sum()])
        lower, monomials = self._monomials.get(lambda: self._checked_monomials(X, degree - 1), X)
        coefs = batch.signed @ monomials
        # Multiply the monomials of degree - 1 by one more coordinate beyond their last.
        tops = [i for i, subset in enumerate(lower) if len(subset) == degree - 1]
        products = (monomials[:, tops] * batch.signed[:, None]).T @ X
        subsets, found = list(lower), [coefs]
        for row, i in enumerate(tops):
            start = lower[i][-1] + 1 if lower[i] else 0
            subsets += [(*lower[i], j) for j in range(start, n)]
            found.append(products[row, start:])
        return subsets, np.concatenate(found)


def _monomials(X: Matrix, degree: int) -> tuple[list[tuple[int, ...]], Floats]:
    """Subsets of at most ``degree`` coordinates in order of degree, and their products (rows, subsets)."""
    n = X.shape[1]
    subsets = [subset for k in range(degree + 1) for subset in combinations(range(n), k)]
    place = {subset: i for i, subset in enumerate(subsets)}
    products = np.ones((len(X), len(subsets)))
    for i, subset in enumerate(subsets[1:], start=1):
        products[:, i] = products[:, place[subset[:-1]]] * X[:, subset[-1]]
    return subsets, products
