"""Permutation importance: held-out labels, gaps, and what it costs to shuffle."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance as of_sklearn
from sklearn.linear_model import LogisticRegression

import agnoboost as ab
from agnoboost.explain import permutation_importance


def problem(rows=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=rows), "kind": rng.choice(["a", "b"], rows), "z": rng.normal(size=rows)})
    y = np.where(frame["x"] + (frame["kind"] == "a") > 0.5, "yes", "no").astype(object)
    return frame, y


@pytest.fixture(scope="module")
def model():
    frame, y = problem()
    return ab.TableClassifier("fast", random_state=0).fit(frame[:100], y[:100])


def test_gaps_are_left_out_and_the_rest_is_that_of_sklearn(model):
    frame, y = problem()
    gaps = y[100:].copy()
    gaps[::3] = None
    found = permutation_importance(model, frame[100:], gaps, scoring="accuracy", repeats=4)
    known = np.array([value is not None for value in gaps])
    expected = of_sklearn(
        model, frame[100:][known], gaps[known].astype(object), scoring="accuracy", n_repeats=4, random_state=0
    )
    np.testing.assert_allclose(found.losses, expected.importances)
    assert found.score == pytest.approx(model.score(frame[100:], gaps))
    assert (found.measure, found.held_out) == ("accuracy", False)
    assert [found.columns[place] for place in found.order] == ["x", "kind", "z"]
    low, high = found.interval
    assert (low <= found.mean).all()
    assert (found.mean <= high).all()


def test_log_loss_does_not_mind_a_class_that_does_not_occur(model):
    frame, y = problem()
    own = np.flatnonzero(y[100:] == "yes") + 100
    found = permutation_importance(model, frame.iloc[own], y[own], repeats=2)
    p = model.predict_proba(frame.iloc[own])[:, list(model.classes_).index("yes")]
    assert found.score == pytest.approx(np.log(p).mean())
    assert found.measure == "log loss"


def test_with_folds_every_label_is_judged_by_a_model_that_has_not_seen_it():
    shared, trained = [], []

    class Remembering(LogisticRegression):
        def fit(self, X, y):
            known = ~np.isnan(y)
            self.rows, self.missing_label = set(X[known, 0]), "auto"
            trained.append(len(X))
            return super().fit(X[known], y[known])

        def predict_proba(self, X):
            shared.append(len(self.rows & set(X[:, 0])))
            return super().predict_proba(X)

    X = np.random.default_rng(0).normal(size=(90, 3))
    y = np.where(np.arange(90) < 60, X[:, 1] > 0, np.nan)
    found = permutation_importance(Remembering(), X, y, cv=3, repeats=2)
    assert found.held_out
    assert found.losses.shape == (3, 6)
    assert found.order[0] == 1
    assert trained == [70, 70, 70]  # unlabeled rows are in every training set
    assert max(shared) == 0


def test_frames_of_polars(model):
    polars = pytest.importorskip("polars")
    frame, y = problem()
    found = permutation_importance(model, polars.from_pandas(frame[100:]), y[100:], repeats=2)
    np.testing.assert_array_equal(found.losses, permutation_importance(model, frame[100:], y[100:], repeats=2).losses)


def test_what_cannot_be_judged_is_refused(model):
    frame, y = problem()
    with pytest.raises(ValueError, match=r"classes that the model knows\. Got 'perhaps'"):
        permutation_importance(model, frame, np.where(np.arange(200) % 9, y, "perhaps"))
    with pytest.raises(ValueError, match="none among 200"):
        permutation_importance(model, frame, np.full(200, None))
    with pytest.raises(ValueError, match="one label"):
        permutation_importance(model, frame, y[:5])
    with pytest.raises(ValueError, match="repeats"):
        permutation_importance(model, frame, y, repeats=0)


@pytest.mark.parametrize(("classes", "stranger"), [(["no", "yes"], "yes, but"), ([0, 1], 0.7)])
def test_unknown_labels_are_not_cut_to_what_classes_look_like(classes, stranger):
    frame, y = problem()
    codes = (y == "yes").astype(int)
    model = LogisticRegression().fit(frame[["x", "z"]], np.array(classes)[codes])
    given = np.array(classes, dtype=object)[codes]
    given[:30] = stranger
    with pytest.raises(ValueError, match=f"Got {stranger!r} as well"):
        permutation_importance(model, frame[["x", "z"]], given)
