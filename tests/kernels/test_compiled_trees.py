"""Compiled trees against their numpy twins: the same tree and the same values, whatever the table."""

import numpy as np
import pytest

from agnoboost.core.batch import Batch
from agnoboost.core.learners import HistogramTreeLearner
from agnoboost.core.learners.tree import CategorySet, Cut, Leaf, Split, Tree


def problem(seed):
    """Coarse and fine values, categories, gaps, equal and unequal masses, targets with many ties."""
    rng = np.random.default_rng(seed)
    rows, features = int(rng.integers(1, 400)), int(rng.integers(1, 12))
    X = rng.normal(size=(rows, features)).round(int(rng.integers(0, 3)))
    categorical = [column for column in range(features) if rng.random() < 0.3]
    X[:, categorical] = rng.integers(0, 7, (rows, len(categorical)))
    X[rng.random(X.shape) < 0.1 * (seed % 2)] = np.nan
    target = rng.uniform(-1, 1, rows) if seed % 3 else rng.choice([-1.0, 0.0, 1.0], rows)
    mass = rng.random(rows) if seed % 5 else np.ones(rows)
    looked_at = int(rng.integers(1, features + 1))
    learner = HistogramTreeLearner.from_data(
        X, int(rng.integers(1, 8)), categorical=categorical, max_features=looked_at
    )
    return learner, Batch(X, target, mass / mass.sum())


@pytest.mark.parametrize("seed", range(60))
def test_trees_and_their_values(seed, compile_from):
    learner, batch = problem(seed)
    found = {}
    for cells in (1e18, 0):
        compile_from(cells)
        tree = learner.fit(batch, np.random.default_rng(seed))
        found[cells] = (tree, tree.predict(batch.X))
    assert found[0][0] == found[1e18][0]
    np.testing.assert_array_equal(found[0][1], found[1e18][1])


def test_many_bins_in_one_node(compile_from, rng):
    """More different bins than are sorted one by one."""
    X = rng.normal(size=(3000, 2))
    batch = Batch(X, np.sign(np.sin(5 * X[:, 0])), np.full(3000, 1 / 3000))
    learner = HistogramTreeLearner.from_data(X, 6)
    trees = []
    for cells in (1e18, 0):
        compile_from(cells)
        trees.append(learner.fit(batch, rng))
    assert trees[0] == trees[1]


def test_a_table_with_too_few_columns_is_refused_either_way(compile_from):
    tree = Tree(Split(Cut(7, 0.0), Leaf(-1), Leaf(1)))
    for cells in (0, 1e18):
        compile_from(cells)
        with pytest.raises(IndexError):
            tree.predict(np.zeros((3, 2)))


@pytest.mark.parametrize("category", [255.0, -1.0, 1e9])
def test_an_impossible_category_is_refused_either_way(compile_from, category):
    tree = Tree(Split(CategorySet(0, (1, 2)), Leaf(-1), Leaf(1)))
    rows = np.array([[1.0], [3.0], [np.nan]])
    for cells in (0, 1e18):
        compile_from(cells)
        assert tree.predict(rows).tolist() == [1, -1, -1]
    for cells in (0, 1e18):
        compile_from(cells)
        if category == 1e9:
            with pytest.raises(IndexError):
                tree.predict(np.array([[category]]))
        else:  # numpy reads these as the missing category
            assert tree.predict(np.array([[category]])).tolist() == [-1]
