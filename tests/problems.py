"""Small problems that are known exactly: finite X, full distribution."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from agnoboost import Pool, Tape
from agnoboost.core.learners import Parity, Stump
from agnoboost.core.tape import Add, Shrink


def cube(n):
    """All points of {-1, +1}^n."""
    return np.array(list(product([-1.0, 1.0], repeat=n)))


@dataclass
class Population:
    """Points with probabilities ``mass`` and mean labels ``mean`` = E[y|x]."""

    X: np.ndarray
    mass: np.ndarray
    mean: np.ndarray

    def labeled(self):
        """The joint distribution of (x, y), as a pool whose draw(None) is the distribution itself."""
        X = np.concatenate([self.X, self.X])
        y = np.repeat([1.0, -1.0], len(self.X))
        return Pool(X, y, np.concatenate([self.mass * (1 + self.mean) / 2, self.mass * (1 - self.mean) / 2]))

    def unlabeled(self):
        return Pool(self.X, mass=self.mass)

    def corr(self, values):
        """E[y h(x)]."""
        return float(np.sum(self.mass * self.mean * values))

    def potential(self, potential, H):
        """Phi(H) = E[phi(H(x), y)]."""
        up, down = potential.value(H, np.ones_like(H)), potential.value(H, -np.ones_like(H))
        return float(np.sum(self.mass * ((1 + self.mean) / 2 * up + (1 - self.mean) / 2 * down)))

    def slope(self, potential, H, h):
        """Phi'(H, h) = E[phi'(H(x), y) h(x)]."""
        up, down = potential.grad(H, np.ones_like(H)), potential.grad(H, -np.ones_like(H))
        return float(np.sum(self.mass * h * ((1 + self.mean) / 2 * up + (1 - self.mean) / 2 * down)))


def random_population(rng, n=4, *, uniform=False):
    X = cube(n)
    mass = np.full(len(X), 1 / len(X)) if uniform else rng.dirichlet(np.ones(len(X)))
    return Population(X, mass, rng.uniform(-1, 1, len(X)))


def majorities(X):
    """Values of all majorities of three coordinates, any of them negated."""
    return np.array(
        [
            np.sign(X[:, list(triple)] @ np.array(signs))
            for triple in combinations(range(X.shape[1]), 3)
            for signs in product([-1, 1], repeat=3)
        ]
    )


def random_stump(rng, features):
    return Stump(int(rng.integers(features)), float(rng.normal()), int(rng.choice([-1, 1])))


def random_tape(rng, features, steps=40, *, unit=0.05, largest=4, shrink=0.3):
    tape = Tape(unit)
    for _ in range(steps):
        coef = int(rng.integers(1, largest + 1))
        tape = tape.append(Shrink(coef) if rng.random() < shrink else Add(random_stump(rng, features), coef))
    return tape


def random_parities(rng, n, count=6):
    subsets = [tuple(np.flatnonzero(rng.random(n) < 0.5).tolist()) for _ in range(count)]
    return [Parity(subset, int(rng.choice([-1, 1]))) for subset in subsets]
