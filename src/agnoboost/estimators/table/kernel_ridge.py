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

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
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
    width = WIDTHS[0]
    few = np.sort(order[:WIDTH_ROWS])
    some, lowest = scores[few], np.inf
    for candidate in WIDTHS:
        features, _ = _features(kernel, some, some, candidate)
        losses, _, _ = best_ridges(features, psi[few], pull[few])
        if losses.sum() < lowest:
            lowest, width = losses.sum(), candidate
    landmarks = scores[np.sort(order[:LANDMARKS])]
    features, lower = _features(kernel, scores, landmarks, width)
    _, weights, left_out = best_ridges(features, psi, pull)
    coefficients = solve_triangular(lower, weights, lower=True, trans="T")
    return [
        (KernelSum(kernel, width, float(own.sum()), landmarks, own), margins)
        for own, margins in zip(coefficients.T, left_out.T, strict=True)
    ]


def _features(kernel: str, scores: Floats, landmarks: Floats, width: float) -> tuple[Floats, Floats]:
    """phi of rows, and the triangle L that makes it; the 1 is an intercept."""
    similar = SIMILARITIES[kernel]
    own = 1.0 + similar(landmarks, landmarks, width)
    own[np.diag_indices_from(own)] += JITTER * len(own)
    lower = cholesky(own, lower=True)
    shared = own if scores is landmarks else 1.0 + similar(scores, landmarks, width)
    return np.asarray(solve_triangular(lower, shared.T, lower=True).T), lower


def best_ridges(features: Floats, psi: Floats, pull: Floats) -> tuple[Floats, Floats, Floats]:
    """For each problem the ridge of the least leave-one-out loss: losses, weights of the features, margins."""
    squared = features.T @ (psi[:, None] * features)
    values, vectors = eigh(squared, overwrite_a=True, check_finite=False, driver="evd")
    values = np.maximum(values, 0.0)
    turned = features @ vectors
    squares, projected = turned**2, turned.T @ pull
    problems = pull.shape[1]
    losses, ridges, margins = np.full(problems, np.inf), np.zeros(problems), np.zeros(pull.shape)
    inverses = 1.0 / (values[:, None] + RIDGES)
    for ridge, inverse, diagonal in zip(RIDGES, inverses.T, (squares @ inverses).T[:, :, None], strict=True):
        rest = np.maximum(1.0 - psi[:, None] * diagonal, 1e-9)
        left_out = (turned @ (inverse[:, None] * projected) - diagonal * pull) / rest
        loss = (0.5 * psi[:, None] * left_out**2 - pull * left_out).sum(axis=0)
        better = loss < losses
        losses, ridges = np.where(better, loss, losses), np.where(better, ridge, ridges)
        margins[:, better] = left_out[:, better]
    return losses, vectors @ (projected / (values[:, None] + ridges)), margins
