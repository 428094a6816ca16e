"""Boosting of online learners."""

from math import sqrt

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from agnoboost import OnlineBoostingClassifier


@pytest.mark.filterwarnings("default")  # scikit-learn's checks warn themselves
@parametrize_with_checks([OnlineBoostingClassifier(n_estimators=4, gamma=1.0, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


class Follower(ClassifierMixin, BaseEstimator):
    """A weak learner that plays the coordinate with the largest correlation so far; it keeps what it was told."""

    def __init__(self, tell=True):
        self.tell = tell

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "sums"):
            self.sums, self.told = np.zeros(X.shape[1]), []
        self.sums += (np.sign(X) * y[:, None]).sum(axis=0)
        self.told.extend(y)
        return self

    def predict(self, X):
        best = np.argmax(np.abs(self.sums))
        return np.sign(X[:, best]) * (np.sign(self.sums[best]) or 1.0)


def stream(rng, count):
    X = rng.choice([-1.0, 1.0], size=(count, 5))
    y = np.sign(X[:, 0] + X[:, 1] - X[:, 2])
    return X, np.where(rng.random(count) < 0.1, -y, y)


def played(model, X, y):
    """Votes, weights and predictions of every time step, before it is learned from."""
    votes, predicted = [], []
    for place in range(len(X)):
        row = slice(place, place + 1)
        if place:
            votes.append([learner.predict(X[row])[0] for learner in model.estimators_])
            predicted.append(float(np.clip(model.decision_function(X[row])[0], -1, 1)))
        model.partial_fit(X[row], y[row], classes=[-1.0, 1.0])
    return np.array(votes), np.array(predicted)


def test_the_regret_of_the_weights_carries_over_to_the_predictions(rng):
    """Sum (y yhat - 1) >= mean over learners of sum p (y h/gamma - 1), but for (1 + 1/gamma)/sqrt(N) a step."""
    X, y = stream(rng, 400)
    gamma, N = 0.5, 16
    model = OnlineBoostingClassifier(Follower(), n_estimators=N, gamma=gamma, random_state=0)
    votes, predicted = played(model, X, y)
    losses = y[1:, None] * votes / gamma - 1.0
    pace = 1 / ((1 + 1 / gamma) * sqrt(N))
    before = np.hstack([np.zeros((len(losses), 1)), np.cumsum(losses, axis=1)[:, :-1]])
    weight = np.clip(1 - pace * before, 0, 1)
    bound = (weight * losses).mean(axis=1) - (1 + 1 / gamma) / sqrt(N)
    assert (y[1:] * predicted - 1 >= bound - 1e-9).all()
    # Labels are passed on with these weights: the share that is kept is (1 + p)/2, learner by learner.
    for number, learner in enumerate(model.estimators_):
        kept = np.mean(np.array(learner.told)[1:] == y[1:])
        expected = (1 + weight[:, number].mean()) / 2
        assert kept == pytest.approx(expected, abs=4 * 0.5 / sqrt(len(losses)))
    assert weight.min() < 0.7
    assert weight[:, 0].min() == 1.0  # the first one always gets the row in full


def test_boosted_weak_learners_beat_one_of_them(rng):
    X, y = stream(rng, 1500)
    model = OnlineBoostingClassifier(Follower(), n_estimators=40, gamma=0.25, random_state=0).fit(X, y)
    fresh = rng.choice([-1.0, 1.0], size=(2000, 5))
    truth = np.sign(fresh[:, 0] + fresh[:, 1] - fresh[:, 2])
    alone = Follower().partial_fit(X, y)
    assert np.mean(alone.predict(fresh) == truth) < 0.8  # one coordinate agrees with three quarters
    assert np.mean(model.predict(fresh) == truth) > 0.97


def test_the_same_seed_gives_the_same_model_and_calls_may_be_split(rng):
    X, y = stream(rng, 60)
    names = np.where(y > 0, "yes", "no")
    models = [OnlineBoostingClassifier(n_estimators=3, random_state=1) for _ in range(2)]
    models[0].fit(X, names)
    for place in range(60):
        models[1].partial_fit(X[place : place + 1], names[place : place + 1], classes=["no", "yes"])
    one, other = (model.predict_proba(X) for model in models)
    assert np.array_equal(one, other)
    assert set(models[0].predict(X)) <= {"yes", "no"}
    assert isinstance(models[0].estimators_[0], SGDClassifier)
    assert models[0].fit(X, names).predict_proba(X).tolist() == one.tolist()  # fit forgets what was there


@pytest.mark.parametrize(
    ("settings", "call", "message"),
    [
        ({"estimator": LogisticRegression()}, {}, "must have partial_fit"),
        ({"gamma": 0.0}, {}, "gamma"),
        ({"n_estimators": 0}, {}, "n_estimators"),
        ({}, {"classes": [-1, 1, 2]}, "Only binary"),
        ({}, {"classes": [0, 5]}, "must hold the classes"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing_behind(rng, settings, call, message):
    X, y = stream(rng, 10)
    model = OnlineBoostingClassifier(**settings)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y, **call)
    assert not hasattr(model, "estimators_")
    model.set_params(estimator=None, gamma=0.25, n_estimators=2).partial_fit(X, y)
    assert model.predict(X).shape == (10,)
