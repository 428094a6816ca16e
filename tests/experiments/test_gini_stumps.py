"""Our Gini stumps against scikit-learn's, on batches like those of Table 1."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from agnoboost.core.batch import Batch
from agnoboost.core.learners import ClassifierLearner, Constant, Stump
from agnoboost.datasets import load
from agnoboost_experiments.table1 import boosters, splits
from agnoboost_experiments.table1.gini_stumps import GiniStumpLearner
from agnoboost_experiments.table1.printed import DATA_SETS

OWN, THEIRS = GiniStumpLearner(), ClassifierLearner(DecisionTreeClassifier(max_depth=1))


def rounded(X):
    """In single precision, which scikit-learn would round to."""
    return X.astype(np.float32).astype(np.float64)


def batches(name, count):
    """Few rows or a hundred, often twice the same; labels for certain, in part or not at all; masses equal or not."""
    table, rng = load(name), np.random.default_rng(0)
    X = rounded(table.X)
    for number in range(count):
        rows = rng.integers(len(table.y), size=(5, 20, 50, 100)[number % 4])
        target = table.y[rows] * rng.choice([1.0, 1.0, 0.7, 0.3, 0.0, -0.2], size=len(rows))
        mass = np.ones(len(rows)) if number % 3 else rng.exponential(size=len(rows)) * (rng.random(len(rows)) < 0.9)
        if mass.sum() > 0:
            yield Batch(X[rows], target, mass / mass.sum())


def impurities(batch, left):
    """Weighted Gini impurity of splits, one a row of ``left``, which says what rows of the batch are on the left."""
    total = np.zeros(len(left))
    for side in (left, ~left):
        weight, positive = side @ batch.mass, side @ (batch.mass * (1 + batch.target) / 2)
        share = positive / np.where(weight > 0, weight, 1.0)
        total += weight * 2 * share * (1 - share)
    return total


def splits_of(batch):
    """All splits that scikit-learn considers, by trying them: one a row, with true for the rows on the left."""
    kept, found = batch.mass > 0, []
    for column in batch.X.T:
        values = np.unique(column[kept & ~np.isnan(column)])
        left = column <= values[:, None]
        found += [left, left | np.isnan(column)]
    found = np.concatenate(found)
    return found[found[:, kept].any(axis=1) & ~found[:, kept].all(axis=1)]


def leaf_majorities(batch, left):
    """What both sides say, row by row."""
    signed = [batch.signed[side].sum() for side in (left, ~left)]
    return np.where(left, *(1 if value > 1e-12 else -1 for value in signed))


@pytest.mark.parametrize("name", DATA_SETS)
def test_the_split_has_the_impurity_of_scikit_learns_and_where_it_is_unique_the_same_predictions(name):
    """Also on rows that the batch does not have, with missing values among them."""
    rng, others, unique = np.random.default_rng(1), rounded(load(name).X[:300]), 0
    for batch in batches(name, 40):
        theirs, ours = THEIRS.fit(batch, rng), OWN.fit(batch, rng)
        kept, said = batch.mass > 0, ours.predict(batch.X)
        if isinstance(theirs, Constant):
            assert ours == theirs
            continue
        tree = theirs.estimator.tree_
        leaves = theirs.estimator.apply(batch.X)
        candidates = splits_of(batch)
        assert len(candidates) > 0
        assert tree.node_count == 3
        scores = impurities(batch, candidates)
        least = scores.min()
        assert impurities(batch, (leaves == leaves[0])[None]) == pytest.approx(least, abs=1e-10)
        best = candidates[scores <= least + 1e-10]
        assert any((said == leaf_majorities(batch, left))[kept].all() for left in best)
        if isinstance(ours, Stump):
            column = batch.X[:, ours.feature]
            left = np.where(np.isnan(column), ours.missing != ours.sign, column <= ours.threshold)
            assert impurities(batch, left[None]) == pytest.approx(least, abs=1e-10)
        sides = best[:, kept]
        if (sides == sides[0]).all(axis=1).all():
            unique += 1
            assert (said == theirs.predict(batch.X))[kept].all()
            if isinstance(ours, Stump) and tree.feature[0] == ours.feature:
                assert (ours.predict(others) == theirs.predict(others)).all()
    assert unique >= 20


def test_ties_between_features_go_to_any_of_them():
    column = np.arange(4.0)[:, None]
    batch = Batch(np.hstack([column, column, np.zeros((4, 1)), column]), np.array([-1.0, -1, 1, 1]), np.full(4, 0.25))
    rng = np.random.default_rng(0)
    found = [OWN.fit(batch, rng).feature for _ in range(300)]
    counts = np.bincount(found, minlength=4)
    assert counts[2] == 0
    assert (counts[[0, 1, 3]] > 70).all()


def fit(column, target, mass=None):
    rows = len(column)
    batch = Batch(
        np.array(column)[:, None], np.array(target), np.full(rows, 1 / rows) if mass is None else np.array(mass)
    )
    return OWN.fit(batch, np.random.default_rng(0))


def test_both_sides_may_have_the_same_majority():
    assert fit([1.0, 2.0, 3.0], [1.0, 1.0, 0.2]) == Constant(1)


def test_where_there_is_nothing_to_split_the_majority_speaks_and_none_is_minus():
    assert fit([1.0, 1.0], [1.0, -0.5]) == Constant(1)
    assert fit([1.0, 1.0], [1.0, -1.0]) == Constant(-1)
    assert fit([1.0, 2.0], [0.0, 0.0]) == Constant(-1)
    assert fit([np.nan, np.nan], [1.0, -0.5]) == Constant(1)


def test_rows_without_mass_are_no_rows():
    assert fit([1.0, 2.0, 9.0], [-1.0, 1.0, -1.0], [0.5, 0.5, 0.0]) == Stump(0, 1.5, 1, 1)


def test_missing_values_have_a_side():
    nan = np.nan
    assert fit([1.0, 2.0, 3.0, nan], [-1.0, -1.0, 1.0, 1.0]) == Stump(0, 2.5, 1, 1)
    assert fit([1.0, 2.0, 3.0, nan], [1.0, 1.0, -1.0, 1.0]) == Stump(0, 2.5, -1, 1)
    assert fit([1.0, 2.0, 3.0, nan], [1.0, 1.0, 1.0, -1.0]) == Stump(0, float("inf"), -1, -1)
    # None in the batch: the side of more rows, where a row with a mean label between -1 and 1 counts as two.
    assert fit([1.0, 2.0, 3.0], [-1.0, -1.0, 1.0]) == Stump(0, 2.5, 1, -1)
    assert fit([1.0, 2.0, 3.0], [-1.0, -1.0, 0.9]) == Stump(0, 2.5, 1, 1)
    assert fit([1.0, 2.0, 3.0, 4.0], [-0.9, -0.9, 1.0, 1.0]) == Stump(0, 2.5, 1, -1)


def test_the_two_kinds_of_stumps_differ_on_many_small_batches():
    """So the figures of one kind say little about those of the other."""
    different = total = 0
    for name in DATA_SETS:
        split = splits.honest(name, 0.0, 0, 50, seed=0)
        learners = [boosters.STUMPS[kind](split) for kind in ("correlation", "gini")]
        for batch in batches(name, 36):
            rng = np.random.default_rng(total)
            first, second = (one.fit(batch, rng).predict(batch.X) for one in learners)
            different += bool((first != second)[batch.mass > 0].any())
            total += 1
    assert 0.3 < different / total < 0.7, f"{different} of {total}"
