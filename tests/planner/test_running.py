"""Plans that are run."""

from math import log

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.core import OnePass, Pool


@pytest.fixture
def easy():
    return ab.plan("theorem1", epsilon=1.0, delta=0.9, gamma=1.0, log_size=log(12))


def rows(count, rng):
    X = rng.choice([-1.0, 1.0], size=(count, 5))
    return X, X[:, 0]


def test_rows_for_the_selection_are_set_aside(easy, rng):
    X, y = rows(easy.total_labeled, rng)
    unlabeled = Pool(rows(100, rng)[0])
    planned = ab.from_plan(easy, (X, y), unlabeled)
    run, chosen = planned.run(ab.ParityLearner(1), rng=0)
    assert len(run.tape) == easy.T
    assert planned.labeled.remaining == 0  # every label was used, and none twice
    assert run.history["labeled_drawn"][-1] == easy.S
    assert unlabeled.drawn == easy.total_unlabeled
    assert len(chosen.scores) == easy.T + 1
    assert (chosen.predict(X) == y).all()


def test_it_is_a_booster_as_any_other(easy, rng):
    booster = ab.from_plan(easy, Pool(*rows(50, rng)), rows(50, rng)[0])
    assert len(ab.boost(booster, ab.ParityLearner(1), rounds=7, rng=0).tape) == 7


@pytest.mark.parametrize("source", [lambda X, y: (X, y), OnePass])
def test_too_few_labels_are_refused_before_any_work(easy, rng, source):
    X, y = rows(easy.total_labeled - 1, rng)
    with pytest.raises(ValueError, match=rf"needs {easy.total_labeled:,} labeled rows.*Got {easy.total_labeled - 1:,}"):
        ab.from_plan(easy, source(X, y), X)


def test_rl_plans_are_told_apart(rng):
    p = ab.plan("rl", epsilon=0.5, delta=0.1, gamma=0.5, log_size=3.0, beta=0.9)
    with pytest.raises(ValueError, match=r"an RLPlan is for agnoboost.rl.PolicyBooster.from_plan"):
        ab.from_plan(p, (np.ones((2, 1)), [1, -1]), np.ones((2, 1)))
