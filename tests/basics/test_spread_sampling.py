"""Samples with chosen inclusion probabilities."""

import numpy as np
import pytest

from agnoboost.basics.spread_sampling import inclusion_probabilities, neighbours_together, pivotal_sample


def exact_probabilities(probabilities, order):
    """With which probability each row is drawn, over all outcomes of all duels, written out."""
    states = {(order[0], ()): 1.0}  # who is left, who was drawn; its share is known
    share = probabilities[order[0]]
    for row in order[1:]:
        both, after = share + probabilities[row], {}
        for (left, drawn), chance in states.items():
            if both < 1.0:
                moves = [((row, drawn), probabilities[row] / both), ((left, drawn), share / both)]
            else:
                stays = (1.0 - probabilities[row]) / (2.0 - both)
                moves = [((row, (*drawn, left)), stays), ((left, (*drawn, row)), 1.0 - stays)]
            for state, part in moves:
                after[state] = after.get(state, 0.0) + chance * part
        states, share = after, both if both < 1.0 else both - 1.0
    found = np.zeros(len(probabilities))
    for (left, drawn), chance in states.items():
        found[list(drawn)] += chance
        if share > 0.5:
            found[left] += chance
    return found


def test_probabilities_are_proportional_capped_and_sum_to_the_count(rng):
    size = rng.random(50) ** 6 + 1e-6
    found = inclusion_probabilities(size, 20)
    assert found.sum() == pytest.approx(20)
    assert found.max() == 1.0
    free = found < 1.0
    assert np.allclose(found[free] / size[free], found[free][0] / size[free][0])
    assert inclusion_probabilities(size, 50).tolist() == [1.0] * 50


def test_every_row_is_drawn_with_its_probability(rng):
    """The rule of the duels gives the probabilities exactly; what is drawn follows that rule."""
    probabilities = inclusion_probabilities(rng.random(7) + 0.1, 3)
    order = rng.permutation(7)
    assert np.allclose(exact_probabilities(probabilities, order.tolist()), probabilities)
    draws = 20_000
    counts = np.zeros(7)
    for _ in range(draws):
        drawn = pivotal_sample(probabilities, order, rng)
        assert len(drawn) == 3
        counts[drawn] += 1
    error = np.sqrt(probabilities * (1.0 - probabilities) / draws)
    assert (np.abs(counts / draws - probabilities) < 4.5 * error + 1e-12).all()


def test_sure_rows_and_whole_tables_are_drawn(rng):
    probabilities = np.array([1.0, 0.5, 1.0, 0.5])
    for _ in range(20):
        drawn = pivotal_sample(probabilities, np.arange(4), rng).tolist()
        assert len(drawn) == 3
        assert {0, 2} < set(drawn)
    assert pivotal_sample(np.ones(5), np.arange(5), rng).tolist() == [0, 1, 2, 3, 4]
    assert pivotal_sample(np.ones(1), np.arange(1), rng).tolist() == [0]


def test_large_samples_have_their_size(rng):
    probabilities = inclusion_probabilities(rng.random(30_000) ** 3, 777)
    assert len(pivotal_sample(probabilities, rng.permutation(30_000), rng)) == 777


def test_neighbours_follow_each_other_and_are_rarely_drawn_together(rng):
    groups = np.repeat(np.arange(8), 25)
    mixed = rng.permutation(len(groups))
    points = 100.0 * rng.normal(size=(8, 3))[groups] + rng.normal(size=(200, 3))
    probabilities = np.full(200, 8 / 200)
    order = neighbours_together(points[mixed], probabilities)
    assert sorted(order.tolist()) == list(range(200))
    own = groups[mixed]
    met = [len(set(own[pivotal_sample(probabilities, order, rng)])) for _ in range(200)]
    by_chance = [len(set(own[rng.choice(200, 8, replace=False)])) for _ in range(200)]
    assert np.mean(met) > np.mean(by_chance) + 1.0  # groups of which at least one row is drawn


def test_equal_points_are_no_trouble(rng):
    order = neighbours_together(np.zeros((10, 2)), np.full(10, 0.3))
    assert sorted(order.tolist()) == list(range(10))
