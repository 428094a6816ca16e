"""Regression trees on bins: against brute force, against the grower's own codes, and compiled against numpy."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_learners import regression_values

from agnoboost import Batch, HistogramTreeLearner
from agnoboost.basics.conventions import FINEST
from agnoboost.core.learners.regression_tree import RegressionTree
from agnoboost.kernels.gradient_trees import grow
from agnoboost.kernels.tree_rounds import CountedBatch

TOLERANCE = 1e-4  # sums are rounded to 31 bits of their total, and leaves to 20


def batch_of(seed, rows, levels=4, gaps=0.0):
    """Few values and real targets: many rows agree in every feature, but no two splits tie."""
    rng = np.random.default_rng(seed)
    X = rng.integers(levels, size=(rows, 3)).astype(float)
    X[rng.random(X.shape) < gaps] = np.nan
    mass = rng.integers(0, 3, rows) + (np.arange(rows) == 0) + 0.1 * rng.random(rows) * (seed % 2)
    return Batch(X, rng.uniform(-1, 1, rows), mass / mass.sum())


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 3), st.sampled_from([0.0, 0.25]))
def test_trees_equal_brute_force(seed, rows, depth, gaps):
    batch = batch_of(seed, rows, gaps=gaps)
    found = HistogramTreeLearner.from_data(batch.X, depth).fit(batch, np.random.default_rng(0)).predict(batch.X)
    held = batch.mass > 0
    np.testing.assert_allclose(found[held], regression_values(batch, depth)[held], atol=TOLERANCE)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 7))
def test_two_categories_and_missing_ones(seed, rows, flags):
    batch = batch_of(seed, rows, levels=2, gaps=0.25)
    categorical = [feature for feature in range(3) if flags & (1 << feature)]
    learner = HistogramTreeLearner.from_data(batch.X, 2, categorical=categorical)
    found, held = learner.fit(batch, np.random.default_rng(0)).predict(batch.X), batch.mass > 0
    np.testing.assert_allclose(found[held], regression_values(batch, 2, categorical)[held], atol=TOLERANCE)


@pytest.mark.parametrize("limits", [{"ridge": 0.1}, {"least": 0.15}, {"min_gain": 0.02}, {"ridge": 0.05, "least": 0.1}])
def test_what_holds_trees_back(limits):
    for seed in range(8):
        batch = batch_of(seed, 25)
        learner = replace(HistogramTreeLearner.from_data(batch.X, 3), **limits)
        found, held = learner.fit(batch, np.random.default_rng(0)).predict(batch.X), batch.mass > 0
        np.testing.assert_allclose(found[held], regression_values(batch, 3, **limits)[held], atol=TOLERANCE)


def test_the_edge_is_the_sum_of_squares_over_the_leaves():
    batch = batch_of(3, 25)
    tree = HistogramTreeLearner.from_data(batch.X, 2).fit(batch, np.random.default_rng(0))
    said = tree.predict(batch.X)
    leaves = [said == value for value in np.unique(said)]
    expected = sum(batch.signed[leaf].sum() ** 2 / batch.mass[leaf].sum() for leaf in leaves if batch.mass[leaf].any())
    assert batch.corr(said) == pytest.approx(expected, abs=1e-6)


def test_leaves_are_multiplied_and_clipped():
    batch = batch_of(4, 25)
    learner = HistogramTreeLearner.from_data(batch.X, 2)
    plain = learner.fit(batch, np.random.default_rng(0)).predict(batch.X)
    further = learner.with_gain_scaled(0.25).fit(batch, np.random.default_rng(0)).predict(batch.X)
    np.testing.assert_allclose(further, np.clip(4.0 * plain, -1, 1), atol=TOLERANCE)
    assert (np.abs(further) == 1.0).any()
    assert (np.abs(further) < 1.0).any()


def test_a_least_gain_shrinks_with_the_edges():
    """Targets that are smaller by a factor, and a learner that is told so, give the same splits and leaves."""
    batch = batch_of(5, 25)
    small = Batch(batch.X, 0.25 * batch.target, batch.mass)
    learner = replace(HistogramTreeLearner.from_data(batch.X, 3), min_gain=0.01)
    one = learner.fit(batch, np.random.default_rng(0)).predict(batch.X)
    other = learner.with_gain_scaled(0.25).fit(small, np.random.default_rng(0)).predict(batch.X)
    np.testing.assert_allclose(one, other, atol=TOLERANCE)


def rich(seed):
    """Coarse and fine values, many categories, gaps, equal and unequal masses, rows without mass."""
    rng = np.random.default_rng(seed)
    rows, features = int(rng.integers(2, 300)), int(rng.integers(1, 8))
    X = rng.normal(size=(rows, features)).round(int(rng.integers(0, 3)))
    categorical = [column for column in range(features) if rng.random() < 0.4]
    X[:, categorical] = rng.integers(0, 12, (rows, len(categorical)))
    X[rng.random(X.shape) < 0.1 * (seed % 2)] = np.nan
    target = rng.uniform(-1, 1, rows) if seed % 3 else rng.choice([-1.0, 0.0, 1.0], rows)
    mass = rng.random(rows) * rng.integers(0, 2, rows) if seed % 5 else np.ones(rows)
    mass[0] += 0.5
    learner = HistogramTreeLearner.from_data(X, int(rng.integers(1, 7)), categorical=categorical)
    learner = replace(learner, max_features=int(rng.integers(1, features + 1)), max_leaves=20, smooth=0.02, ridge=0.01)
    return learner, Batch(X, target, mass / mass.sum())


@pytest.mark.parametrize("seed", range(30))
def test_values_go_where_their_codes_go(seed):
    """The tree on values says of new rows what the grown tree says of their codes."""
    learner, batch = rich(seed)
    key = int(np.random.default_rng(seed).integers(2**63)) & 0xFFFFFFFF
    counts, bins = CountedBatch.of(batch.mass, batch.target), learner.bins
    growth = learner.growth(len(bins))
    limits = {name: getattr(growth, name) * counts.whole for name in ("ridge", "least", "smooth")}
    grown = grow(
        bins.encode(batch.X),
        counts.mass,
        counts.pull,
        batch.mass > 0,
        replace(growth, seed=key, **limits),
        categorical=bins.is_categorical,
        compiled=False,
    ).forest
    new = np.random.default_rng(seed + 1).permuted(batch.X, axis=0)
    expected = np.rint(grown.margins(bins.encode(new))[0] * FINEST) / FINEST
    found = learner.fit(batch, np.random.default_rng(seed)).predict(new)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", range(30))
def test_compiled_trees_and_their_values(seed, compile_from):
    learner, batch = rich(seed)
    found = {}
    for seconds in (1e18, 0):
        compile_from(seconds)
        tree = learner.fit(batch, np.random.default_rng(seed))
        found[seconds] = (tree, tree.predict(batch.X), tree.predict(np.asfortranarray(batch.X.astype(np.float32))))
    assert found[0][0] == found[1e18][0]
    assert hash(found[0][0]) == hash(found[1e18][0])
    for place in (1, 2):
        np.testing.assert_array_equal(found[0][place], found[1e18][place])


@pytest.mark.parametrize("seconds", [0, 1e18])
def test_sums_of_trees_are_exact(seconds, compile_from):
    learner, batch = rich(7)
    trees = [replace(learner, max_features=1).fit(batch, np.random.default_rng(seed)) for seed in range(5)]
    assert len(set(trees)) > 1
    coefs = [3, 2**20, 5, 2**21, 2**20 - 1]
    compile_from(seconds)
    expected = sum(np.rint(coef * tree.predict(batch.X)) for tree, coef in zip(trees, coefs, strict=True))
    assert np.array_equal(RegressionTree.weighted_sum(trees, coefs, batch.X), expected)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_row_of_weight_two_is_two_rows(compiled, compile_from):
    compile_from(0 if compiled else 1e18)
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, times = rng.normal(size=(40, 4)).round(1), rng.integers(0, 4, 40)
        target = rng.uniform(-1, 1, 40)
        weighted = Batch(X, target, times / times.sum())
        repeated = Batch(np.repeat(X, times, 0), np.repeat(target, times), np.full(times.sum(), 1 / times.sum()))
        learner = HistogramTreeLearner.from_data(X, 4)
        found = [learner.fit(batch, np.random.default_rng(0)) for batch in (weighted, repeated)]
        assert found[0] == found[1]


def test_trees_are_values():
    learner, batch = rich(1)
    tree = learner.fit(batch, np.random.default_rng(0))
    assert pickle.loads(pickle.dumps(tree)) == tree
    other = learner.fit(Batch(batch.X, -batch.target, batch.mass), np.random.default_rng(0))
    assert other != tree
    assert set(tree.features()) <= set(range(batch.X.shape[1]))


@pytest.mark.parametrize(
    "bad", [{"max_depth": 0}, {"max_leaves": 0}, {"max_features": 0}, {"ridge": -1.0}, {"least": 2.0}, {"reach": 0.0}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        HistogramTreeLearner(**bad)
