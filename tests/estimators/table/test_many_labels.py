"""The classifier for tables where trees are grown on folds: several thousand labels."""

import numpy as np
import pandas as pd
import pytest
from partly_labeled import table
from sklearn.base import clone
from sklearn.metrics import log_loss

import agnoboost as ab
from agnoboost.estimators.table import members, training
from agnoboost.estimators.table.blending import Weighing
from agnoboost.estimators.table.members import FOREST, Runs, names_for
from agnoboost.kernels.forest import Forest
from agnoboost.kernels.leaf_paths import leaf_paths

ROWS = 3_000


@pytest.fixture(scope="module")
def problem():
    return table(rows=ROWS + 2_000, labeled=ROWS, flips=0.1)


@pytest.fixture(scope="module")
def fast(problem):
    X, y, _ = problem
    return ab.TableClassifier(effort="fast", random_state=0).fit(X, y)


def test_it_learns_a_rule(problem, fast):
    X, _, truth = problem
    assert tuple(fast.weights_[0]) == names_for(ROWS, "fast")
    assert (fast.n_labeled_, fast.n_unlabeled_) == (ROWS, 2_000)
    assert fast.score(X[ROWS:], truth[ROWS:]) > 0.97
    p = fast.predict_proba(X[ROWS:])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert log_loss(truth[ROWS:], p) < 0.16  # 0.05 of the labels are wrong, which costs 0.05 at least


def test_full_effort_is_no_worse(problem, fast):
    X, y, truth = problem
    full = ab.TableClassifier(random_state=0).fit(X, y)
    assert tuple(full.weights_[0]) == names_for(ROWS, "full")
    assert not np.isnan(full.oob_decision_function_).any()  # every row is left out by one fold
    losses = [log_loss(truth[ROWS:], model.predict_proba(X[ROWS:])) for model in (full, fast)]
    assert losses[0] < losses[1] + 0.01


def test_several_classes():
    X, y, truth = table(rows=ROWS + 1_000, labeled=ROWS, classes=3)
    model = ab.TableClassifier(effort="fast", random_state=0).fit(X, y)
    assert model.score(X[ROWS:], truth[ROWS:]) > 0.93
    assert model.oob_decision_function_.shape == (ROWS, 3)
    assert len(model.weights_) == 3
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), model.classes_[p.argmax(axis=1)])


def test_gaps_and_categories():
    rng = np.random.default_rng(0)
    names = np.array([f"town {number}" for number in range(60)])
    town = rng.choice(names, ROWS + 1_000)
    size = np.where(rng.random(len(town)) < 0.2, np.nan, rng.normal(size=len(town)))
    frame = pd.DataFrame({"town": town, "size": size, "empty": np.full(len(town), np.nan)})
    truth = np.where(np.isin(town, names[::3]) ^ np.isnan(size), "yes", "no")  # towns of no order, and gaps that tell
    model = ab.TableClassifier(effort="fast", random_state=0).fit(frame[:ROWS], truth[:ROWS])
    assert model.score(frame[ROWS:], truth[ROWS:]) > 0.97
    strange = pd.DataFrame({"town": ["atlantis", names[0]], "size": [0.0, 1e300], "empty": [1.0, np.nan]})
    assert np.isfinite(model.predict_proba(strange)).all()
    assert model.predict(strange)[1] == "yes"


def test_crowded_rows():
    """The same few rows again and again: probabilities are the shares of the labels."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (20_000, 2)).astype(float)
    share = np.array([[0.1, 0.6], [0.8, 0.3]])
    y = rng.random(20_000) < share[X[:, 0].astype(int), X[:, 1].astype(int)]
    model = ab.TableClassifier(effort="fast", random_state=0).fit(X, y)
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    np.testing.assert_allclose(model.predict_proba(corners)[:, 1], share.ravel(), atol=0.04)


def test_rows_that_no_run_left_out_have_no_margin():
    """Of more than twenty thousand labels only some folds are used."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(24_000, 2))
    y = X[:, 0] + rng.normal(size=24_000) > 0
    model = ab.TableClassifier(members=["stumps", "linear"], effort="fast", random_state=0, tune_threshold=True)
    unseen = model.fit(X, y).oob_decision_function_
    known = ~np.isnan(unseen)
    assert 0.1 < known.mean() < 0.9
    assert np.mean((unseen[known] > 0) == y[known]) == pytest.approx(0.75, abs=0.03)
    assert np.mean(model.predict(X) == y) == pytest.approx(0.75, abs=0.03)


def racing(monkeypatch, little):
    """Members race from 1,000 rows on, with five folds."""
    monkeypatch.setattr(training, "RACE_ROWS", 1_000)
    monkeypatch.setattr(training, "LITTLE", little)
    monkeypatch.setattr(training, "runs_for", lambda rows, effort: Runs(folds=5, used=5))
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4_000, 3))
    y = X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=4_000) > 0
    names = ["small trees", "random trees", "linear"]
    return ab.TableClassifier(members=names, random_state=0), X, y


@pytest.mark.parametrize("little", [0.0, 2.0])
def test_members_race(little, monkeypatch):
    """What counts for little after one run is left out: here no tree, or all trees."""
    model, X, y = racing(monkeypatch, little)
    model.fit(X[:2_000], y[:2_000])
    unseen = model.oob_decision_function_
    assert not np.isnan(unseen).any()
    assert list(model.weights_[0]) == ["small trees", "random trees", "linear"]
    assert (model.weights_[0]["random trees"] == 0.0) == (little > 0.0)
    assert np.mean((unseen > 0) == y[:2_000]) == pytest.approx(0.89, abs=0.04)
    assert model.score(X[2_000:], y[2_000:]) > 0.86
    # However many runs, the model is their mean: as sure of new rows as of those left out.
    assert np.std(model.decision_function(X[2_000:])) == pytest.approx(np.std(unseen), rel=0.2)


def test_a_member_that_is_left_out_does_not_matter(monkeypatch):
    """Not even through the rows by which the others are weighed."""
    model, X, y = racing(monkeypatch, 0.3)
    monkeypatch.setattr(training, "weigh", real := Spy(training.weigh))
    model.fit(X[:2_000], y[:2_000])
    assert 0.0 in model.weights_[0].values()
    assert [len(table) for table in real.tables] == [pytest.approx(400, abs=60), 2_000]


class Spy:
    """A weighing that remembers the tables of margins it was given."""

    def __init__(self, weigh):
        self.weigh, self.tables = weigh, []

    def __call__(self, table, *rest):
        self.tables.append(table)
        return self.weigh(table, *rest)


def test_threads_do_not_matter_in_a_race(monkeypatch):
    model, X, y = racing(monkeypatch, 0.0)
    model.set_params(members=[*model.members, FOREST])
    one, other = (clone(model).set_params(n_jobs=jobs).fit(X[:2_000], y[:2_000]) for jobs in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_members_that_do_not_count_take_no_margins_away(monkeypatch):
    """Regressions may know some of the rows only."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(2_000, 2))
    y = X[:, 0] > 0
    monkeypatch.setattr(training, "MOST_BLENDED", 500)
    monkeypatch.setattr(training, "weigh", lambda *_: Weighing(np.array([1.0, 0.0]), np.ones(2), 1.0))
    model = ab.TableClassifier(members=["stumps", "linear"], random_state=0).fit(X, y)
    assert not np.isnan(model.oob_decision_function_).any()


def test_a_forest_joins_from_many_labels_on(monkeypatch):
    """A fine pattern of two columns, with wrong labels: what forests are better at than anything else here."""
    monkeypatch.setattr(members, "MANY", 1_000)
    monkeypatch.setattr(members, "VERY_MANY", 1_000)
    monkeypatch.setattr(training, "RACE_ROWS", 1_000)
    rng = np.random.default_rng(8)
    X = rng.uniform(size=(6_000, 2))
    truth = (np.floor(8 * X).sum(axis=1) % 2) == 0
    y = truth ^ (rng.random(6_000) < 0.2)
    model = ab.TableClassifier(random_state=0, n_jobs=2).fit(X[:4_000], y[:4_000])
    assert FOREST in model.weights_[0]
    alone = ab.TableClassifier(members=[FOREST], random_state=0).fit(X[:4_000], y[:4_000])
    assert alone.score(X[4_000:], truth[4_000:]) > 0.8
    assert model.score(X[4_000:], truth[4_000:]) > alone.score(X[4_000:], truth[4_000:]) - 0.02


def test_rows_that_a_regression_was_not_fitted_to_are_judged_too(monkeypatch):
    monkeypatch.setattr(training, "MOST_BLENDED", 300)
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1_500, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=1_500) > 0
    model = ab.TableClassifier(members=["linear"], random_state=0).fit(X, y)
    assert not np.isnan(model.oob_decision_function_).any()
    assert np.mean((model.oob_decision_function_ > 0) == y) > 0.88


def test_trees_are_not_deeper_than_explanations_can_follow():
    """A path that looks at another column at every step."""
    rng = np.random.default_rng(9)
    X = (rng.random((8_000, 130)) < 0.03).astype(float)
    y = rng.random(8_000) < 0.5 + 0.4 * np.sign(X.sum(axis=1) % 2 - 0.5)
    model = ab.TableClassifier(members=[FOREST], random_state=0).fit(X, y)
    steps = max(len(paths.steps) for paths in leaf_paths(model._model.blends[0].forest, np.arange(130)))
    assert 40 < steps <= members.DEEPEST
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_deeper_trees_of_a_file_are_not_explained_wrongly():
    child = np.zeros(2 * 70 + 1, dtype=np.int32)
    child[0 : 2 * 70 : 2] = np.arange(1, 2 * 70, 2)  # a chain: the second child goes on
    size = len(child)
    forest = Forest(
        70, np.zeros(1), np.array([0, 1]), np.array([0, size]), (np.arange(size) // 2 % 70).astype(np.int32),
        np.zeros(size, np.uint8), np.zeros(size, np.uint8), child, np.ones(size), np.zeros(size, np.int32),
        np.zeros((0, 4), np.uint64),
    )  # fmt: skip
    with pytest.raises(ValueError, match="at most 62 columns"):
        list(leaf_paths(forest, np.arange(70)))
