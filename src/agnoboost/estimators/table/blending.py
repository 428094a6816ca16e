"""How members are put together, and how sure the result is: both by margins of rows that a member has not seen.

Members speak different languages: boosted trees in log-odds, or in mean labels, kernels in mean labels. So each gets a
slope of its own first, by which its margins become log-odds; a blend is a weighted sum of log-odds, and has a slope in
turn. Of several classes, each of which was told from the rest on its own, the probabilities are brought together by one
more number, their sharpness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize, minimize_scalar, nnls
from scipy.special import log_expit, log_softmax, softmax

from ...basics.typing import Floats

EQUAL_ROWS = 10.0  # equal weights are worth so many labels
SLOPES = (0.1, 20.0)
NOISE_ROWS = 16.0
DOUBT_ROWS = 2.0
SHARPNESS = (0.2, 10.0)
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


def joining_weights(
    log_odds: Floats, psi: Floats, pull: Floats, expected: Floats, rows: float, spread: float = 1.0
) -> Floats:
    """Nonnegative weights of whole models, by log-odds of unseen rows (shape: rows, models): least log loss.

    The ``expected`` weights are worth so many ``rows``. Models may be worth nothing, other than members: the log loss
    takes the weight of such a one back sooner than the squares of :func:`weights` do.
    """
    psi, pull = doubted(log_odds, psi, pull, spread)
    ridge = rows / 4.0 * np.average(log_odds**2, axis=0, weights=psi)  # 1/4: the curvature of the log loss at 0

    def loss(x: Floats) -> tuple[float, Floats]:
        u, off = log_odds @ x / 2.0, x - expected
        value = np.sum(psi * np.logaddexp(u, -u) - pull * u) + 0.5 * np.sum(ridge * off**2)
        return float(value), log_odds.T @ (psi * np.tanh(u) - pull) / 2.0 + ridge * off

    found = minimize(loss, expected, jac=True, bounds=[(0.0, None)] * len(expected), method="L-BFGS-B").x
    return np.asarray(found if found.any() else expected)


def slope(unseen: Floats, psi: Floats, pull: Floats, spread: float = 1.0) -> float:
    """The s for which 1/(1 + exp(-s H)) has the least log loss on margins of unseen rows.

    The log loss is such a potential, too: log(2 cosh(s H/2)) - y s H/2.
    """
    psi, pull = doubted(unseen[:, None], psi, pull, spread)

    def loss(s: float) -> float:
        u = s * unseen / 2.0
        return float(np.sum(psi * np.logaddexp(u, -u) - pull * u))

    return float(minimize_scalar(loss, bounds=SLOPES, method="bounded").x)


def doubted(unseen: Floats, psi: Floats, pull: Floats, spread: float) -> tuple[Floats, Floats]:
    """psi and pull of labels that are not quite believed, against margins (shape: rows, models).

    Labels are pulled towards 0 as if DOUBT_ROWS more rows had been of either class (Platt, 1999): otherwise a few rows
    that all are right would make it certain of everything. Stand-ins that are larger than 1 can by chance agree with
    margins more than perfectly; then the log loss has no minimum. So they are counted together with NOISE_ROWS *
    (``spread`` - 1) rows that say nothing, ``spread`` being their mean square, and agree by ``SUREST`` at most.
    """
    pull = pull * (psi.sum() / (psi.sum() + DOUBT_ROWS))
    if spread <= 1.0:
        return psi, pull
    psi = psi * (1.0 + NOISE_ROWS * (spread - 1.0) / psi.sum())
    most, agreed = SUREST * (psi @ np.abs(unseen)), np.abs(pull @ unseen)
    too_sure = agreed > most
    return psi, pull * float(np.min(most[too_sure] / agreed[too_sure], initial=1.0))


def probabilities(log_odds: Floats, sharp: float) -> Floats:
    """Of several classes, in proportion to 1/(1 + exp(-log-odds)) to the power of ``sharp``."""
    return np.asarray(softmax(sharp * log_expit(log_odds), axis=1))


def sharpness(log_odds: Floats, shares: Floats) -> float:
    """The one with the least log loss on log-odds of unseen rows; ``shares`` are weights of the classes of each row.

    Classes that were told from the rest one by one say too little of their rivals: each of many unlikely ones keeps a
    part, and the likeliest has too little left.
    """
    total, even = shares.sum(), shares.mean(axis=1, keepdims=True)
    shares = (total * shares + DOUBT_ROWS * even) / (total + DOUBT_ROWS)  # see doubted
    known = log_expit(log_odds)

    def loss(sharp: float) -> float:
        return -float(np.sum(shares * log_softmax(sharp * known, axis=1)))

    return float(minimize_scalar(loss, bounds=SHARPNESS, method="bounded").x)
