"""How students' log-odds are taken, and how whole models are weighed: against scikit-learn and numerical minima."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from agnoboost.estimators.table import blending
from agnoboost.estimators.table.machines import DOUBTS, calibration, unseen_calibrations, unseen_sums


@pytest.fixture
def lines(rng):
    f = rng.normal(size=80)
    psi = rng.uniform(0.5, 2.0, 80)
    return f, psi, psi * np.where(rng.random(80) < expit(0.5 + 1.5 * f), 1.0, -1.0)


def test_calibration_is_logistic_regression_with_its_penalty(lines):
    f, psi, pull = lines
    size = np.sqrt(np.average(f**2, weights=psi))
    shrunk = psi.sum() / (psi.sum() + blending.DOUBT_ROWS)
    design = np.column_stack([np.ones(len(f)), f / size]) * np.sqrt(4.0 / DOUBTS)  # so that the penalty is that of C=1
    up = (psi + shrunk * pull) / 2.0
    reference = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-12, max_iter=10_000)
    reference.fit(np.vstack([design, design]), np.repeat([1, 0], len(f)), np.concatenate([up, psi - up]))
    a, b = reference.coef_[0] * np.sqrt(4.0 / DOUBTS)
    assert calibration(f, psi, pull) == (pytest.approx(a, abs=1e-4), pytest.approx(b / size, abs=1e-4))


def test_calibration_of_nothing_is_nothing():
    psi = np.ones(30)
    assert calibration(np.zeros(30), psi, psi * np.tile([1.0, -1.0], 15))[0] == pytest.approx(0.0, abs=1e-9)


def test_unseen_calibrations_do_not_know_their_row(lines):
    f, psi, pull = lines
    fold = np.arange(80) % 10
    before = unseen_calibrations(f, psi, pull, fold)
    changed = pull.copy()
    changed[fold == 3] *= -1
    after = unseen_calibrations(f, psi, changed, fold)
    np.testing.assert_array_equal(before[fold == 3], after[fold == 3])
    assert (before[fold != 3] != after[fold != 3]).all()


def test_unseen_sums_do_not_know_their_row(rng, lines):
    f, psi, pull = lines
    table, fold = np.column_stack([f, rng.normal(size=80)]), np.arange(80) % 10
    table[5, 0] = np.nan
    before = unseen_sums(table, psi, pull, fold)
    changed = pull.copy()
    changed[fold == 3] *= -1
    np.testing.assert_array_equal(before[fold == 3], unseen_sums(table, psi, changed, fold)[fold == 3])
    assert np.isnan(before[5])
    assert np.isfinite(np.delete(before, 5)).all()


EXPECTED = np.array([0.1, 0.4, 0.3, 0.2])


def joining_loss(table, psi, pull):
    shrunk = pull * (psi.sum() / (psi.sum() + blending.DOUBT_ROWS))
    ridge = 7.0 / 4 * np.average(table**2, axis=0, weights=psi)

    def loss(x):
        u = table @ x
        log_loss = np.sum((psi + shrunk) / 2 * np.logaddexp(0, -u) + (psi - shrunk) / 2 * np.logaddexp(0, u))
        return log_loss + 0.5 * np.sum(ridge * (x - EXPECTED) ** 2)

    return loss


def test_joining_weights_have_the_least_loss(rng, lines):
    f, psi, pull = lines
    table = np.column_stack([f + 0.5 * rng.normal(size=80), f, -f, rng.normal(size=80)])
    found = blending.joining_weights(table, psi, pull, EXPECTED, 7.0)
    loss = joining_loss(table, psi, pull)
    assert (found >= 0).all()
    slow = minimize(loss, np.full(4, 0.25), method="Nelder-Mead", bounds=[(0, None)] * 4,
                    options={"maxiter": 20_000, "maxfev": 20_000, "xatol": 1e-8, "fatol": 1e-12})  # fmt: skip
    assert loss(found) <= slow.fun + 1e-4
    for _ in range(300):
        assert loss(np.maximum(found + 0.05 * rng.normal(size=4), 0)) >= loss(found) - 1e-6
    gradient = approx_fprime(found, loss, 1e-7)
    assert np.abs(gradient[found > 1e-6]).max() < 0.05
    assert (gradient[found <= 1e-6] > -0.05).all()
