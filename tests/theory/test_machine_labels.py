"""Gold labels take the bias of every machine away: exactly, over all draws of the gold rows of finite populations."""

from itertools import combinations

import numpy as np
import pytest

from agnoboost.core.potentials import Huber, PseudoHuber
from agnoboost.labels.machine import gold_and_machine

ROWS = 6


def mean_gradient(y, machine, H, h, count, strength, potential, weight=None):
    """Of the potential in the direction h, over all draws of so many gold rows; ``weight`` for another N/n."""
    X = np.arange(len(y), dtype=float)[:, None]
    found = []
    for drawn in combinations(range(len(y)), count):
        gold = np.full(len(y), np.nan)
        gold[list(drawn)] = y[list(drawn)]
        pool = gold_and_machine(X, gold, machine, strength)
        stand_ins = pool.y
        if weight is not None:  # as if N/n were something else
            guess = strength * machine
            stand_ins = guess + (stand_ins - guess) * weight / (len(y) / count)
        found.append(np.sum(pool.mass * potential.grad(H, stand_ins) * h))
    return np.mean(found)


@pytest.mark.parametrize("count", [1, 2, 5, 6])
@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0, -1.0])
@pytest.mark.parametrize("potential", [Huber(), PseudoHuber()], ids=["Huber", "PseudoHuber"])
def test_the_mean_gradient_is_the_clean_one(rng, count, strength, potential):
    for machine in (
        rng.uniform(-1, 1, ROWS), np.ones(ROWS), np.zeros(ROWS), rng.choice([-1.0, 1.0], ROWS),
    ):  # fmt: skip
        y, H = rng.choice([-1.0, 1.0], ROWS), rng.normal(size=ROWS)
        for h in (np.ones(ROWS), rng.choice([-1.0, 1.0], ROWS)):
            clean = np.mean(potential.grad(H, y) * h)
            assert mean_gradient(y, machine, H, h, count, strength, potential) == pytest.approx(clean, abs=1e-12)


@pytest.mark.parametrize("weight", [1.0, 2.0, 4.0])
def test_another_weight_of_gold_rows_is_biased(rng, weight):
    """Otherwise the test above could not fail: with two gold rows of six, N/n is 3."""
    y, machine = np.array([1.0, 1, 1, -1, -1, -1]), np.full(ROWS, 0.5)
    H, h = rng.normal(size=ROWS), np.array([1.0, 1, 1, 1, -1, -1])
    clean = np.mean(Huber().grad(H, y) * h)
    assert abs(mean_gradient(y, machine, H, h, 2, 1.0, Huber(), weight) - clean) > 0.01


def test_a_better_machine_scatters_less(rng):
    y = rng.choice([-1.0, 1.0], 40)
    X, h = np.zeros((40, 1)), rng.choice([-1.0, 1.0], 40)

    def spread(machine):
        found = []
        for _ in range(300):
            gold = np.full(40, np.nan)
            some = rng.choice(40, 5, replace=False)
            gold[some] = y[some]
            found.append(np.mean(gold_and_machine(X, gold, machine).y * h))
        return np.std(found)

    assert spread(y) < 1e-12
    assert spread(0.8 * y) < 0.5 * spread(np.zeros(40))
