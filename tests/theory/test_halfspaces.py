"""Lemma half_weak: parities of few coordinates are weak learners of halfspaces, on the uniform cube.

All halfspaces of up to five coordinates are at hand: those with whole weights up to 5 are all there are.
"""

from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from problems import cube
from scipy.optimize import linprog

from agnoboost import Batch, ParityLearner
from agnoboost.kernels.walsh import subsets

LARGEST_WEIGHT = {1: 1, 2: 1, 3: 2, 4: 3, 5: 5}
KNOWN_COUNTS = {1: 4, 2: 14, 3: 104, 4: 1882, 5: 94572}  # linear threshold functions of n coordinates


@lru_cache
def halfspaces(n):
    """Values of sign(w x - theta) at all points of the cube, for every w and theta: a row each."""
    X, most = cube(n), LARGEST_WEIGHT[n]
    weights = np.array(list(product(range(-most, most + 1), repeat=n)))
    values = (weights @ X.T).astype(np.int8)
    bits = np.uint64(1) << np.arange(len(X), dtype=np.uint64)
    # It is enough to put theta at the value of a point, or above all of them.
    found = [np.unique((values >= values[:, [point]]) @ bits) for point in range(len(X))]
    codes = np.unique(np.concatenate([np.zeros(1, dtype=np.uint64), *found]))
    return np.where(codes[:, None] & bits, 1.0, -1.0)


def one_of_each_kind(n):
    """Halfspaces up to the symmetries of the cube: their mean and their correlations with x_i tell them apart."""
    kinds = {}
    for c in halfspaces(n):
        kinds.setdefault((abs(c.mean()), *sorted(np.abs(c @ cube(n)))), c)
    return list(kinds.values())


def parities(n, degree):
    return np.array([cube(n)[:, list(subset)].prod(axis=1) for subset in subsets(n, degree)])


def label_functions(n, rng, count):
    """E[y|x] of many kinds: noise, noisy halfspaces, noisy parities."""
    c, basis = halfspaces(n), parities(n, n)
    for number in range(count):
        noise = rng.uniform(-1, 1, 2**n)
        pattern = (c if number % 2 else basis)[rng.integers(len(c if number % 2 else basis))]
        share = rng.random()
        yield noise if number % 3 == 0 else share * pattern + (1 - share) * np.sign(noise)


@pytest.mark.parametrize("n", KNOWN_COUNTS)
def test_these_are_all_halfspaces(n):
    assert len(halfspaces(n)) == KNOWN_COUNTS[n]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_lemma_half_weak(rng, n):
    """corr(h) >= (max corr(c) - eps)/n^d with d = 20/eps^4; where that is beyond n, d = n will do, and no eps is lost.

    This is more than the lemma says, whose n^-d is nothing at all for such d.
    """
    X, uniform, reference = cube(n), np.full(2**n, 2.0**-n), halfspaces(n)
    for mean in label_functions(n, rng, 60):
        best = float((reference @ mean).max()) / 2**n
        found = ParityLearner(n).fit(Batch(X, mean, uniform), rng)
        assert np.mean(mean * found.predict(X)) >= best / n**n - 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_gamma_is_far_better_than_the_lemma_says(n):
    """With N parities gamma = N^(-1/2) will do for any degree, by Cauchy and Schwarz; n^-d is less than that."""
    for degree in range(1, n + 1):
        basis = parities(n, degree)
        coefficients = halfspaces(n) @ basis.T / 2**n
        assert np.abs(coefficients).sum(axis=1).max() <= np.sqrt(len(basis)) + 1e-9
        assert float(n) ** -degree <= len(basis) ** -0.5


def smallest_sum(c, basis, eps):
    """The least sum of absolute coefficients of a combination p of the basis with E|c - p| <= eps."""
    k, points = basis.shape
    eye = np.eye(points)
    conditions = np.block(
        [[basis.T, -basis.T, -eye], [-basis.T, basis.T, -eye], [np.zeros((1, 2 * k)), np.full((1, points), 1 / points)]]
    )
    cost = np.concatenate([np.ones(2 * k), np.zeros(points)])
    found = linprog(cost, conditions, np.concatenate([c, -c, [eps]]))
    return found.fun if found.success else np.inf


def worst_shortfall(c, basis, gamma, eps):
    """The least of max corr(parity) - gamma (corr(c) - eps) over all label functions: below 0, gamma is too large."""
    k, points = basis.shape
    correlations, below = basis / points, -np.ones((k, 1))
    conditions = np.block([[correlations, below], [-correlations, below]])
    cost = np.concatenate([-gamma * c / points, [1.0]])
    bounds = [(-1, 1)] * points + [(0, 1)]
    return linprog(cost, conditions, np.zeros(2 * k), bounds=bounds).fun + gamma * eps


# The largest gamma for which corr(h) >= gamma (max corr(c) - eps) on four coordinates, by degree and eps.
SHARP = {
    (4, 0.0): 2 / 7,
    (4, 0.125): 1 / 3,
    (4, 0.25): 2 / 5,
    (1, 0.5): 2 / 3,
    (2, 0.5): 2 / 3,
    (3, 0.25): 0.0,  # some halfspace is further than eps from all combinations of these parities
    (3, 0.0): 0.0,
}


@pytest.mark.parametrize(("degree", "eps"), SHARP)
def test_the_sharp_gamma_on_four_coordinates(rng, degree, eps):
    basis = parities(4, degree)
    sums = [smallest_sum(c, basis, eps) for c in one_of_each_kind(4)]
    gamma = 1 / max(sums)
    assert gamma == pytest.approx(SHARP[degree, eps], abs=1e-6)
    for mean in label_functions(4, rng, 300):
        best = float((halfspaces(4) @ mean).max()) / 16
        assert np.abs(basis @ mean).max() / 16 >= gamma * (best - eps) - 1e-9
    hardest = one_of_each_kind(4)[int(np.argmax(sums))]
    assert worst_shortfall(hardest, basis, gamma, eps) >= -1e-9
    assert worst_shortfall(hardest, basis, 1.05 * gamma + 1e-3, eps) < -1e-6
