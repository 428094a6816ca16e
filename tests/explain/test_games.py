"""Leaves and similarities as games: the quick ways against the plain ones."""

from itertools import permutations

import numpy as np
import pytest

from agnoboost.explain import leaf_games, similarity_games
from agnoboost.explain.leaf_games import by_pairs, by_sums_over_sets
from agnoboost.explain.similarity_games import product_values


@pytest.mark.parametrize("slots", range(1, 8))
def test_sums_over_sets_are_sums_over_pairs(slots, rng):
    failed, usual = rng.integers(0, 2**slots, (5, 20)), rng.integers(0, 2**slots, (5, 30))
    np.testing.assert_allclose(by_sums_over_sets(failed, usual, slots), by_pairs(failed, usual, slots), atol=1e-12)


def test_pairs_are_means_over_all_orders(rng):
    """Columns come from the explained row one after another: who makes the leaf count gets 1, who ends it -1."""
    slots = 4
    failed, usual = rng.integers(0, 2**slots, (3, 6)), rng.integers(0, 2**slots, (3, 5))
    expected = np.zeros((3, slots, 6))
    orders = list(permutations(range(slots)))
    for leaf, row, other in np.ndindex(3, 6, 5):
        for order in orders:
            word = int(usual[leaf, other])
            for slot in order:
                after = word & ~(1 << slot) | int(failed[leaf, row]) & (1 << slot)
                expected[leaf, slot, row] += (after == 0) - (word == 0)
                word = after
    np.testing.assert_allclose(by_pairs(failed, usual, slots), expected / len(orders) / 5, atol=1e-12)


def test_leaves_with_many_columns_go_by_pairs(monkeypatch, rng):
    class Paths:
        value, groups = rng.normal(size=6), np.tile(np.arange(5), (6, 1))
        slots = np.full(6, 5)

    failed, usual = rng.integers(0, 32, (6, 9)), rng.integers(0, 32, (6, 8))
    quick = leaf_games.leaf_values(Paths, failed, usual, 7)
    monkeypatch.setattr(leaf_games, "MOST_SUMMED", 4)
    monkeypatch.setattr(leaf_games, "CELLS_AT_A_TIME", 100)
    np.testing.assert_allclose(leaf_games.leaf_values(Paths, failed, usual, 7), quick, atol=1e-12)
    assert not quick[:, 5:].any()


@pytest.mark.parametrize("players", [1, 2, 5])
def test_products(players, rng):
    own, usual = rng.random((players, 3, 4)), rng.random((players, 6, 4))
    coefficients = rng.normal(size=(4, 2))
    expected = np.zeros((3, players, 2))
    orders = list(permutations(range(players)))
    for row, other in np.ndindex(3, 6):
        for order in orders:
            mixed = usual[:, other].copy()
            for player in order:
                before = mixed.prod(axis=0)
                mixed[player] = own[player, row]
                expected[row, player] += (mixed.prod(axis=0) - before) @ coefficients
    np.testing.assert_allclose(product_values(own, usual, coefficients), expected / len(orders) / 6, atol=1e-12)


def test_for_very_many_columns_fewer_points_lose_nothing(monkeypatch, rng):
    """The widest kernel that can be chosen, on normal scores."""
    scores = rng.normal(size=(12, 150))
    settings = (scores[4:], 4.0 / 150, np.arange(150), 150)
    own, usual = (similarity_games.similarities("gaussian", part, *settings) for part in (scores[:2], scores[2:4]))
    some = product_values(own, usual, np.ones((8, 1)))
    monkeypatch.setattr(similarity_games, "MOST_POINTS", 75)
    exact = product_values(own, usual, np.ones((8, 1)))
    np.testing.assert_allclose(some, exact, atol=1e-12 * np.abs(exact).max())
