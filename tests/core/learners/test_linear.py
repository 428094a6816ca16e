"""Halfspaces by least squares, against the normal equations solved with other tools."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge

from agnoboost import Batch, LinearLearner
from agnoboost.core.learners import Linear


def noisy_halfspace(rng, rows=400, offset=0.3):
    X = rng.normal(size=(rows, 3)) * [1.0, 5.0, 0.1] + [0.0, 2.0, -1.0]
    target = 0.6 * np.sign((X - [0.0, 2.0, -1.0]) @ [1.0, -0.3, 4.0] + offset)
    mass = rng.random(rows)
    return Batch(X, target, mass / mass.sum())


def test_the_margin_is_least_squares(rng):
    batch = noisy_halfspace(rng)
    model = LinearRegression().fit(batch.X, batch.target, sample_weight=batch.mass)
    found = LinearLearner(ridge=0.0).fit(batch, rng)
    scale = found.weights[0] / model.coef_[0]
    assert scale > 0
    np.testing.assert_allclose(found.weights, scale * model.coef_, rtol=1e-6)
    assert found.offset == pytest.approx(scale * model.intercept_, rel=1e-5)
    np.testing.assert_array_equal(found.predict(batch.X), np.where(model.predict(batch.X) >= 0, 1, -1))


def test_without_offset_it_is_ridge_on_columns_of_unit_size(rng):
    batch = noisy_halfspace(rng, offset=0.0)
    size = np.sqrt(batch.mass @ batch.X**2)
    model = Ridge(alpha=0.5, fit_intercept=False).fit(batch.X / size, batch.target, sample_weight=batch.mass)
    found = LinearLearner(ridge=0.5, offset=False).fit(batch, rng)
    expected = model.coef_ / size
    np.testing.assert_allclose(found.weights, expected * (found.weights[0] / expected[0]), rtol=1e-6)
    assert found.offset == 0.0


def test_twice_the_row_or_twice_its_mass_is_the_same(rng):
    batch = noisy_halfspace(rng, rows=50)
    order = rng.permutation(50)
    X, target = np.concatenate([batch.X, batch.X[:10]])[::-1], np.concatenate([batch.target, batch.target[:10]])[::-1]
    mass = np.concatenate([batch.mass[:10] / 2, batch.mass[10:], batch.mass[:10] / 2])[::-1]
    expected = LinearLearner().fit(batch, rng)
    assert LinearLearner().fit(Batch(X, target, mass), rng) == expected
    assert LinearLearner().fit(Batch(batch.X[order], batch.target[order], batch.mass[order]), rng) == expected


def test_a_constant_is_taken_where_it_is_better(rng):
    X = rng.normal(size=(200, 2))
    target = np.full(200, -0.5)
    assert LinearLearner().fit(Batch(X, target, np.full(200, 1 / 200)), rng).predict(X).tolist() == [-1.0] * 200
    few = Batch(np.array([[0.0], [1.0], [1.1], [9.0]]), np.array([1.0, 1.0, 1.0, 0.9]), np.full(4, 0.25))
    assert LinearLearner().fit(few, rng).predict(few.X).tolist() == [1.0] * 4


def test_the_opposite_is_taken_where_it_is_better(rng):
    """One far row turns the fit against nine near ones; their number counts for the correlation."""
    X = np.array([[10.0], *[[1.0]] * 9])
    batch = Batch(X, np.array([1.0, *[-1.0] * 9]), np.full(10, 0.1))
    assert LinearLearner(offset=False).fit(batch, rng).predict(X).tolist() == [-1.0] * 10


def test_columns_that_never_change_get_no_weight(rng):
    batch = noisy_halfspace(rng)
    wider = Batch(np.column_stack([batch.X, np.full(len(batch.X), 7.0)]), batch.target, batch.mass)
    assert LinearLearner().fit(wider, rng).weights[3] == 0.0
    same = Batch(np.ones((4, 2)), np.array([1.0, -1.0, -1.0, -1.0]), np.full(4, 0.25))
    assert LinearLearner().fit(same, rng).predict(same.X).tolist() == [-1.0] * 4


def test_columns_of_very_different_sizes(rng):
    X = rng.normal(size=(400, 2)) * [1e-5, 1e5]
    batch = Batch(X, np.sign(X[:, 1]), np.full(400, 1 / 400))
    assert np.mean(LinearLearner().fit(batch, rng).predict(X) == np.sign(X[:, 1])) > 0.98


def test_zero_is_positive():
    assert Linear((1.0, 0.0), 0.0).predict(np.array([[0.0, 3.0], [-1.0, 3.0]])).tolist() == [1.0, -1.0]


def test_bad_input(rng):
    with pytest.raises(ValueError, match=r"ridge"):
        LinearLearner(ridge=-1.0)
    with pytest.raises(ValueError, match=r"LinearLearner takes none"):
        LinearLearner().check(np.array([[np.nan]]))
