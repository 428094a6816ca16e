"""Margins of rows left out are really those of rows left out, with few labels and with many."""

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.estimators.table.label_estimates import estimate_flip_rates

# Of labels that mean nothing the more frequent one is the best guess everywhere.
pytestmark = pytest.mark.filterwarnings("ignore::agnoboost.evaluation.by_class.NeverPredictedWarning")


def noise(rows, features, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, features)), rng.integers(0, 2, rows)


def agreement(model, y):
    margins = model.oob_decision_function_
    known = ~np.isnan(margins)
    return np.mean((margins[known] > 0) == y[known])


def test_few_labels_that_mean_nothing():
    """Rows that were seen look learned, and those left out do not."""
    found = []
    for seed in range(4):
        X, y = noise(150, 5, seed)
        model = ab.TableClassifier(random_state=0).fit(X, y)
        found.append([agreement(model, y), np.mean(model.predict(X) == y)])
    unseen, seen = np.mean(found, axis=0)
    assert unseen < 0.56  # weights, rounds and ridges are chosen by them: a little above one half
    assert seen > unseen + 0.1


@pytest.mark.parametrize(("rows", "features"), [(2_000, 5), (30_000, 3)])
def test_many_labels_that_mean_nothing(rows, features):
    X, y = noise(rows, features)
    model = ab.TableClassifier(random_state=0, effort="fast").fit(X, y)
    assert abs(agreement(model, y) - 0.5) < 0.04


@pytest.mark.parametrize("name", ["large trees", "random trees", "gaussian"])
def test_no_member_has_seen_its_rows(name):
    """The leak of a single member could hide in a blend; with folds as with bags."""
    for rows in (300, 2_000):
        X, y = noise(rows, 4, seed=1)
        assert agreement(ab.TableClassifier(members=[name], random_state=0).fit(X, y), y) < 0.56, rows


def test_a_label_has_hardly_a_say_in_its_own_margin():
    """Rounds, ridges and weights are chosen with it, members are not grown with it: flipping it changes little.

    Were the row seen, its margin would follow its label, as that of the model itself does.
    """
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 4))
    y = (X[:, 0] + 0.8 * rng.normal(size=200) > 0).astype(int)
    model = ab.TableClassifier(random_state=0).fit(X, y)
    unseen, seen = [], []
    for row in range(4):
        flipped = np.where(np.arange(200) == row, 1 - y, y)
        other = ab.TableClassifier(random_state=0).fit(X, flipped)
        toward = 2 * flipped[row] - 1
        unseen.append(toward * (other.oob_decision_function_ - model.oob_decision_function_)[row])
        seen.append(toward * (other.decision_function(X) - model.decision_function(X))[row])
    assert np.mean(seen) > 0.2
    assert np.mean(unseen) < 0.2 * np.mean(seen)


@pytest.mark.parametrize("rows", [300, 3_000])
def test_they_foretell_accuracy_and_probabilities(rows):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows + 4_000, 5))
    p = 1 / (1 + np.exp(-2 * (X[:, 0] + X[:, 1] * (X[:, 2] > 0))))
    y = (rng.random(len(p)) < p).astype(int)
    model = ab.TableClassifier(random_state=0, effort="fast").fit(X[:rows], y[:rows])
    known = ~np.isnan(model.oob_decision_function_)
    error = 0.5 / np.sqrt(known.sum())
    assert agreement(model, y[:rows]) == pytest.approx(model.score(X[rows:], y[rows:]), abs=3 * error)
    assert np.mean((model.predict_proba(X[rows:])[:, 1] - p[rows:]) ** 2) < 0.02


def test_flip_rates_go_by_rows_that_have_such_margins(monkeypatch):
    """Of very many labels some have none."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(600, 3))
    truth = (X[:, 0] > 0).astype(int)
    y = np.where(rng.random(600) < 0.2, 1 - truth, truth)
    fit = ab.TableClassifier.fit

    def with_gaps(self, *arguments):
        fit(self, *arguments)
        self.oob_decision_function_[::2] = np.nan
        return self

    monkeypatch.setattr(ab.TableClassifier, "fit", with_gaps)
    found = estimate_flip_rates(X, y)
    assert found.rows == 30
    assert found.positive == pytest.approx(0.2, abs=0.2)
    assert found.negative == pytest.approx(0.2, abs=0.2)
