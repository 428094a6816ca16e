"""Ridge regression on normal scores: linear, or with a Gaussian or Laplace kernel. Everything by closed form.

A member minimises Phi with psi(H) = H^2/2, plus ridge/2 times the squared norm of H in the kernel's space:

    1/2 sum_i a_i H(x_i)^2 - sum_i b_i H(x_i) + ridge/2 |H|^2.

A kernel is used through its similarities to some of the rows, the landmarks z (Nystrom's features): with K = L L^T on
the landmarks, phi(x) = L^-1 k(x, z) has phi(x) . phi(x') = k(x, x') where one of the two is a landmark. If all rows are
landmarks, nothing is lost. In features the minimiser is H = G b on the rows, G = F (ridge + F^T A F)^-1 F^T, and the
value at x_i of the minimiser without row i is

    (H_i - G_ii b_i) / (1 - a_i G_ii),

by which ridge and width are chosen, and which stands for what an out-of-bag margin is to a bagged member. The width is
chosen on some of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.linalg import cholesky, eigh  # other than scipy's they let other threads work
from scipy.linalg import solve_triangular
from scipy.spatial.distance import cdist

from ...basics.typing import Floats, Ints
from ...kernels.similarity import expansion, seconds

RIDGES = np.logspace(-3.0, 3.0, 25)
WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
LANDMARKS = 400
WIDTH_ROWS = 200  # rows by which a width is chosen
JITTER = 1e-9  # of the diagonal: equal rows make K singular

# Similarities of rows; distances are means over columns, so that one grid of widths suits tables of any size.
SIMILARITIES: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "gaussian": lambda one, other, width: np.exp(-width * cdist(one, other, "sqeuclidean") / one.shape[1]),
    "laplace": lambda one, other, width: np.exp(-width * cdist(one, other, "cityblock") / one.shape[1]),
}
KERNELS = ("linear", *SIMILARITIES)


@dataclass(frozen=True)
class LinearSum:
    """H(x) = intercept + coefficients . x."""

    intercept: float
    coefficients: Floats

    def seconds(self, rows: int) -> float:
        return 0.0

    def margin(self, scores: Floats, threads: int | None = None, compiled: bool | None = None) -> Floats:
        return np.asarray(scores @ self.coefficients + self.intercept)

    def scaled(self, factor: float) -> LinearSum:
        return LinearSum(factor * self.intercept, factor * self.coefficients)


@dataclass(frozen=True)
class KernelSum:
    """H(x) = intercept + sum_i coefficient_i * kernel(x, row_i)."""

    kernel: str
    width: float
    intercept: float
    rows: Floats
    coefficients: Floats

    def seconds(self, rows: int) -> float:
        """About how long numpy takes for so many rows."""
        return seconds(rows, self.rows)

    def margin(self, scores: Floats, threads: int | None = None, compiled: bool | None = None) -> Floats:
        width = self.width / self.rows.shape[1]
        found = expansion(self.kernel, scores, self.rows, self.coefficients, width, threads, compiled)
        return self.intercept + found

    def scaled(self, factor: float) -> KernelSum:
        return KernelSum(self.kernel, self.width, factor * self.intercept, self.rows, factor * self.coefficients)


Fitted = tuple[LinearSum | KernelSum, Floats]  # a model, and its leave-one-out margins


def fit(kernel: str, scores: Floats, psi: Floats, pull: Floats, order: Ints) -> list[Fitted]:
    """The best model of each problem (column of ``pull``); ``order`` says which rows are landmarks first."""
    if kernel == "linear":
        features = np.column_stack([np.ones(len(scores)), scores / np.sqrt(scores.shape[1])])
        _, weights, left_out = best_ridges(features, psi, pull)
        sums = [LinearSum(float(w[0]), w[1:] / np.sqrt(scores.shape[1])) for w in weights.T]
        return list(zip(sums, left_out.T, strict=True))
    few = np.sort(order[:WIDTH_ROWS])
    width = best_width(kernel, scores[few], psi[few], pull[few])
    landmarks = scores[np.sort(order[:LANDMARKS])]
    features, lower = _features(kernel, scores, landmarks, width)
    _, weights, left_out = best_ridges(features, psi, pull)
    coefficients = solve_triangular(lower, weights, lower=True, trans="T")
    return [
        (KernelSum(kernel, width, float(own.sum()), landmarks, own), margins)
        for own, margins in zip(coefficients.T, left_out.T, strict=True)
    ]


def best_width(kernel: str, scores: Floats, psi: Floats, pull: Floats) -> float:
    """Downhill from the middle of WIDTHS: the first one that is better than its neighbours by leave-one-out loss."""

    @cache
    def loss(place: int) -> float:
        if not 0 <= place < len(WIDTHS):
            return np.inf
        features, _ = _features(kernel, scores, scores, WIDTHS[place])
        return float(best_ridges(features, psi, pull)[0].sum())

    place = len(WIDTHS) // 2
    while loss(lower := min(place - 1, place + 1, key=loss)) < loss(place):
        place = lower
    return WIDTHS[place]


def _features(kernel: str, scores: Floats, landmarks: Floats, width: float) -> tuple[Floats, Floats]:
    """phi of rows, and the triangle L that makes it; the 1 is an intercept."""
    similar = SIMILARITIES[kernel]
    own = 1.0 + similar(landmarks, landmarks, width)
    own[np.diag_indices_from(own)] += JITTER * len(own)
    lower: Floats = np.asarray(cholesky(own), dtype=np.float64)
    shared = own if scores is landmarks else 1.0 + similar(scores, landmarks, width)
    return np.asarray(solve_triangular(lower, shared.T, lower=True).T), lower


def best_ridges(features: Floats, psi: Floats, pull: Floats) -> tuple[Floats, Floats, Floats]:
    """For each problem the ridge of the least leave-one-out loss: losses, weights of the features, margins."""
    squared = features.T @ (psi[:, None] * features)
    values, vectors = eigh(squared)
    values = np.maximum(values, 0.0)
    turned = features @ vectors
    projected = turned.T @ pull
    inverses = 1.0 / (values[:, None] + RIDGES)
    diagonals = turned**2 @ inverses
    rest = np.maximum(1.0 - psi[:, None] * diagonals, 1e-9)
    losses, weights, margins = [], [], []
    for own, target in zip(projected.T, pull.T, strict=True):
        left_out = (turned @ (inverses * own[:, None]) - diagonals * target[:, None]) / rest
        loss = (0.5 * psi) @ left_out**2 - target @ left_out
        best = int(loss.argmin())
        losses.append(loss[best])
        weights.append(vectors @ (own * inverses[:, best]))
        margins.append(left_out[:, best])
    return np.array(losses), np.column_stack(weights), np.column_stack(margins)
