"""Random halfspaces of the cube, and three ways in which a fifth of the labels disagrees with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agnoboost.basics.typing import Floats, Ints, Rng
from agnoboost.core.sources import Stream

ERROR = 0.2  # of the planted halfspace
NUISANCE_DEGREE = 7
TEST_POINTS = 20_000


def points(n: int, count: int, rng: Rng) -> Floats:
    """Uniform points of the cube."""
    return np.where(rng.random((count, n)) < 0.5, -1.0, 1.0)


def side(X: Floats, weights: Floats) -> Floats:
    """On which side of a halfspace's boundary points lie: its own labels."""
    return np.where(X @ weights >= 0, 1.0, -1.0)


@dataclass(frozen=True)
class Halfspace:
    """sign(w x), the label that is planted, and E[y|x] around it."""

    weights: Floats
    mean_label: Callable[[Floats], Floats]
    test: Floats

    @property
    def n(self) -> int:
        return len(self.weights)

    def labeled(self, count: int, rng: Rng) -> tuple[Floats, Floats]:
        """A labeled sample."""
        X = points(self.n, count, rng)
        return X, np.where(rng.random(count) < (1.0 + self.mean_label(X)) / 2.0, 1.0, -1.0)

    def stream(self) -> Stream:
        """Unlabeled points, as many as anybody wants."""
        n = self.n
        return Stream(lambda count, rng: points(n, count, rng), n_features=n)

    @cached_property
    def _test_labels(self) -> Floats:
        return self.mean_label(self.test)

    def excess(self, predictions: Floats | Ints) -> float:
        """0/1 error minus that of the planted halfspace, on the test points, with E[y|x] in place of labels.

        Where noise depends on x, other functions may be better than the planted one: excess can be negative.
        """
        difference = side(self.test, self.weights) - predictions
        return float(np.mean(self._test_labels * difference) / 2.0)


def nuisance(n: int, rng: Rng) -> Halfspace:
    """Two labels in five come from a parity of degree 7, out of reach of low-degree parities."""
    w, subset = rng.normal(size=n), rng.permutation(n)[:NUISANCE_DEGREE]
    share = 2.0 * ERROR

    def mean_label(X: Floats) -> Floats:
        return np.asarray((1.0 - share) * side(X, w) + share * X[:, subset].prod(axis=1))

    return Halfspace(w, mean_label, points(n, TEST_POINTS, rng))


def flips(n: int, rng: Rng) -> Halfspace:
    """Every label is flipped with the same probability."""
    w = rng.normal(size=n)

    def mean_label(X: Floats) -> Floats:
        return (1.0 - 2.0 * ERROR) * side(X, w)

    return Halfspace(w, mean_label, points(n, TEST_POINTS, rng))


def boundary(n: int, rng: Rng) -> Halfspace:
    """The fifth of the points nearest to the boundary has the wrong label: the planted halfspace is not the best."""
    w, test = rng.normal(size=n), points(n, TEST_POINTS, rng)
    near = np.quantile(np.abs(test @ w), ERROR)

    def mean_label(X: Floats) -> Floats:
        value = X @ w
        return np.where((value >= 0) == (np.abs(value) > near), 1.0, -1.0)

    return Halfspace(w, mean_label, test)


NOISE: dict[str, Callable[[int, Rng], Halfspace]] = {"nuisance": nuisance, "flips": flips, "boundary": boundary}
