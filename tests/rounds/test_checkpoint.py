import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from engine_problems import smooth
from sklearn.tree import DecisionTreeClassifier

import agnoboost as ab
from agnoboost.basics.errors import CheckpointError
from fuzz.runs import RUNS, data, stumps


class Killed(Exception):
    """Stands for a sudden end."""


CASES = {
    **RUNS,
    "rebuild": lambda X, y: (
        smooth(ab.Pool(X[:50], y[:50]), ab.Pool(X[50:]), step=0.05),
        stumps(X),
        {"engine": "rebuild"},
    ),
}


@pytest.mark.parametrize(
    ("case", "margins_of_all"),
    [(case, True) for case in CASES] + [(case, False) for case in CASES if "sampled" in case],
)
@pytest.mark.parametrize("last", [1, 17, 39])
def test_a_resumed_run_ends_as_one_that_was_never_stopped(rng, tmp_path, monkeypatch, case, last, margins_of_all):
    if not margins_of_all:
        monkeypatch.setattr("agnoboost.rounds.stumps.sampled.MARGINS_OF_ALL", 0)
    monkeypatch.setattr("agnoboost.rounds.boosting._WATCHED", 8)
    X, y = data(rng)
    booster, learner, settings = CASES[case](X, y)
    whole = ab.boost(booster, learner, rounds=40, rng=7, **settings)
    if "case B" in case:
        assert 5 < (whole.history["branch"] == "B").sum() < 35

    def die(progress):
        if progress.round.number == last + 1:
            raise Killed

    settings |= {"checkpoint": tmp_path / "state", "checkpoint_every": 1e-9}
    booster, learner, _ = CASES[case](X, y)
    with pytest.raises(Killed):
        ab.boost(booster, learner, rounds=40, rng=7, callbacks=[die], **settings)
    booster, learner, _ = CASES[case](X, y)  # a new process would make all objects anew
    run = ab.boost(booster, learner, rounds=40, rng=7, **settings)
    assert run.tape == whole.tape
    for name, column in whole.history.to_dict().items():
        assert np.array_equal(run.history[name], column), name
    assert list(tmp_path.iterdir()) == [tmp_path / "state"]


def test_callbacks_are_told_again_of_the_rounds_in_the_file(rng, tmp_path):
    X, y = data(rng)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05)
    settings = {"rng": 0, "checkpoint": tmp_path / "state", "checkpoint_every": 1e-9}
    ab.boost(booster, stumps(X), rounds=20, **settings)
    heard = []
    held_out = data(np.random.default_rng(1), 60)
    stopping = [ab.EarlyStopping(*held_out, patience=5), lambda progress: heard.append(progress.round.number)]
    run = ab.boost(booster, stumps(X), rounds=400, callbacks=stopping, **settings)
    fresh = ab.boost(booster, stumps(X), rounds=400, rng=0, callbacks=[ab.EarlyStopping(*held_out, patience=5)])
    assert run.tape == fresh.tape
    assert heard == list(range(1, len(run.tape) + 1))


def test_a_run_goes_on_with_the_engine_that_began_it(rng, tmp_path, compile_from):
    X, y = data(rng)
    for realize, engines in ((None, ("numpy", "incremental")), (ab.bernoulli(20), ("loop", "sampled"))):
        booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05, realize=realize)
        for first, cells in zip(engines, (1e18, 0), strict=True):
            file = tmp_path / f"{first}"
            compile_from(cells)
            assert ab.boost(booster, stumps(X), rounds=10, rng=0, checkpoint=file).engine == first
            whole = ab.boost(booster, stumps(X), rounds=30, rng=0)
            compile_from(0 if cells else 1e18)  # a new run would take another engine now
            run = ab.boost(booster, stumps(X), rounds=30, rng=0, checkpoint=file)
            assert run.engine == first
            assert run.tape == whole.tape
            assert np.array_equal(run.history["potential"], whole.history["potential"])


def test_more_rounds_go_on_and_fewer_are_refused(rng, tmp_path):
    X, y = data(rng)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05)
    file = tmp_path / "state"
    ab.boost(booster, stumps(X), rounds=10, rng=0, checkpoint=file)
    longer = ab.boost(booster, stumps(X), rounds=25, rng=0, checkpoint=file)
    assert longer.tape == ab.boost(booster, stumps(X), rounds=25, rng=0).tape
    with pytest.raises(CheckpointError, match="25 rounds"):
        ab.boost(booster, stumps(X), rounds=24, rng=0, checkpoint=file)


def test_another_run_is_refused(rng, tmp_path):
    X, y = data(rng)
    file = tmp_path / "state"
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05)
    ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=file)
    other_labels = ab.algorithm1((X[:50], -y[:50]), X[50:], step=0.05)
    other_rows = ab.algorithm1((X[:50], y[:50]), X[51:], step=0.05)
    other_step = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.06)
    for change in (other_labels, other_rows, other_step):
        with pytest.raises(CheckpointError, match="another run"):
            ab.boost(change, stumps(X), rounds=5, rng=0, checkpoint=file)
    with pytest.raises(CheckpointError, match="seed"):
        ab.boost(booster, stumps(X), rounds=5, rng=1, checkpoint=file)
    with pytest.raises(CheckpointError, match="another run"):
        ab.boost(booster, ab.HistogramStumpLearner.from_data(X, max_bins=8), rounds=5, rng=0, checkpoint=file)


def test_bad_files_and_folders_are_refused(rng, tmp_path):
    X, y = data(rng)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05)
    with pytest.raises(ValueError, match="needs a seed"):
        ab.boost(booster, stumps(X), rounds=5, checkpoint=tmp_path / "state")
    with pytest.raises(ValueError, match="folder that exists"):
        ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path / "nowhere" / "state")
    with pytest.raises(ValueError, match="checkpoint_every"):
        ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path / "state", checkpoint_every=0)
    with pytest.raises(ValueError, match="a folder"):
        ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="folder that exists"):
        ab.AgnosticBoostingClassifier(checkpoint=tmp_path / "nowhere" / "state", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="fixed random_state"):
        ab.AgnosticBoostingClassifier(checkpoint=tmp_path / "state").fit(X, y)
    (tmp_path / "state").write_bytes(b"something else")
    with pytest.raises(CheckpointError, match="checkpoint file"):
        ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path / "state")
    model = ab.AgnosticBoostingClassifier(n_rounds=3).fit(X, y)
    model.save(tmp_path / "model")
    with pytest.raises(CheckpointError, match="another kind"):
        ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path / "model")
    ab.boost(booster, stumps(X), rounds=5, rng=0, checkpoint=tmp_path / "good")
    with pytest.raises(ab.ModelFileError, match="another kind"):
        ab.load(tmp_path / "good")


def test_rests_of_a_killed_write_are_swept_up(rng, tmp_path):
    X, y = data(rng)
    (tmp_path / ".state.0a1b2c3d.part").write_bytes(b"half")
    os.utime(tmp_path / ".state.0a1b2c3d.part", (0, 0))  # long ago
    ab.boost(ab.algorithm1((X[:50], y[:50]), X[50:]), stumps(X), rounds=2, rng=0, checkpoint=tmp_path / "state")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_one_pass_labels_go_on_in_the_same_process(rng, tmp_path):
    X, y = data(rng)
    booster = ab.pab((X, y), rows=10)

    def interrupt(progress):
        if progress.round.number == 12:
            raise KeyboardInterrupt

    settings = {"rounds": 20, "rng": 3, "checkpoint": tmp_path / "state", "checkpoint_every": 1e-9}
    with pytest.warns(RuntimeWarning, match="Stopped"):
        ab.boost(booster, ab.StumpLearner(), callbacks=[interrupt], **settings)
    run = ab.boost(booster, ab.StumpLearner(), **settings)
    assert run.tape == ab.boost(ab.pab((X, y), rows=10), ab.StumpLearner(), rounds=20, rng=3).tape


def test_what_cannot_be_saved_is_refused_before_any_work(rng, tmp_path):
    X, y = data(rng)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:])
    learner = ab.ClassifierLearner(DecisionTreeClassifier(max_depth=1))
    with pytest.raises(ValueError, match=r"checkpoint.*ClassifierLearner"):
        ab.boost(booster, learner, rounds=5, rng=0, checkpoint=tmp_path / "state")


SCRIPT = """
import sys, numpy as np, agnoboost as ab
engine, checkpoint, result = sys.argv[1:]
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 5)); y = np.where(X[:, 0] + X[:, 1] + rng.normal(size=3000) > 0, 1, -1)
realize = ab.bernoulli(30) if engine == "sampled" else None
booster = ab.algorithm1((X[:600], y[:600]), X[600:], step=.002, threshold=.004, realize=realize)
run = ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=4000, rng=1, engine=engine,
               callbacks=[lambda progress: None], checkpoint=checkpoint or None, checkpoint_every=.02)
np.save(result, np.concatenate([run.tape.margin_units(X), run.history["edge"], run.history["potential"]]))
"""


@pytest.mark.parametrize("engine", ["incremental", "sampled", "numpy"])
def test_a_process_killed_at_random_moments_ends_with_the_same_model(tmp_path, engine):
    def start(checkpoint, result):
        return subprocess.Popen([sys.executable, "-c", SCRIPT, engine, str(checkpoint), str(result)])

    assert start("", tmp_path / "whole.npy").wait() == 0
    checkpoint, kills = tmp_path / "state", 0
    dice = random.Random(5)
    while not (tmp_path / "resumed.npy").exists():
        process = start(checkpoint, tmp_path / "resumed.npy")
        if kills < 6:
            began = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
            while process.poll() is None and (checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0) == began:
                time.sleep(0.005)  # until this process has written something
            time.sleep(dice.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            assert process.wait() in (0, -signal.SIGKILL)
            kills += process.returncode == -signal.SIGKILL
        else:
            assert process.wait() == 0
    assert kills >= 3
    assert np.array_equal(np.load(tmp_path / "whole.npy"), np.load(tmp_path / "resumed.npy"))


@pytest.mark.filterwarnings("ignore:On rows left out")
def test_the_estimator_goes_on_too(rng, tmp_path):
    X, y = data(rng, 400)
    labels = np.where(y > 0, "yes", "no").astype(object)
    labels[60:] = None
    settings = {"weak_learner": "stump", "batch_size": None, "n_rounds": 60, "random_state": 0}
    whole = ab.AgnosticBoostingClassifier(**settings).fit(X, labels)
    file = tmp_path / "state"
    for _ in range(2):  # the second fit finds the state of the first
        model = ab.AgnosticBoostingClassifier(**settings, checkpoint=file, checkpoint_every=1e-9).fit(X, labels)
        assert model.tape_ == whole.tape_
    model.save(tmp_path / "model")
    assert ab.load(tmp_path / "model").checkpoint is None
    three = np.where(X[:, 0] > 1, 2, (X[:, 1] > 0).astype(int)).astype(float)
    three[100:] = np.nan
    settings["checkpoint"] = str(tmp_path / "three")
    ab.AgnosticBoostingClassifier(**settings).fit(X, three)
    assert sorted(path.name for path in tmp_path.glob("three*")) == ["three.0", "three.1", "three.2"]


# ------------------------------------------------------------------------------- Ctrl-C


@pytest.mark.parametrize("engine", ["loop", "numpy", "incremental"])
def test_an_interrupted_run_keeps_its_rounds(rng, engine):
    X, y = data(rng)
    booster = ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05)

    def interrupt(progress):
        if progress.round.number == 70:
            raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="Stopped by Ctrl-C after"):
        run = ab.boost(booster, stumps(X), rounds=500, rng=0, engine=engine, callbacks=[interrupt])
    assert run.interrupted
    assert len(run.tape) + 32 > 60
    assert len(run.tape) == len(run.history) < 70
    assert run.tape == ab.boost(booster, stumps(X), rounds=len(run.tape), rng=0, engine="loop").tape

    def at_once(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # nothing to keep
        ab.boost(booster, stumps(X), rounds=500, rng=0, engine=engine, callbacks=[at_once])


def test_ctrl_c_ends_a_long_fit(tmp_path):
    script = """
import signal, sys, time, warnings, numpy as np, agnoboost as ab
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells switch it off for what runs in their background
rng = np.random.default_rng(0)
X = rng.normal(size=(100_000, 30)); y = np.where(X[:, :9].sum(axis=1) + rng.normal(size=100_000) > 0, 1.0, 0.0)
y[20_000:] = np.nan
model = ab.AgnosticBoostingClassifier(weak_learner="stump", batch_size=None, n_rounds=10**6, step_size=1e-6,
                                      threshold=0, validation_fraction=None, unlabeled_weight=1)
warnings.simplefilter("always")
signs = np.where(y[:100] > 0, 1, -1)  # compile the kernels first
small = ab.algorithm1((X[:100], signs), X[100:2000])
ab.boost(small, ab.HistogramStumpLearner.from_data(X), rounds=9, engine="incremental")
print("fitting", flush=True)
model.fit(X, y)
print("rounds", model.n_rounds_, model.history_.engines, (model.predict(X) == 1).any(), flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "fitting\n"
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    line = process.stdout.readline()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert line.startswith("rounds")
    assert "incremental" in line
    assert 0 < int(line.split()[1]) < 10**6
    assert "Stopped by Ctrl-C" in errors


def test_a_choice_that_is_interrupted_is_no_model(rng, monkeypatch):
    X, y = data(rng)

    def interrupt(self, progress, /):
        if progress.round.number > 40:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr("agnoboost.estimators.boosting.training.HeldOutPotential.__call__", interrupt)
    model = ab.AgnosticBoostingClassifier(weak_learner="stump", batch_size=None, n_rounds=100)
    with pytest.raises(KeyboardInterrupt), pytest.warns(RuntimeWarning, match="Stopped"):
        model.fit(X, y)
    assert not hasattr(model, "tape_")
