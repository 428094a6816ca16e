"""How members are put together, and how sure the result is: both by margins of rows that a member has not seen.

Members speak different languages: boosted trees in log-odds, or in mean labels, kernels in mean labels. So each gets a
slope of its own first, by which its margins become log-odds; a blend is a weighted sum of log-odds, and has a slope in
turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize_scalar, nnls

from ...basics.typing import Floats

EQUAL_ROWS = 10.0  # equal weights are worth so many labels
SLOPES = (0.1, 20.0)
NOISE_ROWS = 16.0
SUREST = 0.98  # of sum psi |H|: what sum pull H may be


@dataclass(frozen=True)
class Weighing:
    """Weights of the members, a slope for the margins of each, and the slope of their sum."""

    weights: Floats
    slopes: Floats
    slope: float

    @property
    def factors(self) -> Floats:
        """What the margins of each member are multiplied by."""
        return self.weights * self.slopes


def weigh(unseen: Floats, psi: Floats, pull: Floats, spread: float = 1.0) -> Weighing:
    """By margins of unseen rows (shape: rows, members)."""
    slopes = np.array([slope(own, psi, pull, spread) for own in unseen.T])
    found = weights(np.tanh(unseen * slopes / 2.0), psi, pull)
    return Weighing(found, slopes, slope(unseen @ (found * slopes), psi, pull, spread))


def weights(unseen: Floats, psi: Floats, pull: Floats) -> Floats:
    """Nonnegative weights x of the members that minimise

    sum_i a_i (unseen_i . x)^2/2 - b_i (unseen_i . x) + EQUAL_ROWS/2 |x - 1/members|^2.

    With few labels members count about equally.
    """
    members = unseen.shape[1]
    square = unseen.T @ (psi[:, None] * unseen) + EQUAL_ROWS * np.eye(members)
    linear = unseen.T @ pull + EQUAL_ROWS / members
    try:
        lower = cholesky(square, lower=True)
    except np.linalg.LinAlgError:  # weights of rows that are 1e16 apart
        return np.full(members, 1.0 / members)
    found = nnls(lower.T, solve_triangular(lower, linear, lower=True))[0]
    return np.asarray(found if found.any() else np.full(members, 1.0 / members))


def slope(unseen: Floats, psi: Floats, pull: Floats, spread: float = 1.0) -> float:
    """The s for which 1/(1 + exp(-s H)) has the least log loss on margins of unseen rows.

    The log loss is such a potential, too: log(2 cosh(s H/2)) - y s H/2. Stand-ins that are larger than 1 can by chance
    agree with the margins more than perfectly; then it has no minimum. So they are counted together with NOISE_ROWS *
    (``spread`` - 1) rows that say nothing, ``spread`` being their mean square, and agree by ``SUREST`` at most.
    """
    psi = psi * (1.0 + NOISE_ROWS * max(spread - 1.0, 0.0) / psi.sum())
    most = SUREST * float(np.sum(psi * np.abs(unseen)))
    if spread > 1.0 and float(np.sum(pull * unseen)) > most:
        pull = pull * (most / float(np.sum(pull * unseen)))

    def loss(s: float) -> float:
        u = s * unseen / 2.0
        return float(np.sum(psi * np.logaddexp(u, -u) - pull * u))

    return float(minimize_scalar(loss, bounds=SLOPES, method="bounded").x)
