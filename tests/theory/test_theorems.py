"""The theorems, run: plans on problems that are solved exactly."""

from math import log

import numpy as np
import pytest
from problems import Population, cube, majorities

from agnoboost import ParityLearner, algorithm1, bernoulli, boost, from_plan, plan
from agnoboost.core.potentials import Huber

LEARNER = ParityLearner(3)
GAMMA = 0.5  # Maj3 = (x1 + x2 + x3 - x1 x2 x3)/2, so some parity has half of its correlation, whatever the labels
LOG_SIZE = log(LEARNER.size(5))


def noisy_majority(rng, kind):
    """Uniform cube of 5 coordinates; labels that a majority explains in part, with an adversary in the rest."""
    X = cube(5)
    majority = np.sign(X[:, 0] + X[:, 1] - X[:, 2])
    mean = {
        "random flips": 0.6 * majority,
        "nuisance parity": 0.5 * majority + 0.5 * X.prod(axis=1),
        "adversarial": np.where(rng.random(len(X)) < 0.25, -majority, majority) * rng.uniform(0.2, 1.0, len(X)),
    }[kind]
    mass = rng.dirichlet(np.full(len(X), 3.0))
    return Population(X, mass, mean)


def best_in_class(world):
    """The largest correlation over all majorities of three coordinates, any of them negated, exactly."""
    return float(np.abs(majorities(world.X) @ (world.mass * world.mean)).max())


def run(p, world, q=None, *, rng, realize=None):
    labeled = world.labeled()
    unlabeled = world.unlabeled() if q is None else Population(world.X, q, world.mean).unlabeled()
    done, chosen = from_plan(p, labeled, unlabeled, realize=realize).run(LEARNER, rng)
    assert labeled.drawn == p.total_labeled
    assert unlabeled.drawn == p.total_unlabeled
    return done, world.corr(chosen.predict(world.X))


@pytest.mark.parametrize("kind", ["random flips", "nuisance parity", "adversarial"])
def test_theorem_1(rng, kind):
    world = noisy_majority(rng, kind)
    p = plan("theorem1", epsilon=0.3, delta=0.1, gamma=GAMMA, log_size=LOG_SIZE)
    _, found = run(p, world, rng=rng)
    assert found >= best_in_class(world) - p.guarantee


def test_theorem_1_with_sampled_labels(rng):
    world = noisy_majority(rng, "adversarial")
    p = plan("theorem1", epsilon=1.0, delta=0.2, gamma=GAMMA, log_size=LOG_SIZE)
    _, found = run(p, world, rng=rng, realize=bernoulli(p.m))
    assert found >= best_in_class(world) - p.guarantee


@pytest.mark.parametrize("theorem", ["theorem2", "theorem3"])
def test_theorems_2_and_3(rng, theorem):
    world = noisy_majority(rng, "adversarial")
    p = plan(theorem, epsilon=0.9, delta=0.2, gamma=GAMMA, log_size=LOG_SIZE)
    _, found = run(p, world, rng=rng)
    assert found >= best_in_class(world) - p.guarantee
    assert found >= best_in_class(world) - 0.2  # the guarantee is loose here: what happens in fact is far better


@pytest.mark.parametrize("C", [2.0, 6.0])
def test_theorem_on_covariate_shift(rng, C):
    world = noisy_majority(rng, "adversarial")
    other = rng.dirichlet(np.ones(len(world.X)))
    q = world.mass / C + (1 - 1 / C) * other  # dD/dQ <= C by construction
    p = plan("shift", epsilon=0.5, delta=0.1, gamma=GAMMA, log_size=LOG_SIZE, shift=C)
    _, found = run(p, world, q, rng=rng)
    assert found >= best_in_class(world) - p.guarantee


@pytest.mark.parametrize("kind", ["random flips", "nuisance parity", "adversarial"])
def test_the_potential_falls_in_every_round_before_the_final_one(rng, kind):
    """Cases A and B of the proof: at least gamma^2 eps^2/2 each, until neither holds, which must come by round T."""
    world, huber = noisy_majority(rng, kind), Huber()
    p = plan("theorem1", epsilon=0.3, delta=0.1, gamma=GAMMA, log_size=LOG_SIZE)
    settings = {**p.settings(), "rows_labeled": None, "rows_unlabeled": None}  # the population itself
    done = boost(algorithm1(world.labeled(), world.unlabeled(), **settings), LEARNER, rounds=p.T, rng=rng)
    eps, margins = p.proof_epsilon, list(done.tape.staged(world.X))
    final = None
    for number, branch in enumerate(done.history["branch"]):
        H = margins[number]
        slope = world.slope(huber, H, np.where(H >= 0, 1.0, -1.0))
        if branch == "B" and slope < eps:
            final = number
            break
        fall = world.potential(huber, H) - world.potential(huber, margins[number + 1])
        assert fall >= p.gamma**2 * eps**2 / 2 - 1e-12, (number, branch)
    assert final is not None, "no iterate with neither case within T rounds"
    H = margins[final]
    assert best_in_class(world) - world.corr(np.where(H >= 0, 1, -1)) <= 17 / 5 * eps
    assert done.history["potential"][1] == pytest.approx(world.potential(huber, margins[1]))


def test_overestimating_the_shift_is_free_if_the_step_is_scaled(rng):
    """While |H| < 1 the psi part is linear in H, so C times the shift and 1/C times the step give the same signs."""
    world = noisy_majority(rng, "adversarial")
    tapes = []
    for C in (1.0, 4.0, 16.0):
        booster = algorithm1(world.labeled(), world.unlabeled(), step=2.0**-6 / C, shift=C)
        tapes.append(boost(booster, LEARNER, rounds=40, rng=0).tape)
    assert max(np.abs(tapes[0].margin(world.X))) < 1
    for tape in tapes[1:]:
        assert [step.hypothesis for step in tape.steps] == [step.hypothesis for step in tapes[0].steps]
