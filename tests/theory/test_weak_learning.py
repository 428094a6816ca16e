"""Definition def:wl, agnostic weak learning: corr(W) >= gamma * (the best of the class) - epsilon_0.

Hypotheses that are sums of members of B with coefficients of total size L are 1/L-weakly learned by minimising the
empirical risk over B, whatever the distribution; and no larger gamma will do if the sum is unique, as Fourier
expansions are.
"""

from itertools import product

import numpy as np
import pytest
from problems import Population, cube, majorities, random_population

from agnoboost import Batch, ParityLearner, Stream, StumpLearner, Tape, algorithm1, algorithm2, bernoulli
from agnoboost.core.learners import Parity, Stump
from agnoboost.core.tape import Add, Shrink
from agnoboost.kernels.walsh import subsets
from agnoboost.planner.bounds import FiniteClass

TOLERANCE = 1e-12


def parities(X, degree):
    """Values of all parities of at most ``degree`` coordinates, a row each."""
    return np.array([X[:, list(subset)].prod(axis=1) for subset in subsets(X.shape[1], degree)])


def batch_of(world):
    return Batch(world.X, world.mean, world.mass)


def best(values, world):
    return float((values @ (world.mass * world.mean)).max())


@pytest.mark.parametrize("uniform", [False, True])  # any distribution; or labels only, on a known marginal
def test_parities_learn_majorities_with_the_gamma_of_their_fourier_coefficients(rng, uniform):
    X, learner = cube(5), ParityLearner(3)
    basis, reference = parities(X, 3), majorities(X)
    coefficients = reference @ basis.T / len(X)
    assert np.allclose(coefficients @ basis, reference)  # nothing of higher degree
    gamma = 1 / np.abs(coefficients).sum(axis=1).max()
    assert gamma == pytest.approx(0.5)
    for _ in range(100):
        world = random_population(rng, 5, uniform=uniform)
        found = world.corr(learner.fit(batch_of(world), rng).predict(X))
        assert found == pytest.approx(np.abs(basis @ (world.mass * world.mean)).max(), abs=TOLERANCE)  # ERM over B
        assert found >= gamma * best(reference, world) - TOLERANCE
    # A label function in which all parities of a majority weigh the same: no larger gamma will do.
    tight = np.sign(coefficients[0]) @ basis
    world = Population(X, np.full(len(X), 1 / len(X)), tight / np.abs(tight).max())
    found = world.corr(learner.fit(batch_of(world), rng).predict(X))
    assert found == pytest.approx(gamma * best(reference, world), abs=TOLERANCE)


def test_a_learner_may_be_weak_on_one_marginal_only(rng):
    """Where x1 x2 x3 = 1, degree 1 is enough for majorities: (x1 + x2 + x3 - 1)/2. On the cube it is not."""
    X, learner = cube(3), ParityLearner(1)
    reference = majorities(X)
    here = X.prod(axis=1) == 1
    for _ in range(100):
        mass = rng.dirichlet(np.ones(len(X))) * here
        world = Population(X, mass / mass.sum(), rng.uniform(-1, 1, len(X)))
        found = world.corr(learner.fit(batch_of(world), rng).predict(X))
        assert found >= 0.5 * best(reference, world) - TOLERANCE
    world = Population(X, np.full(len(X), 1 / len(X)), -X.prod(axis=1))
    assert best(reference, world) == pytest.approx(0.5)
    assert world.corr(learner.fit(batch_of(world), rng).predict(X)) == pytest.approx(0.0, abs=TOLERANCE)


@pytest.mark.parametrize("recipe", [algorithm1, algorithm2])
def test_relabeling_leaves_the_marginal_as_it_was(rng, recipe):
    """What the distribution-specific setting rests on: rows are never reweighted."""
    X = cube(3)
    world = Population(X, np.full(len(X), 1 / len(X)), rng.uniform(-1, 1, len(X)))
    every_point = Stream(lambda n, rng: X, n_features=3)
    sampler = recipe(world.labeled(), every_point, step=0.2, rows_unlabeled=len(X)).sampler
    tape = Tape.of(0.1, [Add(Parity((0, 1), 1), 2), Shrink(1), Add(Parity((2,), -1), 2), Shrink(2)])
    state = sampler.init(rng)
    for length in range(len(tape) + 1):
        draw, state = sampler.draw(tape.prefix(length), state, rng)
        place = (draw.batch.X > 0) @ [4, 2, 1]
        assert np.bincount(place, draw.batch.mass, len(X)) == pytest.approx(world.mass, abs=TOLERANCE)
    assert np.abs(draw.batch.target).max() > 0.1


def intervals(x):
    """Values of +1 inside and -1 outside of every interval of a line's points, and the negatives."""
    inside = np.array([(x >= low) & (x <= high) for low, high in product(x, x) if low <= high])
    values = np.where(inside, 1.0, -1.0)
    return np.concatenate([values, -values])


def test_stumps_learn_intervals_with_gamma_one_third(rng):
    """An interval is the sum of three stumps: s_a - s_b - 1. A third each is attained."""
    x, learner = np.sort(rng.normal(size=9)), StumpLearner()
    X, reference = x[:, None], intervals(x)
    cuts = [-np.inf, *(x[:-1] + x[1:]) / 2]
    stumps = np.array([Stump(0, cut, side).predict(X) for cut in cuts for side in (-1, 1)])
    for _ in range(200):
        world = Population(X, rng.dirichlet(np.ones(len(x))), rng.uniform(-1, 1, len(x)))
        found = world.corr(learner.fit(batch_of(world), rng).predict(X))
        assert found == pytest.approx(best(stumps, world), abs=TOLERANCE)
        assert found >= best(reference, world) / 3 - TOLERANCE
    world = Population(X, np.full(len(x), 1 / len(x)), np.repeat([-1.0, 1.0, -1.0], 3))
    assert best(reference, world) == pytest.approx(1.0)
    assert world.corr(learner.fit(batch_of(world), rng).predict(X)) == pytest.approx(1 / 3)


def test_the_planners_number_of_draws_gives_epsilon_0(rng):
    """m(epsilon_0, delta_0): from so many labeled draws the learner is within epsilon_0, with probability 1 - delta_0.

    Here against the best of B itself, for which it is a 1-weak learner. A fiftieth of the draws is not enough.
    """
    learner, epsilon0, delta0, X = ParityLearner(3), 0.2, 0.1, cube(5)
    world = Population(X, np.full(len(X), 1 / len(X)), 0.3 * X[:, 0])
    m = FiniteClass(np.log(learner.size(5))).samples(epsilon0 / 2, delta0)

    def failures(draws):
        found = [learner.fit(bernoulli(draws)(batch_of(world), rng), rng).predict(X) for _ in range(200)]
        return np.mean([world.corr(values) < 0.3 - epsilon0 for values in found])

    assert failures(m) <= delta0 < failures(m // 50)


def test_lemma_shiftdist(rng):
    """C_X * E_Q[f] >= E_D[f] for every f >= 0; with equality where dD/dQ is largest, so no smaller C_X will do."""
    for _ in range(300):
        size = int(rng.integers(2, 12))
        d, q = rng.dirichlet(np.full(size, 0.5), 2)
        C = float(np.max(d / q))
        f = rng.exponential(size=size) * (rng.random(size) < 0.6)
        assert C * (q @ f) >= d @ f - 1e-9 * C
        peak = np.eye(size)[np.argmax(d / q)]
        assert C * (q @ peak) == pytest.approx(d @ peak)
        assert 0.99 * C * (q @ peak) < d @ peak
