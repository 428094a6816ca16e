"""Each named algorithm has the potential, the mixture and the scale that its paper states.

The batches that the recipes' own samplers draw, against a computation from scratch: derivatives are written out here,
and margins are the only thing taken from the library.
"""

import numpy as np
import pytest
from problems import random_tape

from agnoboost import algorithm1, algorithm2, algorithm3, ghai_singh_2024, labeled_only, pab

LABELED, UNLABELED, ROWS = 60, 80, 10


def huber_slope(z):
    return np.clip(z, -1.0, 1.0)


def pseudo_huber_slope(z):
    return z / np.sqrt(1.0 + z**2)


def madaboost_gradient(z, y):
    return -y * np.minimum(1.0, np.exp(-y * z))


def ghai_singh_gradient(z, y):
    m = y * z
    return -y * np.where(m > 0, (m + 1.0) * np.exp(-np.abs(m)), 1.0)


@pytest.fixture
def tables(rng):
    """Rows that know their number: it is in the last column."""
    X, U = rng.normal(size=(LABELED, 3)), rng.normal(size=(UNLABELED, 3))
    X[:, 2], U[:, 2] = np.arange(LABELED), np.arange(UNLABELED)
    return X, rng.choice([-1.0, 1.0], LABELED), U


@pytest.fixture
def tape(rng):
    """Margins on both sides of 0 and beyond 1, where the potentials differ most."""
    return random_tape(rng, 2, steps=6, unit=0.3, largest=3)


def numbers(X):
    return X[:, 2].astype(int)


def draws(booster, tape, rng):
    """The batch after every prefix of a tape."""
    state = booster.sampler.init(rng)
    for length in range(len(tape) + 1):
        draw, state = booster.sampler.draw(tape.prefix(length), state, rng)
        yield draw.batch


def reused(gradients, rows, sigma, reach):
    """The recursion of GS24 and of Algorithm 2: signed mass of each generation after the last round.

    ``gradients[t]`` are those of the rows that enter in round t, before and after the last step.
    """
    last = len(gradients) - 1
    signed = []
    for t, (before, after) in enumerate(gradients):
        entered = -after * sigma / reach if t == 0 else -sigma * (after - (1 - sigma) * before) / reach
        signed.append((1 - sigma) ** (last - t) * entered / rows)
    return np.concatenate(signed)


def test_the_tape_takes_every_potential_to_both_of_its_ends(tables, tape):
    H = tape.margin(tables[0])
    assert H.min() < -1
    assert H.max() > 1
    assert (np.abs(H) < 1).any()


@pytest.mark.parametrize("shift", [1.0, 3.0])
def test_algorithms_1_and_3(rng, tables, tape, shift):
    X, y, U = tables
    if shift == 1.0:
        booster = algorithm1((X, y), U, rows_unlabeled=None)
        assert booster.sampler.scale == pytest.approx(1 / 2)
    else:
        booster = algorithm3((X, y), U, shift=shift, rows_unlabeled=None)
        assert booster.sampler.scale == pytest.approx(1 / (1 + shift))
    for length, batch in enumerate(draws(booster, tape, rng)):
        assert np.array_equal(numbers(batch.X), [*range(LABELED), *range(UNLABELED)])
        assert batch.mass[:LABELED] == pytest.approx(np.full(LABELED, 1 / (1 + shift) / LABELED))
        assert batch.mass[LABELED:] == pytest.approx(np.full(UNLABELED, shift / (1 + shift) / UNLABELED))
        assert np.array_equal(batch.target[:LABELED], y)  # labels are never changed
        assert batch.target[LABELED:] == pytest.approx(-huber_slope(tape.prefix(length).margin(U)), abs=1e-12)


def test_algorithm_1_draws_new_unlabeled_rows_and_keeps_the_labeled_ones(rng, tables, tape):
    X, y, U = tables
    seen = [numbers(b.X) for b in draws(algorithm1((X, y), U, rows_labeled=20, rows_unlabeled=ROWS), tape, rng)]
    assert all(np.array_equal(rows[:20], seen[0][:20]) for rows in seen)
    assert not any(np.array_equal(rows[20:], seen[0][20:]) for rows in seen[1:])


def test_algorithm_2(rng, tables, tape):
    X, y, U = tables
    sigma, gamma = 0.9, 0.5  # eta/gamma, the largest step of the tape
    booster = algorithm2(
        (X, y), U, step=sigma, gamma=gamma, decay=sigma, rows_labeled=None, rows_unlabeled=ROWS, tolerance=0.0
    )
    assert booster.sampler.scale == pytest.approx(1 / 3)
    batch = list(draws(booster, tape, rng))[-1]
    assert np.array_equal(numbers(batch.X[:LABELED]), np.arange(LABELED))
    assert batch.mass[:LABELED] == pytest.approx(np.full(LABELED, 1 / 3 / LABELED))
    assert np.array_equal(batch.target[:LABELED], y)
    gradients = [
        tuple(pseudo_huber_slope(tape.prefix(max(length, 0)).margin(rows)) for length in (t - 1, t))
        for t, rows in enumerate(np.split(batch.X[LABELED:], len(tape) + 1))
    ]
    expected = 2 / 3 * reused(gradients, ROWS, sigma, reach=2 * sigma)
    assert batch.signed[LABELED:] == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected[:ROWS]).max() == 0.0  # the first rows come in with fair coins
    assert np.abs(expected[-2 * ROWS :]).min() > 0.0


def test_labeled_only(rng, tables, tape):
    X, y, _ = tables
    booster = labeled_only((X, y), rows=None)
    assert booster.sampler.scale == pytest.approx(1 / 2)
    for length, batch in enumerate(draws(booster, tape, rng)):
        assert np.array_equal(numbers(batch.X), np.arange(LABELED))
        assert batch.target == pytest.approx((y - huber_slope(tape.prefix(length).margin(X))) / 2, abs=1e-12)
        assert batch.mass == pytest.approx(np.full(LABELED, 1 / LABELED))


def test_pab(rng, tables, tape):
    """Labels keep their sign, with weight min(1, exp(-y H)); ``rows`` new ones a round, none twice."""
    X, y, _ = tables
    booster = pab((X, y), rows=8)
    assert booster.sampler.scale == pytest.approx(1.0)
    assert booster.max_rounds == LABELED // 8
    seen = []
    for length, batch in enumerate(draws(booster, tape, rng)):
        own, H = y[numbers(batch.X)], tape.prefix(length).margin(batch.X)
        assert batch.target == pytest.approx(-madaboost_gradient(H, own), abs=1e-12)
        assert batch.target == pytest.approx(own * np.minimum(1.0, np.exp(-own * H)), abs=1e-12)
        assert batch.mass == pytest.approx(np.full(8, 1 / 8))
        seen.extend(numbers(batch.X).tolist())
    assert len(set(seen)) == len(seen) == 8 * (len(tape) + 1)


@pytest.mark.parametrize("stepping", [{"rate": 1.25}, {"step": 1.25, "gamma": 0.5}])
def test_ghai_singh_2024(rng, tables, tape, stepping):
    X, y, _ = tables
    sigma, largest = 0.25, 1.25
    booster = ghai_singh_2024((X, y), rows=8, decay=sigma, tolerance=0.0, **stepping)
    reach = largest / np.e + sigma  # its potential has curvature at most 1/e and slope at most 1
    assert booster.sampler.scale == pytest.approx(sigma / reach)
    batch = list(draws(booster, tape, rng))[-1]
    gradients = []
    for t, rows in enumerate(np.split(batch.X, len(tape) + 1)):
        own = y[numbers(rows)]
        gradients.append(
            tuple(ghai_singh_gradient(tape.prefix(max(length, 0)).margin(rows), own) for length in (t - 1, t))
        )
    assert batch.signed == pytest.approx(reused(gradients, 8, sigma, reach), abs=1e-12)
    assert len(set(numbers(batch.X).tolist())) == 8 * (len(tape) + 1)
