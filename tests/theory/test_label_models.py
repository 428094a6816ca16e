"""Every label model: the corrected gradient is that of the clean label, exactly, on finite populations.

The whole distribution of (x, what is observed) is written down as a weighted table. Then the expected batch of the
samplers, for the stand-ins, must correlate with every h as -scale * Phi'(H, h) for the clean Phi.
"""

import numpy as np
import pytest
from problems import random_population, random_tape

from agnoboost import Pool
from agnoboost.core.potentials import Huber, PseudoHuber
from agnoboost.core.samplers import Fresh, WithLabels
from agnoboost.labels import CrowdVotes, FlipRates, PositiveUnlabeled, SoftLabels
from agnoboost.labels.positives import blend_share
from agnoboost.labels.posteriors import without_lean

MIXED = [(1.0, Huber()), (0.3, Huber()), (0.0, Huber()), (0.6, PseudoHuber())]


def joint(world, positive, negative):
    """Rows (x, observed label) with their probabilities, where labels are flipped at these rates."""
    p = (1 + world.mean) / 2
    seen = p * (1 - positive) + (1 - p) * negative
    X = np.concatenate([world.X, world.X])
    observed = np.repeat([1, 0], len(world.X))
    return X, observed, np.concatenate([world.mass * seen, world.mass * (1 - seen)])


def assert_clean(world, labeled, rng, mixed=MIXED):
    """Both kinds of samplers descend the clean potential."""
    for weight, potential in mixed:
        tape = random_tape(rng, world.X.shape[1])
        H = tape.margin(world.X)
        samplers = [WithLabels(labeled, Fresh(world.unlabeled(), potential), unlabeled_weight=weight)]
        if weight == 0.0:
            samplers.append(Fresh(labeled, potential))
        for sampler in samplers:
            draw, _ = sampler.draw(tape, sampler.init(rng), rng)
            assert draw.potential == pytest.approx(world.potential(potential, H), abs=1e-9)
            assert (np.abs(draw.batch.target) <= 1 + 1e-9).all()
            for _ in range(5):
                values = dict(zip(map(tuple, world.X), rng.choice([-1.0, 1.0], len(world.X)), strict=True))
                h = np.array([values[tuple(row)] for row in world.X])
                on_batch = np.array([values[tuple(row)] for row in draw.batch.X])
                expected = -sampler.scale * world.slope(potential, H, h)
                assert np.sum(draw.batch.mass * draw.batch.target * on_batch) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_flipped_labels(seed):
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    positive, negative = rng.uniform(0, 0.45, 2)
    for model, rates in (
        (FlipRates(positive=positive, negative=negative), (positive, negative)),
        (FlipRates(positive), (positive, positive)),
    ):
        X, observed, mass = joint(world, *rates)
        labeled, rest = model.pools(X, observed, mass)
        assert rest is None
        assert_clean(world, labeled, rng)


@pytest.mark.parametrize("seed", range(5))
def test_wrong_rates_are_not_clean(seed):
    """Otherwise the test above could not fail."""
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    X, observed, mass = joint(world, 0.3, 0.1)
    labeled, _ = FlipRates(positive=0.1, negative=0.3).pools(X, observed, mass)
    with pytest.raises(AssertionError):
        assert_clean(world, labeled, rng)


@pytest.mark.parametrize("seed", range(5))
def test_soft_labels(seed):
    """E[y|x] itself, or with any noise of mean 0."""
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    room = 1 - np.abs(world.mean)
    X = np.concatenate([world.X, world.X])
    soft = np.concatenate([world.mean + room, world.mean - room])
    mass = np.concatenate([world.mass, world.mass]) / 2
    assert_clean(world, SoftLabels("signed").pools(X, soft, mass)[0], rng)
    assert_clean(world, SoftLabels().pools(X, (1 + soft) / 2, mass)[0], rng)


@pytest.mark.parametrize("seed", range(5))
def test_shares_of_votes(seed):
    """Three annotators who each draw from P(y|x): the share of their votes is right on average."""
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    p = (1 + world.mean) / 2
    tables = [(X, votes) for X in range(len(world.X)) for votes in np.ndindex(2, 2, 2)]
    rows = np.array([world.X[X] for X, _ in tables])
    votes = np.array([votes for _, votes in tables])
    mass = [world.mass[X] * np.prod(np.where(np.array(v), p[X], 1 - p[X])) for X, v in tables]
    assert_clean(world, CrowdVotes("majority").pools(rows, votes, np.array(mass))[0], rng)


@pytest.mark.parametrize("seed", range(5))
def test_posteriors_of_votes_without_their_lean(seed):
    """Dawid and Skene's posterior under the true matrices: right on average for every x once its lean is taken out."""
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    p = (1 + world.mean) / 2
    prior = float(np.sum(world.mass * p))
    right = rng.uniform(0.6, 0.9, (2, 3))  # P(vote is right | class) of three annotators
    votes = np.array(list(np.ndindex(2, 2, 2)))
    given = np.prod(np.where(votes == np.array([0, 1])[:, None, None], right[:, None], 1 - right[:, None]), axis=2)
    posterior = prior * given[1] / (prior * given[1] + (1 - prior) * given[0])
    chance = p[:, None] * given[1] + (1 - p)[:, None] * given[0]
    counts = np.round(1e5 * world.mass @ chance).astype(int)
    many = np.repeat(np.column_stack([1 - posterior, posterior]), counts, axis=0)
    clean = without_lean(many)[np.cumsum(counts) - 1][:, 1]
    np.testing.assert_allclose(chance @ clean, p, atol=1e-3)
    X = np.repeat(world.X, len(votes), axis=0)
    mass = (world.mass[:, None] * chance).ravel()
    exact = (posterior - _mean(posterior, given[0])) / (_mean(posterior, given[1]) - _mean(posterior, given[0]))
    assert_clean(world, Pool(X, np.tile(2 * exact - 1, len(world.X)), mass, soft=True), rng)
    with pytest.raises(AssertionError):
        assert_clean(world, Pool(X, np.tile(2 * posterior - 1, len(world.X)), mass, soft=True), rng)


def _mean(values, mass):
    return float(np.sum(values * mass))


@pytest.mark.parametrize("negatives", [0, 3])
@pytest.mark.parametrize("seed", range(5))
def test_positives_and_unlabeled(seed, negatives):
    """E[y h] = 2 pi E_P[h] - E_U[h], and its blend with E[y h] = pi E_P[h] - (1 - pi) E_N[h]."""
    rng = np.random.default_rng(seed)
    world = random_population(rng)
    p = (1 + world.mean) / 2
    prior = float(np.sum(world.mass * p))
    parts = [(world.X, 1.0, world.mass * p / prior), (world.X, None, world.mass)]
    if negatives:
        parts.append((world.X, 0.0, world.mass * (1 - p) / (1 - prior)))
    X = np.concatenate([rows for rows, _, _ in parts])
    y = np.concatenate([np.full(len(rows), np.nan if label is None else label) for rows, label, _ in parts])
    weight = np.concatenate([mass for _, _, mass in parts])
    labeled, unlabeled = PositiveUnlabeled(prior).pools(X, y, weight)
    np.testing.assert_allclose(unlabeled.mass, world.mass)
    assert_clean(world, labeled, rng, mixed=[(1.0, Huber()), (1.0, PseudoHuber())])
    wrong, _ = PositiveUnlabeled(prior / 2).pools(X, y, weight)
    with pytest.raises(AssertionError):
        assert_clean(world, wrong, rng, mixed=[(1.0, Huber())])


def test_the_blend_has_the_least_variance():
    """Among all shares, for |h| = 1: var = pi^2 (1 + g)^2/n_P + (1 - pi)^2 (1 - g)^2/n_N + g^2/n_U."""
    for prior, positives, negatives, unlabeled in ((0.5, 100, 10, 1000), (0.3, 50, 5, 200), (0.8, 20, 50, 500)):
        g = np.linspace(0, 1, 10_001)
        variance = prior**2 * (1 + g) ** 2 / positives + (1 - prior) ** 2 * (1 - g) ** 2 / negatives + g**2 / unlabeled
        found = blend_share(prior, positives, negatives, unlabeled)
        assert found == pytest.approx(g[np.argmin(variance)], abs=1e-3)


def test_potentials_that_are_not_linear_in_the_label_refuse_soft_ones():
    from agnoboost import pab

    soft = Pool(np.eye(3), [0.5, -1.0, 1.0], soft=True)
    with pytest.raises(ValueError, match=r"Madaboost needs labels -1 and \+1. Got soft ones"):
        pab(soft, rows=1)
