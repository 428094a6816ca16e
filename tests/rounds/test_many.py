import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.rounds.stumps.encoding import Encoding


@pytest.fixture
def grid(rng):
    """Boosters of several kinds over shared pools."""
    X = rng.normal(size=(300, 4))
    X[:, 3] = rng.integers(0, 5, 300)
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, 1, -1)
    unlabeled = ab.Pool(X[150:])
    boosters = []
    for fold in range(3):
        rows = np.arange(150) % 3 != fold
        labeled = ab.Pool(X[:150][rows], y[:150][rows])
        boosters += [
            ab.algorithm1(labeled, unlabeled, step=0.05),
            ab.algorithm1(labeled, unlabeled, step=0.2, realize=ab.bernoulli(30)),
            ab.labeled_only(labeled, threshold=0.02),
        ]
    return boosters, ab.HistogramStumpLearner.from_data(X, categorical=[3])


@pytest.mark.parametrize("n_jobs", [1, 2, None])
@pytest.mark.parametrize("compiled", [True, False])
def test_each_run_is_the_one_that_boost_gives(grid, compile_from, compiled, n_jobs):
    boosters, learner = grid
    expected = [ab.boost(booster, learner, rounds=40, rng=3, engine="loop").tape for booster in boosters]
    compile_from(0 if compiled else 1e18)
    runs = ab.boost_many(boosters, learner, rounds=40, rng=3, n_jobs=n_jobs)
    assert [run.tape for run in runs] == expected
    assert [run.history["unlabeled_drawn"][-1] for run in runs] == [6000, 6000, 0] * 3  # pools are shared, counts not
    assert [run.history["labeled_drawn"][-1] for run in runs] == [100, 100, 4000] * 3
    assert {run.engine for run in runs} == ({"incremental", "sampled"} if compiled else {"numpy", "loop"})


def test_rounds_seeds_and_callbacks_of_their_own(grid):
    boosters, learner = grid
    heard = [[] for _ in boosters]
    rounds = [5 + place for place in range(len(boosters))]
    runs = ab.boost_many(
        boosters,
        learner,
        rounds=rounds,
        rng=list(range(len(boosters))),
        callbacks=[[lambda progress, place=place: heard[place].append(progress.round.number)] for place in range(9)],
    )
    assert [len(run.tape) for run in runs] == rounds
    assert [len(numbers) for numbers in heard] == rounds
    assert runs[4].tape == ab.boost(boosters[4], learner, rounds=rounds[4], rng=4).tape


def test_every_table_is_binned_once(grid, monkeypatch):
    boosters, learner = grid
    binned = []
    original = Encoding._codes

    def counted(self, table, threads, compiled):
        before = len(self._kept)
        found = original(self, table, threads, compiled)
        binned.extend([len(table)] * (len(self._kept) - before))
        return found

    monkeypatch.setattr(Encoding, "_codes", counted)
    ab.boost_many(boosters, learner, rounds=3, rng=0, n_jobs=1)
    assert sorted(binned) == [100, 100, 100, 150]


def test_other_learners_work_too(grid):
    boosters, _ = grid
    runs = ab.boost_many(boosters[:2], ab.StumpLearner(), rounds=4, rng=0)
    assert runs[0].tape == ab.boost(boosters[0], ab.StumpLearner(), rounds=4, rng=0).tape
    assert ab.boost_many([], ab.StumpLearner(), rounds=4) == []


def test_what_cannot_be_shared_is_refused(grid):
    boosters, learner = grid
    with pytest.raises(ValueError, match="one seed or Generator for each"):
        ab.boost_many(boosters, learner, rounds=3, rng=np.random.default_rng(0))
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="one seed or Generator for each"):
        ab.boost_many(boosters[:2], learner, rounds=3, rng=[generator, generator])
    seeds = ab.boost_many(boosters[1:3], learner, rounds=3, rng=np.array([4, 5]))
    assert seeds[0].tape == ab.boost(boosters[1], learner, rounds=3, rng=4).tape
    with pytest.raises(ValueError, match="rounds must be one for all"):
        ab.boost_many(boosters, learner, rounds=[1, 2])
    with pytest.raises(ValueError, match="callbacks must be"):
        ab.boost_many(boosters, learner, rounds=2, callbacks=[()])


def test_one_that_fails_ends_the_others(grid):
    boosters, learner = grid
    heard = []

    def fail(progress):
        raise RuntimeError("broken callback")

    callbacks = [[fail], *[[heard.append] for _ in boosters[1:]]]
    with pytest.raises(RuntimeError, match="broken callback"):
        ab.boost_many(boosters, learner, rounds=100_000, rng=0, callbacks=callbacks, n_jobs=2)
    assert len(heard) < 100_000


def test_ctrl_c_ends_all_runs():
    script = """
import signal, numpy as np, agnoboost as ab
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells switch it off for what runs in their background
rng = np.random.default_rng(0); X = rng.normal(size=(3000, 10)); y = rng.choice([-1, 1], 3000)
boosters = [ab.algorithm1((X[:500], y[:500]), X[500:], step=1e-6) for _ in range(4)]
print("running", flush=True)
try:
    ab.boost_many(boosters, ab.HistogramStumpLearner.from_data(X), rounds=10**7, rng=0, engine="numpy")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "running\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=10)[0] == "stopped\n"
    finally:
        process.kill()  # nothing is left behind, should it not have stopped
