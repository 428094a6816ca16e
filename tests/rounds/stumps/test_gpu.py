"""Rounds on a GPU: the tapes of the host, from kernels on the host, and on a real GPU where there is one."""

import sys

import numpy as np
import pytest
from emulated_gpu import EmulatedDevice, needs_compiler, needs_gpu
from engine_problems import all_rounds, described, in_numpy, problems, smooth, started
from hypothesis import HealthCheck, given, settings

import agnoboost as ab
from agnoboost.rounds import boosting
from agnoboost.rounds.stumps import device_rounds, gpu
from agnoboost.rounds.stumps.conductor import Conductor
from agnoboost.rounds.stumps.gpu import GpuStumps
from agnoboost.rounds.stumps.keepers import gpu as keeper
from agnoboost.testing import check_rounds

ROUNDS = 50
quick = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


class Emulated(GpuStumps):
    device = EmulatedDevice


@pytest.fixture
def emulated(monkeypatch):
    """engine='gpu' without a GPU."""
    monkeypatch.setattr(gpu, "why_no_gpu", lambda: None)
    monkeypatch.setattr(GpuStumps, "device", EmulatedDevice)


def same_as_numpy(engine, problem):
    steps, edges, potentials = all_rounds(engine, problem.rounds)
    expected = in_numpy(problem)
    assert steps == expected[0]
    assert np.array_equal(edges, expected[1])
    np.testing.assert_allclose(potentials, expected[2], rtol=1e-9, atol=1e-9)


def rows_and_labels(rng, rows=3000, features=4):
    X = rng.normal(size=(rows, features))
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, np.where(np.nansum(X, axis=1) + rng.normal(size=rows) > 0, 1, -1)


def some_problem(rng, rounds=200, **changes):
    X, y = rows_and_labels(rng)
    booster = ab.algorithm1((X[:500], y[:500]), X[500:], **changes)
    return described(booster, ab.HistogramStumpLearner.from_data(X), rounds)


@needs_compiler
@quick
@given(problems())
def test_rounds_are_those_of_the_host(case):
    problem = described(*case, ROUNDS)
    same_as_numpy(started(Emulated, problem), problem)


class AskedByTheHost(Emulated):
    """Its keeper answers the conductor's questions, as any keeper does."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._kind = Conductor


@needs_compiler
@quick
@given(problems())
def test_the_conductor_can_ask_its_keeper(case):
    problem = described(*case, ROUNDS)
    same_as_numpy(started(AskedByTheHost, problem), problem)


@needs_compiler
@pytest.mark.parametrize("threshold", [0.0, 0.05])
def test_the_host_is_asked_for_new_features_and_case_b_only(rng, threshold):
    problem = some_problem(rng, step=0.01, threshold=threshold)
    engine = started(Emulated, problem)
    same_as_numpy(engine, problem)
    asked = engine._board.asked
    case_b = np.count_nonzero(engine._board.log.stump == -1)
    assert asked["joint"] == engine._board.keeper.joints.made == 4  # one a feature
    assert asked["take"] == case_b
    assert set(asked) <= {"totals", "restart", "rounds", "joint", "take"}


@needs_compiler
def test_wild_rounds_look_at_all_rows(rng, monkeypatch):
    problem = some_problem(rng, rounds=600, step=0.7)
    engine = started(Emulated, problem)
    same_as_numpy(engine, problem)
    assert engine._board.asked["sums"] == engine._board.asked["take"] == 0  # no round has more than _FEW
    monkeypatch.setattr(device_rounds, "_FEW", 10)
    engine = started(Emulated, problem)
    same_as_numpy(engine, problem)
    assert engine._board.asked["sums"] >= 2
    assert engine._board.asked["take"] >= 500


@needs_compiler
def test_rows_that_crossed_are_taken_in_before_there_are_too_many(rng, monkeypatch):
    problem = some_problem(rng, step=0.05)
    monkeypatch.setattr(keeper, "_room", lambda rows: 1500)
    engine = started(Emulated, problem)
    same_as_numpy(engine, problem)
    assert engine._board.asked["room"] >= 1
    assert engine._board.asked["joint"] == 4  # none was made anew


@needs_compiler
def test_joint_histograms_make_room_for_others(rng):
    problem = some_problem(rng, step=0.05)
    engine = started(Emulated, problem)
    joints = engine._board.keeper.joints
    joints.most_bytes = 1  # room for one
    same_as_numpy(engine, problem)
    assert len(joints.kept) == 1
    assert joints.made > 10


@needs_compiler
@pytest.mark.parametrize("potential", ["Huber", "pseudo-Huber"])
def test_too_little_memory_leads_to_the_host_with_a_sentence(rng, emulated, monkeypatch, potential):
    monkeypatch.setattr(GpuStumps, "device", lambda: EmulatedDevice(free=1000))
    X, y = rows_and_labels(rng, 200)
    known, rest = ab.Pool(X[:50], y[:50]), ab.Pool(X[50:])
    booster = ab.algorithm1(known, rest) if potential == "Huber" else smooth(known, rest)
    learner = ab.HistogramStumpLearner.from_data(X)
    with pytest.warns(RuntimeWarning, match="Rounds are run on the host: 200 rows of 4 features need about"):
        run = ab.boost(booster, learner, rounds=20, rng=0, engine="gpu")
    assert run.engine == ("incremental" if potential == "Huber" else "rebuild")
    assert run.tape == ab.boost(booster, learner, rounds=20, rng=0, engine="numpy").tape


@needs_compiler
def test_smooth_potentials_run_there_too(rng, emulated):
    X, y = rows_and_labels(rng, 200)
    booster, learner = smooth(ab.Pool(X[:50], y[:50]), ab.Pool(X[50:])), ab.HistogramStumpLearner.from_data(X)
    run = ab.boost(booster, learner, rounds=20, rng=0, engine="gpu")
    assert run.engine == "gpu"
    assert run.tape == ab.boost(booster, learner, rounds=20, rng=0, engine="rebuild").tape


@needs_compiler
def test_a_checkpoint_of_the_gpu_goes_on_there(rng, emulated, tmp_path):
    X, y = rows_and_labels(rng, 400)

    def run(rounds, **settings):
        booster = ab.algorithm1((X[:100], y[:100]), X[100:], step=0.1, threshold=0.15)
        return ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=rounds, rng=0, **settings)

    run(37, engine="gpu", checkpoint=tmp_path / "run.state")
    resumed = run(90, engine="gpu", checkpoint=tmp_path / "run.state")
    assert resumed.tape == run(90, engine="numpy").tape
    assert "B" in resumed.history["branch"][:37]


@needs_compiler
def test_check_rounds_and_callbacks_know_it(rng, emulated):
    X, y = rows_and_labels(rng, 150)
    learner, heard = ab.HistogramStumpLearner.from_data(X), []
    runs = check_rounds(lambda: ab.algorithm1((X[:50], y[:50]), X[50:], step=0.05), learner)
    assert "gpu" in runs
    stop = lambda progress: heard.append(progress.round.number) or len(heard) == 45  # noqa: E731
    ab.boost(ab.algorithm1((X[:50], y[:50]), X[50:]), learner, rounds=100, engine="gpu", callbacks=[stop])
    assert heard == list(range(1, 46))


def test_without_cupy_the_extra_is_named(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    X, y = rows_and_labels(rng, 60)
    booster, learner = ab.algorithm1((X[:20], y[:20]), X[20:]), ab.HistogramStumpLearner.from_data(X)
    with pytest.raises(ValueError, match=r"engine='gpu' cannot run this booster: .* needs CuPy.*agnoboost\[gpu\]"):
        ab.boost(booster, learner, rounds=3, engine="gpu")

    class Elsewhere:
        __cuda_array_interface__ = None

    with pytest.raises(ImportError, match=r"Arrays on a GPU need CuPy.*agnoboost\[gpu\]"):
        ab.Pool(Elsewhere())


def test_auto_takes_it_for_rows_that_lie_there_and_for_no_others(rng, emulated, monkeypatch):
    X, y = rows_and_labels(rng, 60)
    booster, learner = ab.algorithm1((X[:20], y[:20]), X[20:]), ab.HistogramStumpLearner.from_data(X)
    assert boosting.pick("auto", booster, learner, 10**6) is not GpuStumps
    assert boosting.pick("gpu", booster, learner, 3) is GpuStumps
    monkeypatch.setattr(boosting, "on_device", lambda array: array is not None)
    assert boosting.pick("auto", booster, learner, 3) is GpuStumps
    with pytest.raises(ValueError, match=r"engine='loop' works on the host\. Got rows that lie on a GPU\. Pass"):
        boosting.pick("loop", booster, learner, 3)
    with pytest.raises(ValueError, match=r"(?s)rows that lie on a GPU. engine='gpu' cannot: .*StumpLearner.*asnumpy"):
        boosting.pick("auto", booster, ab.StumpLearner(), 3)


@needs_gpu
@quick
@given(problems(largest=5000))
def test_on_a_gpu_rounds_are_those_of_the_host(case):
    problem = described(*case, ROUNDS)
    same_as_numpy(started(GpuStumps, problem), problem)


@needs_gpu
def test_on_a_gpu_rows_may_lie_there_already(rng, tmp_path):
    import cupy

    X, y = rows_and_labels(rng, 20_000)
    there = cupy.asarray(X)

    def run(X, y, **settings):
        booster = ab.algorithm1((X[:500], y[:500]), X[500:], step=0.01, threshold=0.01)
        return ab.boost(booster, ab.HistogramStumpLearner(), rounds=100, rng=0, **settings)

    expected = run(X, y, engine="numpy")
    found = run(there, cupy.asarray(y))
    assert found.engine == "gpu"
    assert found.tape == run(X, y, engine="gpu").tape == expected.tape
    run(there, y, engine="gpu", checkpoint=tmp_path / "state")
    assert run(X, y, engine="gpu", checkpoint=tmp_path / "state").tape == expected.tape  # the same rows
    with pytest.raises(ValueError, match="must be finite"):
        ab.Pool(cupy.where(there > 2, cupy.inf, there))
    with pytest.raises(ValueError, match="engine='incremental' works on the host"):
        run(there, y, engine="incremental")
