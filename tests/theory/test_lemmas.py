"""Propositions and lemmas of the paper, on random functions over finite spaces."""

import numpy as np
import pytest
from problems import random_population
from scipy.optimize import minimize

from agnoboost.core.potentials import POTENTIALS, Huber

SEPARABLE = [name for name, potential in POTENTIALS.items() if potential.separable]


def sign(H):
    return np.where(H >= 0, 1.0, -1.0)


@pytest.mark.parametrize("name", SEPARABLE)
def test_proposition_phimain(name):
    potential, z = POTENTIALS[name], np.concatenate([np.linspace(-5, 5, 2001), [-1e9, 1e9]])
    assert (np.abs(potential.psi_grad(z)) <= 1).all()
    assert (z * potential.psi_grad(z) >= 0).all()
    for y in (-1.0, 1.0):
        labels = np.full_like(z, y)
        change = np.abs(np.diff(potential.grad(z, labels))) <= potential.smoothness * np.diff(z) + 1e-12
        assert change[:2000].all()
    at_zero = potential.value(np.zeros(1), np.ones(1))[0]
    assert at_zero - potential.value(z, np.ones_like(z)).min() <= potential.gap
    if isinstance(potential, Huber):
        assert potential.gap == 0.5


def test_the_printed_pseudo_huber_violates_the_proposition():
    """sqrt(1 + z^2) - z, as printed, has z*psi'(z) < 0 for z > 0: the reading sqrt(1 + z^2) - 1 is needed."""
    z = np.linspace(0.1, 3, 50)
    printed = z / np.sqrt(1 + z**2) - 1
    assert (z * printed < 0).all()


@pytest.mark.parametrize("name", SEPARABLE)
def test_lemma_consmain(name, rng):
    """corr(h*) - corr(sign H) <= Phi'(H, sign H) - Phi'(H, h*), for every H and every binary h*."""
    potential = POTENTIALS[name]
    for _ in range(300):
        world = random_population(rng)
        H = rng.normal(scale=rng.choice([0.1, 1, 10]), size=len(world.X)) * (rng.random(len(world.X)) < 0.8)
        h = rng.choice([-1.0, 1.0], len(world.X))
        gap = world.corr(h) - world.corr(sign(H))
        assert gap <= world.slope(potential, H, sign(H)) - world.slope(potential, H, h) + 1e-12


@pytest.mark.parametrize("name", SEPARABLE)
def test_lemma_consmain4_under_covariate_shift(name, rng):
    """The same with psi taken over Q, C_X times; and Phi(H) >= -1/2 for the Huber potential (ERRATA 7)."""
    potential = POTENTIALS[name]
    for _ in range(300):
        world = random_population(rng)
        q = rng.dirichlet(np.ones(len(world.X)))
        C = float(np.max(world.mass / q))
        H = rng.normal(scale=rng.choice([0.1, 1, 10]), size=len(world.X))
        h = rng.choice([-1.0, 1.0], len(world.X))

        def slope(direction, q=q, C=C, H=H, world=world):
            return C * np.sum(q * potential.psi_grad(H) * direction) - world.corr(direction)

        assert slope(sign(H)) - slope(h) >= world.corr(h) - world.corr(sign(H)) - 1e-9 * C
        assert C * np.sum(q * potential.psi(H)) - world.corr(H) >= -potential.gap - 1e-9 * C


def test_the_smoothness_inequality_of_the_proof(rng):
    """Phi(H + eta*h) - Phi(H) <= eta*Phi'(H, h) + eta^2 E[h^2] L/2."""
    for potential in POTENTIALS.values():
        for _ in range(100):
            world = random_population(rng)
            H, h = rng.normal(size=(2, len(world.X)))
            eta = rng.exponential(0.3)
            rise = world.potential(potential, H + eta * h) - world.potential(potential, H)
            bound = eta * world.slope(potential, H, h) + potential.smoothness * eta**2 * np.sum(world.mass * h**2) / 2
            assert rise <= bound + 1e-12


def test_the_huber_minimiser_is_the_mean_label(rng):
    """clip(H, -1, 1) = E[y|x] at the minimum: the reason why (1 + psi'(H))/2 estimates P(y = +1|x)."""
    world = random_population(rng, 3)
    huber = Huber()
    found = minimize(
        lambda H: world.potential(huber, H),
        np.zeros(len(world.X)),
        jac=lambda H: np.array([world.slope(huber, H, e) for e in np.eye(len(H))]),
        tol=1e-12,
    )
    assert np.clip(found.x, -1, 1) == pytest.approx(world.mean, abs=1e-4)
