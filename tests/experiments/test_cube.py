"""Boosting on tables gives the tapes of the library itself."""

from dataclasses import dataclass

import numpy as np
import pytest

import agnoboost as ab
from agnoboost.basics.conventions import level, sign_of
from agnoboost.core.batch import Batch
from agnoboost.core.learners.base import WeakLearner
from agnoboost.core.learners.parity import Parity
from agnoboost.core.potentials import GhaiSingh, Huber, Madaboost, PseudoHuber
from agnoboost.core.rules import FixedStep
from agnoboost.core.sources import Sample, Source
from agnoboost.core.tape import Add
from agnoboost_experiments import cube

CUBE = cube.Cube(5)


def test_points_and_parities():
    assert CUBE.points.shape == (32, 5)
    assert len(np.unique(CUBE.points, axis=0)) == 32
    for number in range(32):
        subset = [i for i in range(5) if number >> i & 1]
        assert (CUBE.parities[number] == CUBE.points[:, subset].prod(axis=1)).all()
        assert CUBE.degrees[number] == len(subset)


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_correlations_are_those_of_brute_force(n):
    own = cube.Cube(n)
    tables = np.random.default_rng(n).normal(size=(3, own.size))
    np.testing.assert_allclose(own.correlations(tables), tables @ own.parities.T, atol=1e-12)


@pytest.mark.parametrize(("votes", "size"), [(3, 2.0), (5, 3.5)])
def test_majorities_have_the_known_fourier_coefficients(votes, size):
    own = cube.Cube(6)
    coefficients = own.correlations(own.majority(range(votes))[None] / own.size)
    np.testing.assert_allclose(np.abs(coefficients).sum(), size)


def test_samples_follow_the_distribution():
    problem = make_problem(half=0.8, unlabeled_half=0.1)
    rng = np.random.default_rng(0)
    plus, minus = problem.labeled(200_000, rng)
    counts = problem.unlabeled(200_000, rng)
    np.testing.assert_allclose((plus + minus)[0] / 200_000, problem.mass, atol=0.003)
    np.testing.assert_allclose(counts[0] / 200_000, problem.unlabeled_mass, atol=0.003)
    np.testing.assert_allclose((plus - minus)[0] / (plus + minus)[0], problem.mean_label[0], atol=0.05)
    assert problem.mass.sum() == pytest.approx(1)
    assert problem.mass[CUBE.points[:, -1] == 1].sum() == pytest.approx(0.8)


def make_problem(half=0.5, unlabeled_half=0.5):
    mean = 0.6 * np.where(CUBE.points[:, -1] == 1, CUBE.majority([0, 1, 2]), CUBE.majority([1, 2, 3]))
    return cube.CubeProblem(CUBE, mean[None], half, unlabeled_half)


class Counted(Source):
    """A source that hands out the counts of a table's sample, always over the same rows."""

    def __init__(self, problem, labeled):
        self.problem, self.labeled, self.n_features, self.endless = problem, labeled, 5, True
        points = CUBE.points.astype(float)
        self.X = np.concatenate([points, points]) if labeled else points
        self.y = np.repeat([1.0, -1.0], 32) if labeled else np.zeros(32)

    def draw(self, n, rng):
        self.drawn += n
        counts = self.problem.labeled(n, rng) if self.labeled else (self.problem.unlabeled(n, rng),)
        return Sample(self.X, self.y, np.concatenate([table[0] for table in counts]) / n)


@dataclass(frozen=True)
class NumberedParities(WeakLearner):
    """All parities by brute force; ties go to the lowest number, as on tables."""

    degree: int

    def fit(self, batch: Batch, rng):
        numbers = np.flatnonzero(CUBE.degrees <= self.degree)
        subsets = [tuple(i for i in range(5) if number >> i & 1) for number in numbers]
        edges = np.array([batch.corr(Parity(subset, 1).predict(batch.X)) for subset in subsets])
        best = int(np.argmax(level(np.abs(edges))))
        return Parity(subsets[best], sign_of(edges[best]))


STEP, GAMMA, ROUNDS = 0.06, 0.5, 40


def sources(problem):
    return Counted(problem, True), Counted(problem, False)


def twins():
    fixed = {"step": STEP, "gamma": GAMMA}
    yield (
        "PAB",
        lambda p, tau: ab.Booster(ab.pab(sources(p)[0], rows=7).sampler, FixedStep(threshold=tau, **fixed)),
        cube.FreshTables(Madaboost(), 7),
    )
    yield (
        "GS24",
        lambda p, tau: ab.ghai_singh_2024(sources(p)[0], rows=9, decay=0.2, threshold=tau, tolerance=0.0, **fixed),
        cube.ReuseTables(GhaiSingh(), 9, STEP, 0.2, labeled=True),
    )
    yield (
        "Algorithm 1",
        lambda p, tau: ab.algorithm1(*sources(p), rows_labeled=50, rows_unlabeled=20, threshold=tau, **fixed),
        cube.MixedTables(50, cube.UnlabeledTables(20)),
    )
    yield (
        "Algorithm 2",
        lambda p, tau: ab.algorithm2(
            *sources(p), rows_labeled=50, rows_unlabeled=10, tolerance=0.0, threshold=tau, **fixed
        ),
        cube.MixedTables(50, cube.ReuseTables(PseudoHuber(), 10, STEP, STEP, labeled=False)),
    )
    yield (
        "Algorithm 3",
        lambda p, tau: ab.algorithm3(*sources(p), shift=4, rows_labeled=50, rows_unlabeled=20, threshold=tau, **fixed),
        cube.MixedTables(50, cube.UnlabeledTables(20), 4.0),
    )


@pytest.mark.parametrize("threshold", [0.0, 0.15])
@pytest.mark.parametrize(("name", "booster", "sampler"), list(twins()), ids=[name for name, _, _ in twins()])
def test_tables_give_the_tape_of_the_library(name, booster, sampler, threshold):
    problem = make_problem(half=0.8, unlabeled_half=0.2)
    for seed in range(3):
        run = ab.boost(booster(problem, threshold), NumberedParities(3), rounds=ROUNDS, rng=seed)
        trace = cube.boost_tables(
            problem, sampler, cube.Schedule(STEP, ROUNDS, GAMMA, threshold), 3, np.random.default_rng(seed)
        )
        steps = [
            step.hypothesis.sign * (1 + sum(2**i for i in step.hypothesis.subset)) if isinstance(step, Add) else 0
            for step in run.tape.steps
        ]
        assert trace.chosen[:, 0].tolist() == steps
        assert threshold == 0.0 or 0 in steps or name in ("PAB", "GS24")
        predicted = run.tape.predict(CUBE.points.astype(float))
        assert trace.correlation[-1, 0] == pytest.approx(problem.correlation(predicted)[0])


def test_labels_alone_give_the_tape_of_the_library():
    problem, seed = make_problem(), 5
    plus, minus = problem.labeled(60, np.random.default_rng(seed))
    points = CUBE.points.astype(float)
    pool = ab.Pool(
        np.concatenate([points, points]), np.repeat([1.0, -1.0], 32), np.concatenate([plus[0], minus[0]]) / 60
    )
    run = ab.boost(ab.labeled_only(pool, step=STEP), NumberedParities(3), rounds=ROUNDS, rng=0)
    trace = cube.boost_tables(
        problem, cube.FixedTables(Huber(), 60), cube.Schedule(STEP, ROUNDS), 3, np.random.default_rng(seed)
    )
    assert trace.chosen[:, 0].tolist() == [
        step.hypothesis.sign * (1 + sum(2**i for i in step.hypothesis.subset)) for step in run.tape.steps
    ]


def test_repetitions_are_independent_of_each_other():
    problem = make_problem()
    both = cube.CubeProblem(CUBE, np.repeat(problem.mean_label, 2, axis=0))
    trace = cube.boost_tables(
        both, cube.MixedTables(40, cube.UnlabeledTables(40)), cube.Schedule(0.1, 20), 3, np.random.default_rng(0), 10
    )
    assert trace.correlation.shape == (21, 2)
    assert (trace.chosen[:, 0] != trace.chosen[:, 1]).any()
    best = level(trace.held_out).argmax(axis=0)
    assert trace.selected().tolist() == [trace.correlation[best[k], k] for k in range(2)]
    assert (trace.prefix(5).correlation == trace.correlation[:6]).all()
