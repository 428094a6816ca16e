"""The paper's mode in compiled code: to the bit what the loop draws."""

import numpy as np
import pytest
from engine_problems import problems
from hypothesis import given, settings
from hypothesis import strategies as st

import agnoboost as ab
from agnoboost.core.tape import Shrink
from agnoboost.rounds.stumps import sampled


def with_draws(booster, realize):
    return ab.Booster(booster.sampler, booster.rule, realize)


@settings(deadline=None, max_examples=100)
@given(problems(largest=120), st.integers(1, 60), st.booleans(), st.booleans(), st.integers(0, 1000))
def test_the_same_rows_labels_and_stumps_as_the_loop(case, m, bernoulli, keeps_margins, seed):
    booster, learner = case
    drawn = with_draws(booster, ab.bernoulli(m) if bernoulli else ab.fractional(m))
    if type(getattr(booster.sampler, "unlabeled", None)).__name__ == "Reuse":
        with pytest.raises(ValueError, match="rows are reused"):
            ab.boost(drawn, learner, rounds=5, engine="sampled")
        return
    before, sampled.MARGINS_OF_ALL = sampled.MARGINS_OF_ALL, 10**9 if keeps_margins else 0
    try:
        run = ab.boost(drawn, learner, rounds=40, rng=seed, engine="sampled")
    finally:
        sampled.MARGINS_OF_ALL = before
    loop = ab.boost(drawn, learner, rounds=40, rng=seed, engine="loop")
    assert (run.engine, loop.engine) == ("sampled", "loop")
    assert run.tape == loop.tape
    assert np.array_equal(run.history["edge"], loop.history["edge"])
    if keeps_margins:
        np.testing.assert_allclose(run.history["potential"], loop.history["potential"], atol=1e-9)
    for column in ("number", "branch"):
        assert np.array_equal(run.history[column], loop.history[column])


def test_without_margins_of_all_rows_the_potential_is_an_unbiased_estimate(rng, monkeypatch):
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] + rng.normal(size=400) > 0, 1, -1)
    booster = ab.algorithm1((X[:100], y[:100]), X[100:], step=0.1, shift=1.5, realize=ab.fractional(20))
    learner = ab.HistogramStumpLearner.from_data(X)
    exact = ab.boost(booster, learner, rounds=1000, rng=0, engine="sampled")
    monkeypatch.setattr(sampled, "MARGINS_OF_ALL", 0)
    estimate = ab.boost(booster, learner, rounds=1000, rng=0, engine="sampled")
    assert estimate.tape == exact.tape
    gap = estimate.history["potential"] - exact.history["potential"]
    assert np.abs(gap).max() > 0.01
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(len(gap))


def test_case_b_steps_are_there_in_both_ways_of_keeping_margins(rng, monkeypatch):
    X = rng.normal(size=(300, 3))
    y = rng.choice([-1, 1], 300)
    booster = ab.algorithm1((X[:150], y[:150]), X[150:], threshold=0.2, realize=ab.bernoulli(100))
    learner = ab.HistogramStumpLearner.from_data(X)
    loop = ab.boost(booster, learner, rounds=200, rng=1, engine="loop")
    assert 10 < sum(isinstance(step, Shrink) for step in loop.tape.steps) < 190
    for margins_of_all in (0, 10**6):
        monkeypatch.setattr(sampled, "MARGINS_OF_ALL", margins_of_all)
        assert ab.boost(booster, learner, rounds=200, rng=1, engine="sampled").tape == loop.tape


def test_auto_takes_compiled_code_only_where_it_pays(rng):
    X = rng.normal(size=(9000, 6))
    y = np.where(X[:, 0] > 0, 1, -1)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], realize=ab.bernoulli(10))
    learner = ab.HistogramStumpLearner.from_data(X)
    assert ab.boost(booster, learner, rounds=3, rng=0).engine == "loop"
    long = ab.boost(booster, learner, rounds=6000, rng=0)
    assert long.engine == "sampled"
    assert long.tape.prefix(50) == ab.boost(booster, learner, rounds=50, rng=0, engine="loop").tape


@pytest.mark.parametrize("bernoulli", [True, False])
def test_soft_labels_are_those_of_the_loop(rng, bernoulli):
    X = rng.normal(size=(300, 3))
    y = np.clip(np.round(X[:, 0] + rng.normal(size=300), 1), -2.5, 2.5)  # dozens of different labels
    booster = ab.algorithm1(
        ab.Pool(X[:100], y[:100], soft=True), X, realize=ab.bernoulli(40) if bernoulli else ab.fractional(40)
    )
    learner = ab.HistogramStumpLearner.from_data(X)
    loop, run = (ab.boost(booster, learner, rounds=40, rng=0, engine=engine) for engine in ("loop", "sampled"))
    assert run.tape == loop.tape
    assert np.array_equal(run.history["edge"], loop.history["edge"])


def test_labels_of_very_many_values_are_left_to_the_loop(rng):
    X = rng.normal(size=(3000, 2))
    booster = ab.algorithm1(ab.Pool(X, rng.normal(size=3000), soft=True), X, realize=ab.bernoulli(40))
    with pytest.raises(ValueError, match="labels of so many values"):
        ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=1000, engine="sampled")
