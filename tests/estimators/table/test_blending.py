"""Blends by their own condition: weights, slopes, and what they do to members of different languages."""

import numpy as np
import pytest
from scipy.optimize import minimize

from agnoboost.estimators.table.blending import EQUAL_ROWS, SLOPES, probabilities, sharpness, slope, weigh, weights

RNG = np.random.default_rng


def test_blend_is_the_constrained_minimum():
    rng = RNG(2)
    unseen, psi = rng.normal(size=(50, 4)), rng.uniform(0.5, 2, 50)
    pull = psi * np.sign(unseen[:, 0] - 0.4 * unseen[:, 1] + 0.2 * rng.normal(size=50))

    def objective(x):
        margin = unseen @ x
        return 0.5 * psi @ margin**2 - pull @ margin + 0.5 * EQUAL_ROWS * np.sum((x - 0.25) ** 2)

    found = minimize(objective, np.full(4, 0.25), bounds=[(0, None)] * 4, tol=1e-12)
    own = weights(unseen, psi, pull)
    np.testing.assert_allclose(own, found.x, atol=1e-4)
    assert own[1] == 0.0  # it would like to be negative


def test_slope_recovers_the_log_odds():
    rng = RNG(3)
    margin = rng.uniform(-1, 1, 100_000)
    y = np.where(rng.random(100_000) < 1 / (1 + np.exp(-3.0 * margin)), 1.0, -1.0)
    assert slope(margin, np.ones(len(y)), y) == pytest.approx(3.0, abs=0.1)


def test_members_that_are_all_wrong_count_equally():
    unseen = -RNG(10).uniform(0.5, 1.0, size=(500, 3))
    np.testing.assert_array_equal(weights(unseen, np.ones(500), np.ones(500)), np.full(3, 1 / 3))


def labels_of(margin, rng):
    """By log-odds."""
    return np.where(rng.random(len(margin)) < 1 / (1 + np.exp(-margin)), 1.0, -1.0)


def test_members_are_put_on_one_scale_before_they_are_weighed():
    """What a member is multiplied by beforehand does not matter: its slope makes up for it."""
    rng = RNG(4)
    truth = rng.normal(size=3000) * 2
    y = labels_of(truth, rng)
    unseen = truth[:, None] + rng.normal(size=(3000, 3))
    one = weigh(unseen, np.ones(3000), y)
    scale = np.array([1.0, 0.2, 3.0])
    other = weigh(unseen * scale, np.ones(3000), y)
    np.testing.assert_allclose(other.weights, one.weights, atol=1e-3)
    np.testing.assert_allclose(other.slopes * scale, one.slopes, rtol=1e-3)
    np.testing.assert_allclose(other.factors, other.weights * other.slopes)


def test_the_slope_of_a_weighing_is_that_of_its_sum():
    rng = RNG(5)
    truth = rng.normal(size=2000)
    unseen = np.column_stack([truth, truth + rng.normal(size=2000)])
    psi, pull = np.ones(2000), labels_of(truth, rng)
    found = weigh(unseen, psi, pull)
    assert found.slope == slope(unseen @ found.factors, psi, pull)
    assert found.weights[0] > found.weights[1]


def test_weights_of_rows_that_are_worlds_apart():
    """No Cholesky factor: members count equally."""
    unseen = np.array([[1.0, 1.0], [0.5, -0.5]])
    np.testing.assert_array_equal(weights(unseen, np.array([1e20, 1e-20]), np.array([1e20, 1e-20])), [0.5, 0.5])


def test_stand_ins_that_agree_more_than_perfectly_have_a_finite_slope():
    """Pull 2.5 times as large as psi: the log loss alone would fall for ever."""
    margin = RNG(6).uniform(-1, 1, 40)
    pull = 2.5 * np.sign(margin)
    spread = float(np.mean(pull**2))
    assert slope(margin, np.ones(40), pull) == pytest.approx(SLOPES[1], abs=1e-3)
    assert slope(margin, np.ones(40), pull, spread) < 0.5 * SLOPES[1]


def test_a_few_rows_that_all_are_right_do_not_make_certain():
    """Ten rows on the right side: about as sure as one in twelve that more would be."""
    margin = np.where(np.arange(10) % 2, 1.0, -1.0)
    found = slope(margin, np.ones(10), margin)
    assert 1 / (1 + np.exp(-found)) == pytest.approx(1 - 1 / 12, abs=1e-3)


def by_chance(log_odds, rng):
    """Classes drawn in proportion to exp(log-odds)."""
    p = np.exp(log_odds)
    p /= p.sum(axis=1, keepdims=True)
    return (p.cumsum(axis=1) < rng.random((len(p), 1))).sum(axis=1)


@pytest.mark.parametrize("sharp", [0.5, 1.0, 2.5])
def test_sharpness_is_found_again(sharp):
    rng = RNG(6)
    log_odds = 2.0 * rng.normal(size=(40_000, 4))
    codes = by_chance(np.log(probabilities(log_odds, sharp)), rng)
    assert sharpness(log_odds, np.eye(4)[codes]) == pytest.approx(sharp, rel=0.05)


def test_sharpness_of_a_few_right_rows_is_bounded():
    log_odds = 4.0 * np.eye(3) - 2.0
    assert sharpness(log_odds, np.eye(3)) < 3.0
    shares = probabilities(log_odds, sharpness(log_odds, np.eye(3)))
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares.argmax(axis=1), [0, 1, 2])
