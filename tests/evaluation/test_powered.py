"""Intervals with the help of machine labels: when they are the classical ones, and how often they hold."""

import numpy as np
import pytest
from scipy.stats import norm, t

from agnoboost.basics.intervals import binomial_interval
from agnoboost.evaluation.measures import RankingArea, mean, precision, recall
from agnoboost.evaluation.powered import (
    FEWEST,
    Marks,
    best_power,
    estimate,
    masses,
    one_missed,
    variance,
    with_one_missed,
)

ROWS, GOLD = 600, 60


def weights(rng, gold=GOLD, rows=ROWS):
    weight = np.zeros(rows)
    weight[rng.choice(rows, gold, replace=False)] = rows / gold
    return weight


def shares(gold, machine):
    return Marks(gold.astype(float), machine.astype(float), np.ones(len(gold)))


def one_world(seed, right=0.95):
    """Rows, some of them said to be positive; true labels, and a machine that is right so often."""
    rng = np.random.default_rng(seed)
    scores = rng.random(ROWS)
    y = rng.random(ROWS) < scores
    machine = np.where(rng.random(ROWS) < right, y, ~y)
    return rng, scores, y, machine


def test_without_help_shares_have_the_exact_interval():
    rng, scores, y, machine = one_world(0, right=0.5)
    weight, said = weights(rng), scores > 0.5
    drawn = weight > 0
    for measure, of in ((mean(ROWS), drawn), (precision(said), drawn & said), (recall(said), drawn & y)):
        found = estimate(measure, weight, shares(y, machine), 0.9, binomial=True)
        hits = np.sum(of & y) if measure.marks_below == 0.0 else np.sum(of & said)
        exact = binomial_interval(hits, of.sum(), 0.9)
        assert (found.gold_only.low, found.gold_only.high) == pytest.approx(exact)
    nothing = shares(y, np.full(ROWS, 0.3))
    found = estimate(mean(ROWS), weight, nothing, 0.9, binomial=True)
    assert found.powered == found.gold_only
    assert (found.power, found.worth) == (0.0, 1.0)


def test_a_good_machine_is_worth_many_gold_labels():
    rng, _, y, machine = one_world(1)
    found = estimate(mean(ROWS), weights(rng), shares(y, machine), 0.95, binomial=True)
    assert found.powered.high - found.powered.low < 0.75 * (found.gold_only.high - found.gold_only.low)
    assert found.worth > 2.0
    assert 0.5 < found.power < 1.0
    opposite = estimate(mean(ROWS), weights(rng), shares(y, ~machine), 0.95, binomial=True)
    assert opposite.power < -0.5  # what is always wrong is as good


def test_a_machine_cannot_hide_that_gold_rows_are_few():
    """It agrees with all gold rows; still some error of it may have been missed, as the rule of three says."""
    rng, _, y, _ = one_world(2)
    found = estimate(mean(ROWS), weights(rng), shares(y, y), 0.95, binomial=True)
    low, high = binomial_interval(y.sum(), ROWS, 0.95)  # as if all rows were gold
    assert found.powered.high - found.powered.low > 1.2 * (high - low)
    few = estimate(mean(ROWS), weights(rng, int(FEWEST) - 1), shares(y, y), 0.95, binomial=True)
    assert few.power == 0.0


def test_all_rows_gold_leaves_nothing_to_a_machine():
    _, _, y, machine = one_world(3)
    found = estimate(mean(ROWS), np.ones(ROWS), shares(y, machine), 0.95, binomial=True)
    assert found.power == 0.0
    assert found.powered.value == pytest.approx(y.mean())


def test_a_figure_at_its_end():
    weight = weights(np.random.default_rng(4))
    ones = np.ones(ROWS)
    found = estimate(mean(ROWS), weight, Marks(ones, ones, ones), 0.95, binomial=True)
    assert (found.powered.low, found.powered.high) == pytest.approx((0.025 ** (1 / GOLD), 1.0))
    area = RankingArea.of(np.arange(ROWS) / ROWS)
    found = estimate(area, weight, shares(np.arange(ROWS) >= 300, np.arange(ROWS) >= 300), 0.95)
    assert found.powered.value == pytest.approx(1.0)
    assert 0.7 < found.powered.low < 0.95


def test_the_unit_of_a_figure_does_not_matter():
    rng, scores, y, machine = one_world(5)
    weight = weights(rng)
    errors = Marks((y - scores) ** 2, (machine - scores) ** 2, np.abs(1 - 2 * scores))
    twice = Marks(2 * errors.gold, 2 * errors.machine, 2 * errors.reach)
    one, two = (estimate(mean(ROWS), weight, marks, 0.95, most=most) for marks, most in ((errors, 1.0), (twice, 2.0)))
    assert (2 * one.powered.low, 2 * one.powered.high) == pytest.approx((two.powered.low, two.powered.high))


def test_no_other_power_has_a_smaller_variance(monkeypatch):
    monkeypatch.setattr("agnoboost.evaluation.powered.PENALTY", 0.0)
    rng, scores, y, machine = one_world(6, right=0.8)
    weight, marks, area = weights(rng), shares(y, machine), RankingArea.of(scores)
    measured = area(*masses(weight, marks, 0.0))
    best = best_power(weight, marks, measured)
    spread = [variance(weight, marks, power, measured) for power in (best - 0.05, best, best + 0.05)]
    assert spread[1] < min(spread[0], spread[2])


def test_the_power_is_shrunk_as_if_gold_rows_had_found_nothing(monkeypatch):
    rng, _, y, machine = one_world(8, right=0.8)
    weight, marks = weights(rng), shares(y, machine)
    measured = mean(ROWS)(*masses(weight, marks, 0.0))
    shrunk = best_power(weight, marks, measured)
    monkeypatch.setattr("agnoboost.evaluation.powered.PENALTY", 0.0)
    assert shrunk == pytest.approx(best_power(weight, marks, measured) * GOLD / (GOLD + 5))


def test_what_few_gold_rows_cost():
    """Two degrees of freedom and one refuted row more in the variance; Student's quantiles where nothing is exact."""
    rng, _, y, machine = one_world(9)
    weight, marks = weights(rng), shares(y, machine)
    exact, rough = (estimate(mean(ROWS), weight, marks, 0.95, binomial=binomial) for binomial in (True, False))
    helped = mean(ROWS)(*masses(weight, marks, exact.power))
    wanted = variance(weight, marks, exact.power, helped) * GOLD / (GOLD - 2) + one_missed(weight, marks, helped)
    assert exact.powered.variance == pytest.approx(wanted)
    assert one_missed(weight, marks, helped) == pytest.approx(1.0 / GOLD**2)
    shrunk = GOLD * (norm.ppf(0.025) / t.ppf(0.025, GOLD - 1)) ** 2
    wanted = binomial_interval(rough.gold_only.value * shrunk, shrunk, 0.95)
    assert (rough.gold_only.low, rough.gold_only.high) == pytest.approx(wanted)
    assert rough.gold_only.high - rough.gold_only.low > exact.gold_only.high - exact.gold_only.low


def test_the_variance_is_that_of_many_draws():
    """Of tables of 600 rows, and gold rows of each, for a fixed power."""
    rng, atoms, power = np.random.default_rng(7), 4000, 0.7
    scores = rng.random(atoms)
    y = rng.random(atoms) < scores
    machine = np.where(rng.random(atoms) < 0.9, y, ~y)
    said = []
    for _ in range(400):
        rows = rng.integers(atoms, size=ROWS)
        weight, marks = weights(rng), shares(y[rows], machine[rows])
        for measure in (mean(ROWS), recall(scores[rows] > 0.5), RankingArea.of(scores[rows])):
            found = measure(*masses(weight, marks, power))
            said.append((found.value, variance(weight, marks, power, found)))
    values, spreads = np.moveaxis(np.reshape(said, (400, 3, 2)), 2, 0)
    assert np.sqrt(spreads.mean(axis=0)) == pytest.approx(values.std(axis=0), rel=0.15)


def rare_errors(rng, gold):
    """Squared errors of a model: one row of 30 has a large one, and by luck none of those may be gold."""
    truth = rng.random(ROWS) < 1 / 30
    p = np.where(truth, 0.2, 0.05 * rng.random(ROWS))
    return weights(rng, gold), Marks((truth - p) ** 2, p * (1 - p), np.abs(1 - 2 * p))


@pytest.mark.parametrize("gold", [12, 40])
def test_means_of_rare_large_errors_hold_as_often_as_they_say(gold):
    rng, true, held = np.random.default_rng(10), 0.8**2 / 30 + 0.05**2 / 3 * 29 / 30, np.zeros(2)
    for _ in range(250):
        weight, errors = rare_errors(rng, gold)
        for place, of_all in enumerate((False, True)):
            found = estimate(mean(ROWS), weight, errors, 0.95, of_all=of_all).gold_only
            held[place] += found.low <= true <= found.high
    assert held[0] < 0.85 * 250
    assert held[1] > 0.93 * 250


def test_one_missed_is_no_more_than_marks_that_are_all_or_nothing():
    rng = np.random.default_rng(11)
    weight, errors = rare_errors(rng, 12)
    found = mean(ROWS)(*masses(weight, errors, 0.0))
    spread = variance(weight, errors, 0.0, found)
    more = spread + one_missed(weight, errors, found)
    assert with_one_missed(spread, weight, errors, found, 1.0) == pytest.approx(found.value * (1 - found.value) / 12)
    assert found.value * (1 - found.value) / 12 < more
    _, scores, y, machine = one_world(12)
    even = Marks((y - scores) ** 2, (machine - scores) ** 2, np.abs(1 - 2 * scores))
    found = mean(ROWS)(*masses(weight, even, 0.0))
    spread = variance(weight, even, 0.0, found)
    more = spread + one_missed(weight, even, found)
    assert with_one_missed(spread, weight, even, found, 1.0) == more
    pair = estimate(mean(ROWS), weight, even, 0.95, of_all=True)
    assert pair.gold_only.variance == more
    exact = estimate(mean(ROWS), weight, shares(y, machine), 0.95, binomial=True, of_all=True)
    assert exact == estimate(mean(ROWS), weight, shares(y, machine), 0.95, binomial=True)
