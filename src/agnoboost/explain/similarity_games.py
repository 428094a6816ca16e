"""Shapley values of similarities: games in which a similarity is a product over columns.

With a_j the similarity of the explained row to a landmark by column j, and b_j that of a background row, a coalition S
is worth v(S) = prod_{j in S} a_j prod_{j not in S} b_j. Put every column into S with probability t: then the Shapley
value of column i is

    integral over t from 0 to 1 of (a_i - b_i) prod_{j != i} (b_j + t (a_j - b_j)),

of a polynomial of a degree below the number of columns. Gauss's rule with half as many points is exact.
"""

from __future__ import annotations

import numpy as np

from ..basics.typing import Floats, Ints
from ..kernels.dispatch import cores, one_by_one

MOST_POINTS = 12  # exact for 24 columns; with more, single ones count so little that nothing is lost
CELLS_AT_A_TIME = 40_000  # that stay in the cache


def similarities(kernel: str, scores: Floats, landmarks: Floats, width: float, groups: Ints, players: int) -> Floats:
    """Of every row to every landmark by the columns of each player (shape: players, rows, landmarks)."""
    distance = np.zeros((players, len(scores), len(landmarks)))
    for group, column, other in zip(groups, scores.T, landmarks.T, strict=True):
        if group >= 0:
            difference = column[:, None] - other
            distance[group] += difference**2 if kernel == "gaussian" else np.abs(difference)
    return np.exp(-width * distance)  # never 0, by which nothing could be divided: scores of ranks are within 6


def product_values(own: Floats, background: Floats, coefficients: Floats, threads: int | None = None) -> Floats:
    """Shapley values of sums of products, as means over the background (shape: rows, players, problems).

    ``own`` and ``background`` are similarities; ``coefficients`` has the shape (landmarks, problems).
    """
    players, rows, landmarks = own.shape
    points, weights = np.polynomial.legendre.leggauss(min(-(-players // 2), MOST_POINTS))
    points, weights = (points + 1.0) / 2.0, weights / 2.0
    some = max(1, CELLS_AT_A_TIME // (players * landmarks))
    parts = [background[:, start : start + some] for start in range(0, background.shape[1], some)]

    def of_row(row: int) -> Floats:
        total = np.zeros((players, landmarks))
        for part in parts:
            difference = own[:, row, None] - part
            for point, weight in zip(points, weights, strict=True):
                factor = part + point * difference
                product = weight * np.multiply.reduce(factor, axis=0)
                np.divide(difference, factor, out=factor)
                total += np.einsum("pbz,bz->pz", factor, product)
        return np.asarray(total @ coefficients / background.shape[1])

    return np.array(one_by_one(of_row, rows, cores(threads)))
