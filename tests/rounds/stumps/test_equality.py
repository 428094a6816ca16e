"""The incremental engine, the rebuild, numpy, the loop and brute force: the same tapes, exactly."""

from fractions import Fraction

import numpy as np
import pytest
from engine_problems import compiled, described, in_numpy, problems, started
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import agnoboost as ab
from agnoboost.core.learners.stump import CategoryStump
from agnoboost.core.tape import Add, Shrink, Tape
from agnoboost.kernels.cells import cell_sums
from agnoboost.kernels.compiled import conducting as kernels
from agnoboost.rounds.stumps import compiled as full_batch
from agnoboost.rounds.stumps import conductor
from agnoboost.rounds.stumps.compiled import IncrementalStumps
from agnoboost.rounds.stumps.keepers import host

ROUNDS = 50

thorough = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@thorough
@given(problems())
def test_all_ways_choose_the_same_stumps(case):
    problem = described(*case, ROUNDS)
    steps, edges, potentials = in_numpy(problem)
    ways = [compiled(problem, always_rebuild=True)]
    if problem.incremental:
        ways += [compiled(problem), compiled(problem, cache_bytes=1)]  # room for few columns: evictions
    for other_steps, other_edges, other_potentials in ways:
        assert other_steps == steps
        assert np.array_equal(other_edges, edges)
        np.testing.assert_allclose(other_potentials, potentials, rtol=1e-9, atol=1e-9)


def parted_by_a_tie(run, loop):
    """Whether the first steps that differ have the same edge, up to the grid on which edges are compared.

    Scores that are equal on paper differ in their last bits in the loop's floating-point sums. The grid hides that, but
    for the rare tie that lies on the line between two of its levels: there the loop may put equals on both sides.
    """
    pairs = zip(run.tape.steps, loop.tape.steps, strict=True)
    at = next(number for number, (first, second) in enumerate(pairs) if first != second)
    return abs(run.history["edge"][at] - loop.history["edge"][at]) <= 2.0**-40


@thorough
@given(problems(largest=60))
def test_the_engine_follows_the_loop(case):
    booster, learner = case
    loop = ab.boost(booster, learner, rounds=ROUNDS, rng=0, engine="loop")
    run = ab.boost(booster, learner, rounds=ROUNDS, rng=0, engine="numpy")
    assert (loop.engine, run.engine) == ("loop", "numpy")
    if run.tape != loop.tape:
        assert parted_by_a_tie(run, loop)
        return
    np.testing.assert_allclose(run.history["edge"], loop.history["edge"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(run.history["potential"], loop.history["potential"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("step", [0.01, 0.1, 0.7])
def test_threads_change_nothing(rng, monkeypatch, step, threshold):
    monkeypatch.setattr(host, "_SPLIT", 0)  # so that a small problem is split between threads too
    X = rng.normal(size=(3000, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = np.where(np.nansum(X, axis=1) + rng.normal(size=3000) > 0, 1, -1)
    booster = ab.algorithm1((X[:500], y[:500]), X[500:], step=step, threshold=threshold)
    problem = described(booster, ab.HistogramStumpLearner.from_data(X), 200)
    expected = in_numpy(problem)
    runs = [
        compiled(problem, threads=threads, always_rebuild=rebuild) for threads in (1, 2, 3) for rebuild in (False, True)
    ]
    for steps, edges, _ in runs:
        assert steps == expected[0]
        assert np.array_equal(edges, expected[1])
    for one, other in zip(runs[:2], runs[2:4], strict=True):
        assert np.array_equal(one[2], other[2])  # the potential too, to the bit


@settings(deadline=None, max_examples=60)
@given(problems(largest=200), st.integers(1, 40))
def test_sums_are_exact_after_every_stretch(case, stretch):
    problem = described(*case, ROUNDS)
    if not problem.incremental:
        return
    engine = started(IncrementalStumps, problem)
    while engine._board.round < ROUNDS:
        engine.next(min(stretch, ROUNDS - engine._board.round))
        board, keeper = engine._board, engine._board.keeper
        if engine._conducts:
            engine._conductor.leave()  # all margins up to date
        slopes = problem.psi.weighted(keeper.weights.astype(np.int64), keeper.margins.astype(np.int64))
        assert np.array_equal(board.cells.sums, cell_sums(keeper.codes, board.layout.start, slopes))
        if engine._conducts:
            engine._conductor.begin()


def test_wild_rounds_are_rebuilt_and_calm_ones_are_not(rng, monkeypatch):
    monkeypatch.setattr(full_batch, "_CALM_AFTER", 70)
    X = rng.normal(size=(400, 6))
    y = np.where(X.sum(axis=1) + rng.normal(size=400) > 0, 1, -1)
    learner = ab.HistogramStumpLearner.from_data(X)
    rebuilt = []
    original = full_batch.IncrementalStumps._rebuilt
    monkeypatch.setattr(
        full_batch.IncrementalStumps, "_rebuilt", lambda self, until: (rebuilt.append(until), original(self, until))
    )
    for step in (0.9, 0.01):  # with long steps most rows cross |H| = 1 in most rounds
        monkeypatch.setattr(full_batch, "_WILD", 0.05 if step == 0.9 else 0.75)
        problem = described(ab.algorithm1((X[:100], y[:100]), X[100:], step=step), learner, 300)
        assert compiled(problem)[0] == in_numpy(problem)[0]
        assert bool(rebuilt) == (step == 0.9)
        rebuilt.clear()


@pytest.mark.parametrize("gamma", [1e-5, 3e-6])
def test_steps_of_very_many_units(rng, gamma):
    X = rng.normal(size=(300, 4))
    y = np.where(X.sum(axis=1) + rng.normal(size=300) > 0, 1, -1)
    booster = ab.algorithm1((X[:100], y[:100]), X[100:], step=0.5, gamma=gamma, threshold=0.02)
    problem = described(booster, ab.HistogramStumpLearner.from_data(X), 60)
    assert compiled(problem)[0] == in_numpy(problem)[0]


def test_a_cache_of_few_columns_changes_nothing(rng):
    for features in (12, 20, 30):
        X = rng.normal(size=(300, features))
        y = np.where(X.sum(axis=1) + rng.normal(size=300) > 0, 1, -1)
        booster = ab.algorithm1((X[:150], y[:150]), X[150:], step=0.02)
        problem = described(booster, ab.HistogramStumpLearner.from_data(X), 300)
        assert compiled(problem, cache_bytes=1)[0] == in_numpy(problem)[0]


def test_brute_force_agrees(rng):
    """Every stump of every feature, in fractions, by the definition of the algorithm."""
    for threshold in (0.0, 0.2):
        X = rng.integers(0, 4, size=(14, 3)).astype(float)
        y = rng.choice([-1, 1], size=6)
        booster = ab.algorithm1((X[:6], y), X[6:], step=0.25, threshold=threshold)
        run = ab.boost(booster, ab.HistogramStumpLearner.from_data(X), rounds=40, rng=0, engine="incremental")
        margins = [Fraction(0)] * 14
        for step in run.tape.steps:
            best, found = brute_force(X, y, margins)
            if best > Fraction(threshold):
                assert isinstance(step, Add)
                assert (step.hypothesis.feature, step.hypothesis.threshold, step.hypothesis.sign) == found
                signs = [found[2] if row[found[0]] > found[1] else -found[2] for row in X]
                margins = [margin + Fraction(1, 4) * sign for margin, sign in zip(margins, signs, strict=True)]
            else:
                assert step == Shrink(1)
                margins = [margin - Fraction(1, 4) * (1 if margin >= 0 else -1) for margin in margins]


def brute_force(X, y, margins):
    """The largest edge, and (feature, threshold, sign) of the first stump that has it."""
    best, found = Fraction(-1), None
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in [-np.inf, *((values[:-1] + values[1:]) / 2)]:
            side = np.where(X[:, feature] > threshold, 1, -1)
            labeled = sum(Fraction(int(a * b), 6) for a, b in zip(y, side[:6], strict=True))
            slopes = [max(Fraction(-1), min(Fraction(1), margin)) for margin in margins[6:]]
            unlabeled = sum(slope * int(s) for slope, s in zip(slopes, side[6:], strict=True)) / 8
            edge = (labeled - unlabeled) / 2
            if abs(edge) > best:
                best, found = abs(edge), (feature, float(threshold), 1 if edge >= 0 else -1)
    return best, found


def test_rows_without_weight_never_count(rng):
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    mass = np.where(np.arange(300) < 100, 0.0, 1.0)
    labeled, unlabeled = ab.Pool(X[:50], y[:50]), ab.Pool(X, mass=mass)
    same = ab.algorithm1(labeled, ab.Pool(X[100:]), step=0.1)
    learner = ab.HistogramStumpLearner.from_data(X)
    run = ab.boost(ab.algorithm1(labeled, unlabeled, step=0.1), learner, rounds=80, engine="incremental")
    assert run.tape == ab.boost(same, learner, rounds=80, engine="incremental").tape


def test_categories_are_split_in_the_best_way(rng):
    X = np.column_stack([rng.integers(0, 6, 500), rng.normal(size=500)])
    y = np.where(np.isin(X[:, 0], [1, 4]) ^ (rng.random(500) < 0.1), 1, -1)
    learner = ab.HistogramStumpLearner.from_data(X, categorical=[0])
    booster = ab.algorithm1((X[:300], y[:300]), X[300:], step=0.05)
    run = ab.boost(booster, learner, rounds=60, engine="incremental")
    first = run.tape.steps[0].hypothesis
    assert isinstance(first, CategoryStump)
    assert (first.plus, first.minus) == ((1, 4), (0, 2, 3, 5))
    assert run.tape == ab.boost(booster, learner, rounds=60, engine="loop").tape


def test_the_zone_is_small_and_holds_all_that_cross(rng, monkeypatch):
    monkeypatch.setattr(conductor, "_FEW", 64)
    X = rng.normal(size=(20_000, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    booster = ab.algorithm1((X[:500], y[:500]), X[500:], step=0.005)
    problem = described(booster, ab.HistogramStumpLearner.from_data(X), 400)
    engine = started(IncrementalStumps, problem, cache_bytes=2**22)
    zones, near = [], []
    while engine._board.round < 400:
        engine.next(min(20, 400 - engine._board.round))
        zones.append(len(engine._conductor._zone.due))
        near.append(int(engine._board.state.numbers[kernels.NEAR]))
    assert np.median(zones) < 20_000 / 12
    assert np.median(near) < 20_000 / 100
    tape = Tape.of(problem.unit, engine._board.outcome(0).steps)
    assert tape.steps == in_numpy(problem)[0]
    assert (np.abs(tape.margin(X)) > 1).any()  # some rows did cross
    assert engine._board.asked["zone"] < 40
