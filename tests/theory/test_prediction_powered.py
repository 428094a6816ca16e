"""Machine labels corrected by gold ones: right on average, for every machine and every power, on finite populations.

All draws of gold rows are written down, with their probabilities.
"""

from itertools import combinations, product

import numpy as np
import pytest

from agnoboost.evaluation.measures import RankingArea, mean
from agnoboost.evaluation.powered import Marks, masses

ROWS = 7
POWERS = (-1.5, 0.0, 0.4, 1.0, 1.5)


def equally_likely(gold):
    """All draws of so many rows: weights and probability of each."""
    draws = [np.isin(np.arange(ROWS), rows) for rows in combinations(range(ROWS), gold)]
    return [(drawn * (ROWS / gold), 1.0 / len(draws)) for drawn in draws]


def with_known_probabilities(rng):
    """Each row by itself."""
    chance = rng.uniform(0.1, 1.0, ROWS)
    for drawn in product([False, True], repeat=ROWS):
        yield np.array(drawn) / chance, float(np.prod(np.where(drawn, chance, 1.0 - chance)))


def world(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0])
    return rng, Marks(y, rng.normal(0.5, 1.0, ROWS), np.ones(ROWS))  # a machine may say anything


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(3))
def test_every_row_has_the_right_mass_and_mark_on_average(seed, power):
    rng, marks = world(seed)
    for draws in (equally_likely(3), with_known_probabilities(rng)):
        rows, marked = np.zeros(ROWS), np.zeros(ROWS)
        for weight, probability in draws:
            found = masses(weight, marks, power)
            rows += probability * found[0]
            marked += probability * found[1]
        assert rows == pytest.approx(np.full(ROWS, 1.0 / ROWS))
        assert marked == pytest.approx(marks.gold / ROWS)


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(3))
def test_the_mean_is_right_on_average(seed, power):
    _, marks = world(seed)
    found = sum(
        probability * mean(ROWS)(*masses(weight, marks, power)).value for weight, probability in equally_likely(3)
    )
    assert found == pytest.approx(marks.gold.mean())


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(3))
def test_sums_over_pairs_are_right_on_average(seed, power):
    """Those that are divided to get the area under the ROC curve."""
    rng, marks = world(seed)
    area = RankingArea.of(rng.integers(4, size=ROWS) / 4.0)
    truth = area.sums(np.full(ROWS, 1.0 / ROWS), marks.gold / ROWS)
    found = np.zeros(2)
    for weight, probability in with_known_probabilities(rng):
        found += probability * np.array(area.sums(*masses(weight, marks, power)))
    assert found == pytest.approx(truth)
