"""Kernel ridge regression on normal scores, with ridge and width by closed-form leave-one-out.

The member minimises Phi with psi(H) = H^2/2, plus ridge/2 times the squared norm of H in the kernel's space:

    1/2 sum_i a_i H(x_i)^2 - sum_i b_i H(x_i) + ridge/2 |H|^2,

a quadratic, whose minimiser is H = G b on the rows, with G = (ridge + K A)^-1 K. The value at x_i of the minimiser
without row i is

    (H_i - G_ii b_i) / (1 - a_i G_ii),

by which ridge and width are chosen, and which stands for what an out-of-bag margin is to a bagged member.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ...basics.typing import Floats

RIDGES = np.logspace(-3.0, 3.0, 25)
CHUNK = 4096  # rows that are predicted at a time
WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)

# Similarities of rows; distances are means over columns, so that one grid of widths suits tables of any size.
KERNELS: dict[str, Callable[[Floats, Floats, float], Floats]] = {
    "linear": lambda one, other, width: one @ other.T / one.shape[1],
    "gaussian": lambda one, other, width: np.exp(-width * cdist(one, other, "sqeuclidean") / one.shape[1]),
    "laplace": lambda one, other, width: np.exp(-width * cdist(one, other, "cityblock") / one.shape[1]),
}


@dataclass(frozen=True)
class KernelRidge:
    """H(x) = sum_i coefficient_i * (1 + kernel(x, row_i)); the 1 is an intercept."""

    kernel: str
    width: float
    ridge: float
    rows: Floats
    coefficients: Floats

    def to_arrays(self) -> dict[str, Floats]:
        return {"rows": self.rows, "coefficients": self.coefficients}

    def margin(self, scores: Floats) -> Floats:
        parts = [scores[start : start + CHUNK] for start in range(0, len(scores), CHUNK)]
        similar = (KERNELS[self.kernel](part, self.rows, self.width) for part in parts)
        return np.concatenate([(1.0 + part) @ self.coefficients for part in similar])


def fit(kernel: str, scores: Floats, psi: Floats, pull: Floats) -> list[tuple[KernelRidge, Floats]]:
    """The best model of each problem (column of ``pull``), and its leave-one-out margins."""
    found: list[tuple[float, KernelRidge, Floats] | None] = [None] * pull.shape[1]
    for width in (1.0,) if kernel == "linear" else WIDTHS:
        solver = Solver(1.0 + KERNELS[kernel](scores, scores, width), psi, pull)
        for ridge in RIDGES:
            margins, left_out = solver.solve(ridge)
            losses = (0.5 * psi[:, None] * left_out**2 - pull * left_out).sum(axis=0)
            for problem, loss in enumerate(losses.tolist()):
                best = found[problem]
                if best is None or loss < best[0]:
                    coefficients = (pull[:, problem] - psi * margins[:, problem]) / ridge
                    model = KernelRidge(kernel, width, float(ridge), scores, coefficients)
                    found[problem] = loss, model, left_out[:, problem]
    return [(best[1], best[2]) for best in found if best is not None]


class Solver:
    """All ridges of one kernel matrix K, by one eigendecomposition of S K S with S = sqrt(A):

    G = (K - K S (ridge + S K S)^-1 S K) / ridge, which allows rows with a_i = 0.
    """

    def __init__(self, kernel: Floats, psi: Floats, pull: Floats):
        root = np.sqrt(psi)
        values, vectors = np.linalg.eigh(root[:, None] * kernel * root)
        self._values = np.maximum(values, 0.0)
        self._turned = kernel @ (root[:, None] * vectors)
        self._squares = self._turned**2
        self._diagonal = np.diag(kernel)
        self._psi, self._pull = psi, pull
        self._pulled, self._projected = kernel @ pull, self._turned.T @ pull

    def solve(self, ridge: float) -> tuple[Floats, Floats]:
        """Margins, and margins without the row itself (shapes: rows, problems)."""
        inverse = 1.0 / (self._values + ridge)
        margins = (self._pulled - self._turned @ (inverse[:, None] * self._projected)) / ridge
        diagonal = ((self._diagonal - self._squares @ inverse) / ridge)[:, None]
        rest = np.maximum(1.0 - self._psi[:, None] * diagonal, 1e-9)
        return margins, (margins - diagonal * self._pull) / rest
