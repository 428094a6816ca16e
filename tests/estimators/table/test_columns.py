"""Rows as bins and as normal scores."""

import numpy as np
import pytest
from scipy.special import ndtri

from agnoboost.estimators.table.columns import MOST_KNOTS, RAREST, Coder, Scores
from agnoboost.kernels.binning import MISSING

RNG = np.random.default_rng


def test_scores_are_normal_ranks_and_bounded():
    rng = RNG(5)
    X = np.exp(4 * rng.normal(size=(3000, 1)))  # however skewed
    scores = Scores.of(X, np.ones(3000), [])
    found = scores.transform(X)[:, 1]
    assert abs(found.mean()) < 0.01
    assert found.std() == pytest.approx(1.0, abs=0.02)
    assert np.all(np.diff(found[np.argsort(X[:, 0])]) >= 0)
    beyond = scores.transform(np.array([[-1e300], [1e300], [np.nan]]))[:, 1]
    assert np.isfinite(beyond).all()
    assert np.abs(beyond).max() < 4


def test_scores_of_weighted_rows_are_those_of_repeated_rows():
    X, weight = RNG(6).normal(size=(20, 2)), RNG(7).integers(1, 4, 20)
    one, two = (
        Scores.of(X, weight.astype(float), []),
        Scores.of(np.repeat(X, weight, axis=0), np.ones(weight.sum()), []),
    )
    np.testing.assert_allclose(one.transform(X), two.transform(X))


def test_scores_between_knots_are_close_to_those_of_all_values():
    X = RNG(0).exponential(size=(5 * MOST_KNOTS, 1))
    rank = (np.argsort(np.argsort(X[:, 0])) + 0.5) / len(X)
    scores = Scores.of(X, np.ones(len(X)), [])
    assert len(scores.knots[0]) == MOST_KNOTS
    inner = (rank > 0.01) & (rank < 0.99)
    np.testing.assert_allclose(scores.transform(X)[inner, 1], ndtri(rank)[inner], atol=0.02)


def test_gaps_and_categories_have_columns_of_their_own():
    X = np.array([[0.0, 1.0, np.nan], [2.0, np.nan, np.nan], [1.0, 3.0, np.nan]])
    scores = Scores.of(X, np.ones(3), [0])
    found = scores.transform(np.vstack([X, [[9.0, 2.0, 5.0]]]))  # a category that was not there
    nothing, categories, numbers, gap, empty = found[:, 0], found[:, 1:4], found[:, 4], found[:, 5], found[:, 6]
    assert not nothing.any()
    np.testing.assert_array_equal(categories, [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]])
    assert numbers[0] == -numbers[2] < 0 == numbers[1]
    assert numbers[3] == pytest.approx(0.0)
    assert gap.tolist() == [0, 1, 0, 0]
    assert empty.tolist() == [1, 1, 1, 0]


def test_bins_keep_order_and_mark_gaps():
    X = np.column_stack([RNG(1).normal(size=500), np.repeat([3.0, np.nan], 250)])
    codes = Coder.of(X, [], 31).encode(X)
    assert codes.shape == (2, 500)
    assert len(np.unique(codes[0])) == 31
    assert (np.diff(codes[0][np.argsort(X[:, 0])].astype(int)) >= 0).all()
    assert (codes[1] == MISSING).tolist() == [False] * 250 + [True] * 250


def test_categories_are_numbered_by_their_frequency():
    column = np.concatenate([np.repeat([50.0, 51.0], 400), np.arange(50.0), np.arange(50.0)])[:, None]
    coder = Coder.of(column, [0], 31)
    assert coder.encode(np.array([[50.0], [51.0], [np.nan], [200.0]]))[0].tolist() == [0, 1, MISSING, RAREST]
    assert len(np.unique(coder.encode(column))) == 52
    few = Coder(coder.bins, coder.ranks, last=10)  # as in files of the first version
    assert few.encode(column)[0].max() == 10
    assert few.encode(np.array([[50.0], [51.0]]))[0].tolist() == [0, 1]
