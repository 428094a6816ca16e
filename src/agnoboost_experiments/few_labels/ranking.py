"""Mean ranks, and by how much they must differ to mean something."""

from __future__ import annotations

import numpy as np
from scipy import stats

from agnoboost.basics.typing import Floats


def mean_ranks(values: Floats, higher_is_better: bool) -> Floats:
    """The mean rank of each column over the rows; the best has rank 1, equal values share the mean of their ranks.

    >>> mean_ranks(np.array([[0.9, 0.8, 0.8], [0.7, 0.6, 0.5]]), True).tolist()
    [1.0, 2.25, 2.75]
    """
    return np.asarray(stats.rankdata(-values if higher_is_better else values, axis=1).mean(axis=0))


def critical_difference(methods: int, tables: int, level: float = 0.95) -> float:
    """Nemenyi's: mean ranks over so many independent tables that differ by less cannot be told apart.

    >>> round(critical_difference(5, 30), 3)  # Demsar (2006): q = 2.728
    1.114
    """
    spread = stats.studentized_range.ppf(level, methods, np.inf) / np.sqrt(2.0)
    return float(spread * np.sqrt(methods * (methods + 1) / (6.0 * tables)))


def groups(ranks: list[float], difference: float) -> list[tuple[int, int]]:
    """The longest runs of sorted ranks that lie within the critical difference, as (first, last).

    >>> groups([1.0, 2.0, 4.5, 5.0], 1.5)
    [(0, 1), (2, 3)]
    """
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(place for place, other in enumerate(ranks) if other - rank < difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
