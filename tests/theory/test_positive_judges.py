"""Positives and unlabeled rows judge a model without bias: no negative is needed to choose rounds or a threshold."""

from dataclasses import replace

import numpy as np
import pytest
from problems import random_population

from agnoboost.core.history import Progress, Round
from agnoboost.core.learners import Constant
from agnoboost.core.potentials import Huber
from agnoboost.core.tape import Add, Tape
from agnoboost.estimators.boosting.training import HeldOutPotential
from agnoboost.estimators.data import split_rows
from agnoboost.estimators.held_out_choice import gain
from agnoboost.estimators.population import judges_of, with_psi_apart
from agnoboost.estimators.threshold import HeldOut
from agnoboost.integrations.objective import LabeledMetric
from agnoboost.labels import PositiveUnlabeled


def written_out(rng, prior_factor=1.0, negatives=False):
    """The rows that judge, of a population written down in full; and where each of them is in it."""
    world = random_population(rng)
    p = (1 + world.mean) / 2
    prior = float(np.sum(world.mass * p))
    parts = [(1.0, world.mass * p / prior), (np.nan, world.mass)]
    if negatives:
        parts.append((0.0, world.mass * (1 - p) / (1 - prior)))
    y = np.repeat([label for label, _ in parts], len(world.X))
    weight = np.concatenate([mass for _, mass in parts])
    X = np.tile(world.X, (len(parts), 1))
    model = PositiveUnlabeled(prior_factor * prior)
    data, _ = split_rows(X, np.arange(len(X)), model, model.read(y, len(y)), weight, None)
    judges = judges_of(data)
    place = np.array([int(np.flatnonzero((row == world.X).all(axis=1))[0]) for row in judges.X])
    return world, judges, place


def judged(judges, H):
    """sum psi * psi(H) - sum pull * H."""
    return float(judges.psi @ Huber().value(H, np.zeros_like(H)) - (judges.weight * judges.targets[:, 0]) @ H)


@pytest.mark.parametrize("negatives", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_score_is_the_clean_potential(seed, negatives):
    """For every H; and for margins between -1 and 1 that is the Brier score, less a constant."""
    rng = np.random.default_rng(seed)
    world, judges, place = written_out(rng, negatives=negatives)
    for size in (0.5, 3.0):
        H = rng.uniform(-size, size, len(world.X))
        assert judged(judges, H[place]) == pytest.approx(world.potential(Huber(), H), abs=1e-12)
    H = np.clip(H, -1, 1)
    brier = np.sum(world.mass * ((1 + world.mean) * (1 - H) ** 2 + (1 - world.mean) * (1 + H) ** 2)) / 4
    assert judged(judges, H[place]) == pytest.approx(brier - 0.5, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_wrong_prior_is_not_clean(seed):
    """Otherwise the test above could not fail."""
    rng = np.random.default_rng(seed)
    world, judges, place = written_out(rng, prior_factor=0.6)
    H = rng.uniform(-1, 1, len(world.X))
    assert abs(judged(judges, H[place]) - world.potential(Huber(), H)) > 1e-3


@pytest.mark.parametrize("negatives", [False, True])
def test_backends_are_judged_by_the_same_score(negatives):
    rng = np.random.default_rng(0)
    world, judges, _ = written_out(rng, negatives=negatives)
    H = rng.uniform(-1, 1, len(world.X))
    values = {tuple(row): value for row, value in zip(world.X, H, strict=True)}
    apart = with_psi_apart(judges)
    X = np.concatenate([apart.X, apart.unlabeled.X])
    y = np.concatenate([apart.targets[:, 0], np.zeros(len(apart.unlabeled))])
    weight = np.concatenate([apart.weight, apart.unlabeled.mass])
    margins = np.array([values[tuple(row)] for row in X])
    found = LabeledMetric(soft=True, unlabeled_weight=1.0).value(margins, y, weight)
    assert found == pytest.approx(world.potential(Huber(), H), abs=1e-12)


def test_margins_are_judged_between_minus_one_and_one():
    """Beyond, regions with positives alone would outweigh everything else."""
    rng = np.random.default_rng(0)
    _, judges, place = written_out(rng)
    H = rng.uniform(-3, 3, (len(place), 1))
    large, small = (
        HeldOut(margins, judges.codes, judges.targets, judges.weight, judges.psi) for margins in (H, np.clip(H, -1, 1))
    )
    assert gain(large, small) == (0.0, 0.0)
    assert gain(large, replace(small, margins=small.margins / 2))[0] != 0.0
    watch, tape = HeldOutPotential(judges, 0, 100), Tape(0.1)
    for number in range(1, 21):
        tape = tape.append(Add(Constant(1), 1))
        watch(Progress(Round(number, 0.0, "A", 0.0, 0, 0), tape, 20))
    margins = np.minimum(0.1 * np.arange(21), 1.0)
    pull = float(judges.weight @ judges.targets[:, 0])
    np.testing.assert_allclose(watch.curve, margins**2 / 2 - pull * margins, atol=1e-12)
    metric, y = LabeledMetric(soft=True, unlabeled_weight=1.0), np.where(judges.psi > 0, 0.0, 2.0)
    assert metric.value(H[:, 0], y) == metric.value(np.clip(H[:, 0], -1, 1), y)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_threshold_costs_is_clean(seed):
    """How much of each class lies in any set of rows."""
    rng = np.random.default_rng(seed)
    world, judges, place = written_out(rng, negatives=seed == 1)
    held = HeldOut(np.zeros((len(place), 1)), judges.codes, judges.targets, judges.weight, judges.psi)
    found = np.array([np.bincount(place, mass, len(world.X)) for mass in held.masses.T])
    expected = np.array([world.mass * (1 - world.mean), world.mass * (1 + world.mean)]) / 2
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_gains_and_their_errors_are_those_of_many_draws():
    """Two models on positives and unlabeled rows that are drawn again and again."""
    rng = np.random.default_rng(0)
    world = random_population(rng)
    p = (1 + world.mean) / 2
    prior = float(np.sum(world.mass * p))
    model = PositiveUnlabeled(prior)
    H = [0.5 * world.mean, np.clip(1.5 * world.mean + 0.3, -1, 1)]
    truth = world.potential(Huber(), H[0]) - world.potential(Huber(), H[1])
    gains, errors = [], []
    for _ in range(1500):
        positives = rng.choice(len(p), 60, p=world.mass * p / prior)
        place = np.concatenate([positives, rng.choice(len(p), 200, p=world.mass)])
        y = np.repeat([1.0, np.nan], [60, 200])
        data, _ = split_rows(world.X[place], np.arange(len(y)), model, model.read(y, len(y)), np.ones(len(y)), None)
        judges = judges_of(data)
        both = [HeldOut(h[place][:, None], judges.codes, judges.targets, judges.weight, judges.psi) for h in H]
        mean, error = gain(*both)
        gains.append(mean)
        errors.append(error)
    assert np.mean(gains) == pytest.approx(truth, abs=3 * np.std(gains) / np.sqrt(len(gains)))
    assert np.mean(errors) == pytest.approx(np.std(gains), rel=0.06)
