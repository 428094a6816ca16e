"""The classifier for tables as its users meet it, with few labels."""

import re

import numpy as np
import pandas as pd
import pytest
from partly_labeled import table
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score, brier_score_loss

import agnoboost as ab
from agnoboost.estimators.table import model as table_model
from agnoboost.estimators.table.members import MEMBERS, names_for
from agnoboost.estimators.table.model import TableModel


def fitted(**parameters):
    X, y, truth = table()
    return ab.TableClassifier(random_state=0, **parameters).fit(X, y), X, truth


def test_learns_from_few_noisy_labels():
    model, X, truth = fitted()
    assert model.score(X[120:], truth[120:]) > 0.82
    assert (model.n_labeled_, model.n_unlabeled_) == (120, 280)
    assert tuple(model.weights_[0]) == names_for(120, "full")


def test_probabilities_are_better_than_margins_clipped():
    X, y, truth = table(rows=2000, labeled=150, flips=0.0, seed=3)
    model = ab.TableClassifier(random_state=0).fit(X, y)
    p = model.predict_proba(X[150:])[:, 1]
    plain = np.clip((1 + model.decision_function(X[150:])) / 2, 0, 1)
    assert brier_score_loss(truth[150:], p) < brier_score_loss(truth[150:], plain)


def test_same_seed_same_model_in_any_order():
    model, X, _ = fitted()
    again, _, _ = fitted()
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    order = np.random.default_rng(0).permutation(len(X))
    X, y, _ = table()
    mixed = clone(model).fit(X[order], y[order])
    np.testing.assert_allclose(mixed.decision_function(X), model.decision_function(X), atol=1e-9)
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert not np.allclose(other.decision_function(X), model.decision_function(X))


def test_unlabeled_rows_in_y_or_beside_it():
    model, X, _ = fitted()
    _, y, _ = table()
    beside = clone(model).fit(X[:120], y[:120], X_unlabeled=X[120:])
    np.testing.assert_allclose(beside.decision_function(X), model.decision_function(X), atol=1e-9)
    without = clone(model).fit(X[:120], y[:120])
    assert not np.allclose(without.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("name", MEMBERS)
def test_one_member_alone(name):
    model, X, truth = fitted(members=[name])
    assert list(model.weights_[0]) == [name]
    assert model.score(X[120:], truth[120:]) > 0.75


def test_several_classes():
    X, y, truth = table(rows=800, labeled=240, classes=3)
    model = ab.TableClassifier(random_state=0).fit(X, y)
    assert model.score(X[240:], truth[240:]) > 0.65
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.oob_decision_function_.shape == (240, 3)
    assert len(model.weights_) == 3


def test_categories_and_missing_values():
    rng = np.random.default_rng(0)
    color = rng.choice(["red", "green", "blue", None], 600)
    size = np.where(rng.random(600) < 0.2, np.nan, rng.normal(size=600))
    frame = pd.DataFrame({"color": pd.Categorical(color), "size": size, "empty": np.full(600, np.nan)})
    truth = ((color == "red") | (np.nan_to_num(size) > 0.8)).astype(int)
    y = truth.astype(float)
    y[150:] = np.nan
    model = ab.TableClassifier(random_state=0).fit(frame, y)
    assert model.score(frame[150:], truth[150:]) > 0.93
    strange = pd.DataFrame({"color": ["pink", "red"], "size": [np.nan, -1e9], "empty": [1.0, np.nan]})
    assert model.predict(strange).tolist() == [0, 1]


def test_columns_with_few_values():
    """The same rows again and again: leaving a row out must not leave all its kind out."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (400, 1)).astype(float)
    y = (x[:, 0] > 0) ^ (rng.random(400) < 0.1)
    p = ab.TableClassifier(random_state=0).fit(x, y).predict_proba([[0.0], [1.0]])[:, 1]
    np.testing.assert_allclose(p, [0.1, 0.9], atol=0.07)
    X = rng.integers(0, 2, (400, 2)).astype(float)
    either = X[:, 0] != X[:, 1]
    assert ab.TableClassifier(random_state=0).fit(X, either).score(X, either) == 1.0


def test_several_classes_by_their_probabilities():
    X, y, _ = table(rows=600, labeled=150, classes=4)
    model = ab.TableClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])


@pytest.mark.filterwarnings("ignore::agnoboost.evaluation.by_class.NeverPredictedWarning")  # one row outweighs all
def test_extreme_weights_and_values():
    X, y, _ = table()
    weight = np.ones(len(X))
    weight[np.argmax(X[:, 0])], weight[0] = 1e-20, 1e20
    model = ab.TableClassifier(random_state=0).fit(X, y, weight)
    assert np.isfinite(model.predict_proba(X)).all()
    X[0, 0] = 1e300
    assert np.isfinite(ab.TableClassifier(random_state=0).fit(X, y).predict_proba(X)).all()


def test_rare_class():
    X, _, _ = table(rows=1500, seed=5)
    truth = (X[:, 0] + X[:, 1] > 1.8).astype(int)
    y = truth.astype(float)
    y[200:] = np.nan
    plain = ab.TableClassifier(random_state=0).fit(X, y)
    tuned = ab.TableClassifier(random_state=0, tune_threshold=True).fit(X, y)
    balanced = ab.TableClassifier(random_state=0, class_weight="balanced").fit(X, y)
    scores = [balanced_accuracy_score(truth[200:], m.predict(X[200:])) for m in (plain, tuned, balanced)]
    assert min(scores[1:]) > scores[0]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"members": ["oaks"]}, r"members must be 'auto' or some of stumps, .* Got \['oaks'\]"),
        ({"members": []}, r"members must be 'auto'"),
        ({"members": None}, r"members must be 'auto'.* Got None"),
        ({"members": "trees"}, r"members must be 'auto'.* Got 'trees'"),
        ({"effort": "lots"}, r"effort must be 'fast', 'full'. Got 'lots'"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        fitted(**parameters)


def test_a_failed_fit_leaves_no_half_model():
    model, X, _ = fitted()
    with pytest.raises(ValueError, match=r"at least 2 classes.*PositiveUnlabeled"):
        model.fit(X, np.ones(len(X)))
    with pytest.raises(Exception, match="not fitted yet"):
        model.predict(X)


def test_verbose_says_what_is_done_and_what_counts(capsys, monkeypatch):
    for name in ("QUICK", "BREATH"):  # else quick work says less
        monkeypatch.setattr(f"agnoboost.basics.stages.{name}", 0.0)
    fitted(members=["stumps", "linear"])
    assert capsys.readouterr().out == ""
    fitted(members=["stumps", "linear"], verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "agnoboost: reading"
    steps = [line for line in lines if "/" in line]
    for name in ("bins and ranks", "stumps"):
        assert any(re.match(rf"agnoboost: \[\d/{len(steps)}\] {name}(; .* s|$)", line) for line in steps)
    assert re.fullmatch(r"agnoboost: 120 labels; stumps \d\.\d\d, linear \d\.\d\d; slope .* s in all", lines[-1])


def test_minus_one_thread_is_all_cores():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.tile([0, 1], 30)
    one, all_cores = (ab.TableClassifier("fast", n_jobs=jobs, random_state=0).fit(X, y) for jobs in (1, -1))
    np.testing.assert_array_equal(one.predict_proba(X), all_cores.predict_proba(X))
    for wrong in (0, -2, 1.5, True, "all"):
        with pytest.raises(ValueError, match="n_jobs must be None or -1"):
            ab.TableClassifier(n_jobs=wrong).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({0: -1, 1: 1}, "numbers above 0. Got -1 for class 0"),
        ({0: 1, 1: float("nan")}, "numbers above 0. Got nan for class 1"),
        ({0: 1, 1: float("inf")}, "numbers above 0. Got inf"),
        ({0: 0, 1: 1}, "To leave a class out, leave out its rows"),
        ({0: 1, "1": 2}, "class_weight must name classes of y, 0, 1. Got '1'. Is it of another type"),
        ("balance", "'balanced' or a dict with a weight for each class. Got 'balance'"),
    ],
)
def test_weights_of_classes_are_checked_before_any_work(weights, message):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.tile([0, 1], 30)
    with pytest.raises(ValueError, match=message):
        ab.TableClassifier(class_weight=weights).fit(X, y)


def test_weights_of_classes_that_are_mistyped_are_named():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.tile(["no", "yes"], 30)
    with pytest.raises(ValueError, match=r"classes of y, 'no', 'yes'. Got 'Yes'. Did you mean 'yes'\?"):
        ab.TableClassifier(class_weight={"Yes": 10}).fit(X, y)
    ab.TableClassifier(members=["stumps"], class_weight={"no": 1, "yes": 10, "more": 2}).fit(X, y)  # as in a fold


def test_weights_of_scores_are_checked():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.tile([0, 1], 30)
    model = ab.TableClassifier("fast", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="sample_weight"):
        model.score(X, y, np.ones(10))
    with pytest.raises(ValueError, match="must have a sample_weight above 0"):
        model.score(X, np.where(np.arange(60) == 7, np.nan, y), np.arange(60) == 7)


def test_wide_tables_are_predicted_by_fewer_rows_at_a_time(monkeypatch):
    """So that memory stays bounded, whatever the number of columns; results do not depend on it."""
    X, y, _ = table()
    model = ab.TableClassifier(effort="fast", members=["linear"], random_state=0).fit(X, y)
    wanted, sizes, plain = model.predict_proba(X), [], TableModel._margins
    monkeypatch.setattr(TableModel, "_margins", lambda self, X, *more: sizes.append(len(X)) or plain(self, X, *more))
    monkeypatch.setattr(table_model, "MOST_CELLS", 40 * X.shape[1])
    monkeypatch.setattr(table_model, "FEWEST_ROWS", 8)
    np.testing.assert_array_equal(model.predict_proba(X), wanted)
    assert max(sizes) == 40
