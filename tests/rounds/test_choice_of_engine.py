"""Which way a run takes, what it reports, and what it refuses."""

import subprocess
import sys

import numpy as np
import pytest
from engine_problems import smooth

import agnoboost as ab


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, 1, -1)
    return ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05), ab.HistogramStumpLearner.from_data(X)


@pytest.mark.parametrize("engine", ["auto", "loop", "numpy", "incremental", "rebuild"])
def test_history_and_counts_are_those_of_the_loop(problem, engine):
    booster, learner = problem
    run = ab.boost(booster, learner, rounds=30, rng=0, engine=engine)
    assert run.engine == ("numpy" if engine == "auto" else engine)
    assert run.history["number"].tolist() == list(range(1, 31))
    assert run.history["unlabeled_drawn"].tolist() == [150 * number for number in range(1, 31)]
    assert run.history["labeled_drawn"].tolist() == [50] * 30
    labeled, unlabeled = booster.sampler.sources
    assert (labeled.drawn, unlabeled.drawn) == (50, 30 * 150)
    again = ab.boost(booster, learner, rounds=5, rng=0, engine=engine)  # counts go on, the history starts anew
    assert again.history["unlabeled_drawn"].tolist() == [150 * number for number in range(1, 6)]
    assert unlabeled.drawn == 35 * 150


def test_labeled_rows_are_counted_each_round_where_they_are_drawn(rng):
    X = rng.normal(size=(60, 2))
    booster = ab.labeled_only((X, rng.choice([-1, 1], 60)))
    run = ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=4, engine="incremental")
    assert run.history["labeled_drawn"].tolist() == [60, 120, 180, 240]
    assert run.history["unlabeled_drawn"].tolist() == [0] * 4


@pytest.mark.parametrize("engine", ["loop", "numpy", "incremental"])
def test_callbacks_hear_of_every_round_and_may_stop(problem, engine):
    booster, learner = problem
    heard = []

    def watch(progress):
        heard.append((progress.round.number, len(progress.tape), progress.rounds))
        return progress.round.number == 45

    run = ab.boost(booster, learner, rounds=100, rng=0, engine=engine, callbacks=[watch])
    assert heard == [(number, number, 100) for number in range(1, 46)]
    assert len(run.tape) == len(run.history) == 45
    assert run.tape == ab.boost(booster, learner, rounds=45, rng=0, engine="loop").tape


def test_early_stopping_ends_at_the_same_round(problem, rng):
    booster, learner = problem
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    lengths = {
        len(ab.boost(booster, learner, rounds=300, engine=engine, callbacks=[ab.EarlyStopping(X, y, patience=7)]).tape)
        for engine in ("loop", "numpy", "incremental", "rebuild")
    }
    assert len(lengths) == 1
    assert lengths.pop() < 300


@pytest.mark.parametrize(
    ("change", "engine", "why"),
    [
        ({"learner": ab.StumpLearner()}, "incremental", "not StumpLearner"),
        ({"realize": ab.bernoulli(5)}, "incremental", "draws rows at random"),
        ({"realize": ab.bootstrap()}, "numpy", "not Bootstrap"),
        ({}, "sampled", "all rows in each round"),
        ({"rows_unlabeled": 20}, "rebuild", "new rows are drawn"),
        ({"step": 1e-9}, "incremental", "too small"),
        ({"step": 1e20}, "numpy", "too large"),
    ],
)
def test_what_the_engine_does_not_cover_is_said_or_left_to_the_loop(rng, change, engine, why):
    X = rng.normal(size=(40, 2))
    y = rng.choice([-1, 1], 20)
    change = dict(change)
    learner = change.pop("learner", ab.HistogramStumpLearner.from_data(X))
    booster = ab.algorithm1((X[:20], y), X[20:], **change)
    with pytest.raises(ValueError, match=f"(?s)cannot run this booster.*{why}"):
        ab.boost(booster, learner, rounds=3, engine=engine)
    assert ab.boost(booster, learner, rounds=3, rng=0).engine == ("loop" if engine != "sampled" else "numpy")


def test_smooth_potentials_are_rebuilt(rng):
    X = rng.normal(size=(40, 2))
    booster = smooth(ab.Pool(X[:20], rng.choice([-1, 1], 20)), ab.Pool(X[20:]))
    learner = ab.HistogramStumpLearner.from_data(X)
    with pytest.raises(ValueError, match="not piecewise linear"):
        ab.boost(booster, learner, rounds=3, engine="incremental")
    assert ab.boost(booster, learner, rounds=3, engine="rebuild").engine == "rebuild"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": "fast"}, "engine must be one of"),
        ({"threads": 0}, "threads"),
        ({"cache_bytes": 0}, "cache_bytes"),
    ],
)
def test_bad_settings_are_refused(problem, settings, message):
    with pytest.raises(ValueError, match=message):
        ab.boost(*problem, rounds=2, **{"engine": "incremental", **settings})


def test_the_work_decides(problem, compile_from):
    compile_from(0)
    assert ab.boost(*problem, rounds=20).engine == "incremental"
    compile_from(1e18)
    assert ab.boost(*problem, rounds=20).engine == "numpy"


CHOICES = """
import sys, numpy as np, agnoboost as ab
if "loaded" in sys.argv:
    from agnoboost.kernels.compiled import conducting, sampled, tree_rounds
from agnoboost.rounds.boosting import pick
X = np.random.default_rng(0).normal(size=(10_000, 20)); y = np.where(X[:, 0] > 0, 1, -1)
learner = ab.HistogramStumpLearner(ab.HistogramStumpLearner.from_data(X[:300]).bins)
for realize in (None, ab.bernoulli(50)):
    booster = ab.algorithm1((X[:1000], y[:1000]), X[1000:], realize=realize)
    for rounds in (10, 1000, 10_000):
        print(pick("auto", booster, learner, rounds).name)
"""


@pytest.mark.parametrize("history", ["fresh", "loaded"])
def test_what_a_process_has_done_before_does_not_decide(history):
    found = subprocess.run(
        [sys.executable, "-c", CHOICES, history], capture_output=True, text=True, check=True
    ).stdout.split()
    assert found == ["numpy", "incremental", "incremental", "loop", "sampled", "sampled"]


def test_a_small_first_fit_does_not_import_numba():
    script = """
import sys, numpy as np, agnoboost as ab
X = np.random.default_rng(0).normal(size=(500, 20)); y = np.where(X[:, 0] > 0, 1.0, 0.0); y[100:] = np.nan
for settings in ({"batch_size": None}, {"batch_size": 50}):
    model = ab.AgnosticBoostingClassifier(weak_learner="stump", n_rounds=50, random_state=0, **settings).fit(X, y)
    model.predict_proba(X)
assert "numba" not in sys.modules, "a small fit loaded numba"
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("value", [-1.0, 255.0, 300.0, 1.5])
@pytest.mark.parametrize("engine", ["loop", "numpy", "incremental"])
def test_values_that_are_no_categories_are_refused_before_any_work(rng, engine, value):
    X = np.column_stack([rng.normal(size=80), rng.integers(0, 4, 80)])
    learner = ab.HistogramStumpLearner.from_data(X, categorical=[1])
    X[70, 1] = value
    booster = ab.algorithm1((X[:20], rng.choice([-1, 1], 20)), X[20:])
    with pytest.raises(ValueError, match="Categorical feature 1 must hold whole numbers"):
        ab.boost(booster, learner, rounds=3, engine=engine)


def test_tables_by_margin_stay_small(rng):
    X = rng.normal(size=(40, 2))
    y = rng.choice([-1, 1], 20)
    learner = ab.HistogramStumpLearner.from_data(X)
    fine = {"gamma": 1e-4, "step": 0.1}
    with pytest.raises(ValueError, match="too many for a table"):
        ab.boost(ab.algorithm1((X[:20], y), X[20:], **fine), learner, rounds=10**5, engine="rebuild")
    drawn = ab.algorithm1((X[:20], y), X[20:], realize=ab.fractional(5), **fine)
    with pytest.raises(ValueError, match="too many for a table"):
        ab.boost(drawn, learner, rounds=10**5, engine="sampled")


def test_the_estimator_says_which_engine_it_used(rng):
    X = rng.normal(size=(150, 4))
    y = np.where(X[:, 0] > 0, 1.0, 0.0)
    y[50:] = np.nan
    model = ab.AgnosticBoostingClassifier(weak_learner="stump", batch_size=None, n_rounds=20).fit(X, y)
    assert model.history_.engines == ["numpy"]
    assert ab.AgnosticBoostingClassifier(n_rounds=20).fit(X, y).history_.engines == ["trees"]
    drawn = ab.AgnosticBoostingClassifier(n_rounds=20, batch_size=30).fit(X, y)
    assert drawn.history_.engines == ["loop"]
