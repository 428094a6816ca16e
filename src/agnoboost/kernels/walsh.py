"""Correlations with all parities of few coordinates at once: a Walsh transform that is cut off at a degree."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

from ..basics.typing import Floats, Matrix

BLOCK = 4096  # rows that are worked on together: they stay in the cache


@lru_cache(maxsize=16)
def subsets(n: int, degree: int) -> tuple[tuple[int, ...], ...]:
    """All subsets of at most ``degree`` of n coordinates, by size and then in lexicographic order."""
    return tuple(subset for k in range(min(degree, n) + 1) for subset in combinations(range(n), k))


def walsh_vector(X: Matrix, signed: Floats, degree: int) -> Floats:
    """sum of signed(x) * product of x[i], i in S, over the rows, for every S of :func:`subsets`."""
    n = X.shape[1]
    total = np.zeros(len(subsets(n, degree)))
    for start in range(0, len(X), BLOCK):
        rows = np.asarray(X[start : start + BLOCK], dtype=np.float64)
        mass = signed[start : start + BLOCK]
        total += np.concatenate([_of_size(rows, mass, k) for k in range(min(degree, n) + 1)])
    return total


def _of_size(X: Floats, signed: Floats, k: int) -> Floats:
    """The same for the subsets of exactly k coordinates.

    Two coordinates are a matrix product. More are reduced to it: the subsets whose first element is i are those of the
    later columns, one smaller, with x[i] taken into the mass.
    """
    n = X.shape[1]
    if k == 0:
        return np.array([signed.sum()])
    if k == 1:
        return signed @ X
    if k == 2:
        return np.asarray(((X * signed[:, None]).T @ X)[np.triu_indices(n, 1)])
    return np.concatenate([_of_size(X[:, i + 1 :], signed * X[:, i], k - 1) for i in range(n - k + 1)])
