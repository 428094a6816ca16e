"""What must not matter: threads, the order of rows, names of classes, weights or copies; few labels and many."""

import numpy as np
import pandas as pd
import pytest

import agnoboost as ab
from agnoboost.estimators.table import training
from agnoboost.estimators.table.members import Runs

FEW, MANY = 120, 2_500
NAMES = ["small trees", "random trees", "linear"]  # bags or folds, random cuts, and leave-one-out


def problem(rows, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) + 0.5 * rng.normal(size=rows)
    return X, np.digitize(score, [0.0] if classes == 2 else [-0.7, 0.7])


def fitted(X, y, weight=None, **parameters):
    return ab.TableClassifier(**{"members": NAMES, "random_state": 0, **parameters}).fit(X, y, weight)


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_threads(rows):
    X, y = problem(rows)
    one, three = (fitted(X, y, n_jobs=jobs) for jobs in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), three.predict_proba(X))
    np.testing.assert_array_equal(one.oob_decision_function_, three.oob_decision_function_)


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_order_of_rows(rows):
    X, y = problem(rows)
    order = np.random.default_rng(1).permutation(rows)
    one, other = fitted(X, y), fitted(X[order], y[order])
    np.testing.assert_allclose(other.decision_function(X), one.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(other.oob_decision_function_, one.oob_decision_function_[order], atol=1e-9)


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_rows_of_weight_zero(rows):
    X, y = problem(rows)
    weight = np.where(np.arange(rows) % 4 == 0, 0.0, 1.5)
    kept = weight > 0
    with_zeros, without = fitted(X, np.where(kept, y, 1 - y), weight), fitted(X[kept], y[kept], weight[kept])
    np.testing.assert_allclose(with_zeros.decision_function(X), without.decision_function(X), atol=1e-9)
    assert with_zeros.n_labeled_ == kept.sum()


def test_copies_are_weights():
    X, y = problem(FEW)
    weight = np.random.default_rng(2).integers(1, 4, FEW)
    heavy = fitted(X, y, weight.astype(float), members="auto")
    copied = fitted(np.repeat(X, weight, axis=0), np.repeat(y, weight), members="auto")
    np.testing.assert_allclose(copied.decision_function(X), heavy.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(copied.oob_decision_function_, np.repeat(heavy.oob_decision_function_, weight))


@pytest.mark.parametrize("classes", [2, 3])
def test_names_of_classes(classes):
    X, y = problem(FEW, classes=classes)
    numbers, texts = fitted(X, y), fitted(X, np.array(["a", "b", "c"])[y])
    np.testing.assert_array_equal(texts.predict_proba(X), numbers.predict_proba(X))
    assert texts.predict(X).tolist() == ["abc"[code] for code in numbers.predict(X)]


@pytest.mark.parametrize("rows", [FEW, MANY])
def test_seeds(rows):
    X, y = problem(rows)
    one, again, other = (fitted(X, y, random_state=seed).decision_function(X) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.allclose(one, other)


def test_seeds_are_the_luck_of_trees_too(monkeypatch):
    """Not only that of the rows which they are grown on."""
    bags = Runs(bags=6).counts

    class Fixed:
        def counts(self, keys, seed):
            return bags(keys, 0)

    monkeypatch.setattr(training, "runs_for", lambda rows, effort: Fixed())
    X, y = problem(FEW)
    one, other = (fitted(X, y, members=["random trees"], random_state=seed).decision_function(X) for seed in (0, 1))
    assert not np.allclose(one, other)


def test_predictions_do_not_depend_on_the_rows_beside_them():
    X, y = problem(MANY)
    model = fitted(X, y)
    apart = np.concatenate([model.decision_function(X[:7]), model.decision_function(X[7:])])
    np.testing.assert_allclose(apart, model.decision_function(X), atol=1e-12)


def test_frames_are_arrays():
    X, y = problem(FEW)
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(FEW) * 7)
    np.testing.assert_array_equal(
        fitted(frame, pd.Series(y, index=frame.index)).decision_function(frame), fitted(X, y).decision_function(X)
    )
