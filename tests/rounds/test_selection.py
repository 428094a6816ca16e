"""The best prefix of a run, by labels that it has not seen."""

import numpy as np
import pytest

from agnoboost import StumpLearner, Tape, algorithm1, boost, select
from agnoboost.core.learners import Stump
from agnoboost.core.tape import Add


@pytest.fixture
def data(rng):
    """Two informative features of five, 15% flips."""
    X = rng.normal(size=(700, 5))
    truth = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    return X, np.where(rng.random(700) < 0.15, -truth, truth)


def test_selection_takes_the_best_prefix_and_prefers_the_shorter(data):
    X, y = data
    tape = boost(algorithm1((X[:100], y[:100]), X[100:500]), StumpLearner(), rounds=30, rng=0).tape
    chosen = select(tape, X[500:], y[500:])
    scores = [np.mean(y[500:] * tape.prefix(t).predict(X[500:])) for t in range(31)]
    assert chosen.scores == pytest.approx(scores)
    assert chosen.rounds == int(np.argmax(scores)) == len(chosen.tape)
    always = select(tape, X[500:], np.ones(200))
    assert always.rounds == 0  # H_1 = 0 says +1 everywhere
    assert (always.predict(X) == 1).all()


def test_selection_weights_rows(data):
    X, y = data
    tape = boost(algorithm1((X[:100], y[:100]), X[100:500]), StumpLearner(), rounds=10, rng=0).tape
    twice = np.concatenate([X[500:], X[500:520]]), np.concatenate([y[500:], y[500:520]])
    mass = np.ones(200)
    mass[:20] = 2
    assert select(tape, X[500:], y[500:], mass).scores == pytest.approx(select(tape, *twice).scores)


def test_ties_in_the_selection_are_exact():
    X, y = np.arange(6.0)[:, None], [1, -1, -1, -1, -1, 1]
    tape = Tape.of(0.1, [Add(Stump(0, 3.5, -1), 1)])  # both prefixes have correlation -1/3
    assert select(tape, X, y).rounds == 0


def test_selection_refuses_bad_labels(data):
    X, y = data
    tape = boost(algorithm1((X[:100], y[:100]), X[100:500]), StumpLearner(), rounds=3, rng=0).tape
    with pytest.raises(ValueError, match=r"only -1 and \+1"):
        select(tape, X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="at least one row"):
        select(tape, X[:0], y[:0])
