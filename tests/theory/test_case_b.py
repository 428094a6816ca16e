"""Case B of the proofs: rounds in which no hypothesis helps, Phi'(H, sign H) is large, and H moves towards zero.

They are rare: with a learner that has the constants, what sign(H) could gain a parity gains sooner. So the base class
here is that of the parities without the constants, which is as good a weak learner for majorities of three, and the
mean label has a constant part, which only steps of case B can follow.
"""

from dataclasses import dataclass
from math import log

import numpy as np
import pytest
from problems import Population, cube, majorities

from agnoboost import ParityLearner, Stream, algorithm1, algorithm2, algorithm3, boost, plan
from agnoboost.core.learners import Parity
from agnoboost.core.potentials import Huber, PseudoHuber

GAMMA = 0.5  # Maj3 = (x1 + x2 + x3 - x1 x2 x3)/2: no constant in it


@dataclass(frozen=True)
class ProperParities(ParityLearner):
    """The best parity of at least one coordinate."""

    def fit(self, batch, rng):
        correlations = self.correlations(batch.X, batch.signed).copy()
        correlations[0] = 0.0
        found, edge = self.best(correlations, batch.X.shape[1])
        return Parity((0,), 1) if edge == 0.0 else found


LEARNER = ProperParities(3)
LOG_SIZE = log(LEARNER.size(5) - 2)


def world(kind):
    X = cube(5)
    mean = {
        "constant": np.full(len(X), -0.5),  # H goes back and forth between 0 and -eta
        "constant and parities": 0.45 + 0.18 * (X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1]),  # H learns both
    }[kind]
    return Population(X, np.full(len(X), 1 / len(X)), mean)


def elsewhere(rng, world, C):
    """A distribution Q of unlabeled rows with dD/dQ <= C."""
    return world.mass / C + (1 - 1 / C) * rng.dirichlet(np.ones(len(world.X)))


def sign(H):
    return np.where(H >= 0, 1.0, -1.0)


@dataclass
class Trace:
    """A run on a population, seen through its potential Phi(H) = C * E_Q[psi(H)] - E_D[y H]."""

    world: Population
    q: np.ndarray
    C: float
    psi: object
    run: object

    def __post_init__(self):
        self.margins = list(self.run.tape.staged(self.world.X))
        self.branches = self.run.history["branch"].tolist()

    def potential(self, H):
        return self.C * np.sum(self.q * self.psi.psi(H)) - self.world.corr(H)

    def slope(self, H, h):
        return self.C * np.sum(self.q * self.psi.psi_grad(H) * h) - self.world.corr(h)

    def falls(self):
        values = [self.potential(H) for H in self.margins]
        return -np.diff(values)

    def towards_zero(self):
        """Phi'(H_t, sign H_t) of every round."""
        return np.array([self.slope(H, sign(H)) for H in self.margins[:-1]])

    def assert_weak_learning(self, scale):
        """Definition def:wl, in every round: the edge is at least gamma times that of the best majority."""
        H = np.array(self.margins[:-1])
        gradients = self.C * self.q * self.psi.psi_grad(H) - self.world.mass * self.world.mean
        best = (-scale * gradients @ majorities(self.world.X).T).max(axis=1)
        assert (self.run.history["edge"] >= GAMMA * best - 1e-12).all()


def settings(p):
    return {**p.settings(), "rows_labeled": None, "rows_unlabeled": None}  # the population itself


@pytest.mark.parametrize(
    ("kind", "C", "at_least"),
    [
        ("constant", 1.0, 100),
        ("constant", 2.0, 100),
        ("constant and parities", 1.0, 100),
        ("constant and parities", 2.0, 5),  # the parities of Q's own unevenness do part of the work
    ],
)
def test_every_round_of_either_case_lowers_the_potential(rng, kind, C, at_least):
    """Theorems main and maincov: by gamma^2 eps^2/(2 C_X) in case A, and in case B where Phi'(H, sign H) >= eps."""
    here = world(kind)
    if C == 1.0:
        p, q = plan("theorem1", epsilon=0.3, delta=0.1, gamma=GAMMA, log_size=LOG_SIZE), here.mass
        booster = algorithm1(here.labeled(), here.unlabeled(), **settings(p))
    else:
        p, q = plan("shift", epsilon=0.3, delta=0.1, gamma=GAMMA, log_size=LOG_SIZE, shift=C), elsewhere(rng, here, C)
        booster = algorithm3(here.labeled(), Population(here.X, q, here.mean).unlabeled(), **settings(p))
    trace = Trace(here, q, C, Huber(), boost(booster, LEARNER, rounds=p.T, rng=0))
    trace.assert_weak_learning(scale=1 / (1 + C))

    eps = p.proof_epsilon
    case_a = np.array([branch == "A" for branch in trace.branches])
    true_case_b = ~case_a & (trace.towards_zero() >= eps)
    assert true_case_b.sum() > at_least
    if kind == "constant and parities":
        assert case_a.sum() > 100
    needed = p.gamma**2 * eps**2 / (2 * C)
    assert trace.falls()[case_a | true_case_b].min() >= needed - 1e-12
    assert not (case_a | true_case_b).all()  # the iterate with neither, which the theorem is after


def test_the_inequality_of_theorem_2_in_every_round():
    """Its proof bounds the slope of the step that is taken by tau (case A) or by the gap to the best majority (B)."""
    here, step, tau, rounds = world("constant"), 0.02, 0.01, 300
    eta = GAMMA * step
    every_point = Stream(lambda n, rng: here.X, n_features=5)  # so a round's rows are the population itself
    rows = {"rows_labeled": None, "rows_unlabeled": len(here.X), "tolerance": 0.0}
    booster = algorithm2(here.labeled(), every_point, step=step, gamma=GAMMA, threshold=tau, decay=step, **rows)
    trace = Trace(here, here.mass, 1.0, PseudoHuber(), boost(booster, LEARNER, rounds=rounds, rng=0))
    trace.assert_weak_learning(scale=1 / 3)

    best = np.abs(majorities(here.X) @ (here.mass * here.mean)).max()
    gaps = np.array([best - here.corr(sign(H)) for H in trace.margins[:-1]])
    case_a = np.array([branch == "A" for branch in trace.branches])
    least = np.where(case_a, 3 * tau / GAMMA, gaps - 3 * tau / GAMMA)  # of -Phi'(H_t, h_t)
    assert (trace.towards_zero()[~case_a] >= least[~case_a] - 1e-12).all()
    curvature = np.where(case_a, (eta / GAMMA) ** 2, eta**2) / 2
    assert (trace.falls() >= eta * least - curvature - 1e-12).all()
    assert (~case_a & (eta * least - curvature > 0)).sum() > 100  # true case B: the potential must fall
